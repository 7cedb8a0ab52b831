import type { ConfigMap, SignalResult, TaskNotification, TaskSignal, TaskSnapshot } from '@tributary/connect-api'
import type { LogLevelsSnapshot, MeterSnapshot, OngoingOutage, Problem } from '@tributary/support'
import type { MessagePort } from 'node:worker_threads'
import type { StoredOffset } from '../storage/offset-store.ts'
import type { RefusedRecord } from './record-failure.ts'

/** The end of a task's channel to the main thread, on the side of the task: the part of a MessagePort that it uses. */
export interface TaskPort {
  on(event: 'message', listener: (command: TaskCommand) => void): unknown
  postMessage(report: TaskReport): void
  close(): void
}

/** The end of that channel on the side of the main thread. */
export interface MainPort {
  on(event: 'message', listener: (report: TaskReport) => void): unknown
  postMessage(command: TaskCommand): void
}

/** Messages from the worker to a thread. */
export type ThreadCommand =
  /** Run a task, which reads its commands from this port and reports to it. */
  | { readonly tag: 'host'; readonly port: MessagePort }
  /** The last task has ended. */
  | { readonly tag: 'end' }
  /** Answer, if nothing blocks the thread. */
  | { readonly tag: 'ping' }

/** The answer to `ping`. */
export interface ThreadAnswer {
  readonly tag: 'pong'
}

/** What a task needs to start. It is copied into the thread: plain data only. */
export interface TaskThreadData {
  readonly connectorName: string
  readonly taskNumber: number
  /** As stored, with references to secrets, which the thread resolves. */
  readonly taskConfig: ConfigMap
  /** With references, too. */
  readonly workerProperties: ConfigMap
  readonly storedOffsets: readonly StoredOffset[]
  /** See `TaskStart`. */
  readonly refusedBytes?: Readonly<Record<string, number>>
  /** Of the worker's `Lease`. The only part that is shared instead of copied. */
  readonly lease: SharedArrayBuffer
}

/** Messages from a task to the worker. After `stopped` or `failed` there are no more, and the task closes its port. */
export type TaskReport =
  /** The task has taken over its transactional id, and waits for the stored offsets. */
  | { readonly tag: 'claimed' }
  | { readonly tag: 'started' }
  /** From now on, a start by itself would leave out changes (`SourceTask.leavesOutAtStart`). */
  | { readonly tag: 'leaves out at start' }
  | { readonly tag: 'topic'; readonly topic: string }
  /** The task's numbers, at an interval and when the worker asks for them. */
  | { readonly tag: 'metrics'; readonly metrics: MeterSnapshot }
  /** The answer to `ask`. */
  | { readonly tag: 'answer'; readonly number: number; readonly answer: TaskAnswer }
  | { readonly tag: 'notification'; readonly notification: TaskNotification }
  | { readonly tag: 'stopped' }
  /** The activities that the task retries at the moment; reported when they change. */
  | { readonly tag: 'waiting'; readonly outages: readonly OngoingOutage[] }
  | {
      readonly tag: 'failed'
      readonly trace: string
      /** Whether a later restart may help (`failureKind`). */
      readonly isRetriable: boolean
      /** Whether the task has stored an offset from which its next start continues. */
      readonly hasAdvanced: boolean
      /** A record that a broker has refused as too large. */
      readonly refused: RefusedRecord | null
      readonly problem: Problem
      /** The failure is that of another task, whose thread the task shared. Absent: false. */
      readonly isOfNeighbour?: boolean
      /** The properties of the retry policy, with values instead of references. */
      readonly retryProperties?: ConfigMap
    }

/** What the worker asks a source task. */
export type TaskQuestion = { readonly tag: 'snapshot' } | { readonly tag: 'signal'; readonly signal: TaskSignal }

export type TaskAnswer =
  | { readonly tag: 'snapshot'; readonly snapshot: TaskSnapshot | null }
  | { readonly tag: 'signal'; readonly result: SignalResult }

/** Messages from the worker to a task. The first one is `start`, which is sent once. */
export type TaskCommand =
  | { readonly tag: 'start'; readonly data: TaskThreadData; readonly logLevels: LogLevelsSnapshot }
  | { readonly tag: 'log levels'; readonly logLevels: LogLevelsSnapshot }
  | { readonly tag: 'stop' }
  | { readonly tag: 'forget topics' }
  /** Asks for the task's numbers now. */
  | { readonly tag: 'measure' }
  /** Store the offsets of acknowledged records now. */
  | { readonly tag: 'commit offsets' }
  /** Asks the source task. The answer has the same number. */
  | { readonly tag: 'ask'; readonly number: number; readonly question: TaskQuestion }
  /** The answer to `claimed`. */
  | { readonly tag: 'offsets'; readonly storedOffsets: readonly StoredOffset[] }
