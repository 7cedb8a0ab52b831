import type { ConfigMap } from '@tributary/connect-api'
import type { LogLevelsSnapshot } from '@tributary/support'
import type { StoredOffset } from '../storage/offset-store.ts'

/** All that a task thread is given. It is copied into the thread: plain data only. */
export interface TaskThreadData {
  readonly connectorName: string
  readonly taskNumber: number
  /** As stored and as given: with references, which the thread resolves. */
  readonly taskConfig: ConfigMap
  readonly workerProperties: ConfigMap
  readonly storedOffsets: readonly StoredOffset[]
}

/** What a task thread tells. */
export type TaskReport =
  | { readonly tag: 'started' }
  | { readonly tag: 'topic'; readonly topic: string }
  | { readonly tag: 'stopped' }
  | { readonly tag: 'failed'; readonly trace: string; readonly isRetriable: boolean }

/** What a task thread is told; first of all, and once, what it is to do. */
export type TaskCommand =
  | { readonly tag: 'begin'; readonly data: TaskThreadData; readonly logLevels: LogLevelsSnapshot }
  | { readonly tag: 'log levels'; readonly logLevels: LogLevelsSnapshot }
  | { readonly tag: 'stop' }
  | { readonly tag: 'forget topics' }
