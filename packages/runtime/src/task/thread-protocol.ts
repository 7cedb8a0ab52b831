import type { ConfigMap } from '@tributary/connect-api'
import type { LogLevelsSnapshot, MeterSnapshot } from '@tributary/support'
import type { StoredOffset } from '../storage/offset-store.ts'

/** What a task thread needs to start. It is copied into the thread: plain data only. */
export interface TaskThreadData {
  readonly connectorName: string
  readonly taskNumber: number
  /** As stored: with references to secrets, which the thread resolves. */
  readonly taskConfig: ConfigMap
  /** As given: with references, too. */
  readonly workerProperties: ConfigMap
  readonly storedOffsets: readonly StoredOffset[]
}

/** Messages from a task thread to the worker. After `stopped` or `failed` there are no more. */
export type TaskReport =
  | { readonly tag: 'started' }
  | { readonly tag: 'topic'; readonly topic: string }
  /** The task's numbers, at an interval. */
  | { readonly tag: 'metrics'; readonly metrics: MeterSnapshot }
  | { readonly tag: 'stopped' }
  /** `isRetriable`: the same task may succeed when it is started again later; `failureKind` has decided that. */
  | { readonly tag: 'failed'; readonly trace: string; readonly isRetriable: boolean }

/** Messages from the worker to a task thread. The first one is `start`, and there is only one of it. */
export type TaskCommand =
  | { readonly tag: 'start'; readonly data: TaskThreadData; readonly logLevels: LogLevelsSnapshot }
  | { readonly tag: 'log levels'; readonly logLevels: LogLevelsSnapshot }
  | { readonly tag: 'stop' }
  | { readonly tag: 'forget topics' }
