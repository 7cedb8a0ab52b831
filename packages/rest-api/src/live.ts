/** The documents of `/ui/live` and `/ui/log`, server-sent events for the page. Not a stable interface. */
import type { ConnectorState, TaskState, TimeToLoss, WorkerStatus } from './entities.ts'

/** Time between two samples. */
export const liveIntervalMs = 2_000

/**
 * Numbers of a connector at a time: ms since 1970, records read from the database per second, records written to Kafka
 * per second, their bytes per second before compression, lag in ms, bytes in the queue of the producer, records in
 * flight; events per second before transformations: rows of a snapshot, creates, updates, deletes with truncates;
 * median and 99th percentile of the time from commit to acknowledgement in ms, of the records of the interval. Null
 * where there is no number: the connector does not run, or nothing was read.
 */
export type ConnectorSample = readonly [
  ms: number,
  read: number | null,
  written: number | null,
  bytes: number | null,
  lagMs: number | null,
  queueBytes: number | null,
  inFlight: number | null,
  rows: number | null,
  creates: number | null,
  updates: number | null,
  deletes: number | null,
  latencyMs: number | null,
  latency99Ms: number | null,
]

/** Numbers of the worker's process: ms since 1970, resident bytes, share of one core, delay of the event loop in ms. */
export type WorkerSample = readonly [ms: number, residentBytes: number, cpu: number, delayMs: number]

export interface LiveTask {
  readonly id: number
  readonly state: TaskState
  /** The complete error of a failed task. */
  readonly trace: string | null
}

/** What happened to a snapshot, in the terms of Debezium's notifications. */
export interface LiveNotification {
  readonly ms: number
  /** `Initial Snapshot` or `Incremental Snapshot` */
  readonly subject: string
  /** `STARTED`, `TABLE_SCAN_COMPLETED` and others, but not `IN_PROGRESS`. */
  readonly type: string
  /** Its `additional_data`. Texts are cut after 1000 characters. */
  readonly data: Readonly<Record<string, string>>
}

/** A change of a state, as the feed has seen it. */
export interface StateChange {
  readonly ms: number
  /** Null: the connector itself. */
  readonly task: number | null
  /** Null: it was not known before. */
  readonly from: string | null
  readonly to: string
}

export interface LiveConnector {
  readonly name: string
  readonly className: string
  readonly state: ConnectorState
  readonly trace: string | null
  readonly tasks: readonly LiveTask[]
  /** Of the tasks together, since they were started. */
  readonly counters: Readonly<Record<string, number>>
  /** The lag of the last change that was read, in ms; null before the first one. */
  readonly lastLagMs: number | null
  /** When the numbers last had a record, in ms since 1970; null: not since the feed began. */
  readonly lastRecordMs: number | null
  /** Null: not measured yet. */
  readonly timeToLoss: Pick<TimeToLoss, 'status' | 'seconds' | 'running_out'> | null
  readonly sample: ConnectorSample
}

/** Sent after each interval. */
export interface LiveUpdate {
  readonly tag: 'update'
  readonly health: WorkerStatus
  readonly worker: WorkerSample
  readonly connectors: readonly LiveConnector[]
  /** Since the last message, oldest first. */
  readonly changes: readonly (StateChange & { readonly connector: string })[]
  /** The same of snapshots of tasks on this worker. */
  readonly notifications: readonly (LiveNotification & { readonly connector: string })[]
}

/** The first message of a stream. */
export interface LiveStart {
  readonly tag: 'start'
  readonly version: string
  readonly startedMs: number
  readonly access: 'full' | 'read-only'
  /** Whether the user may read the records of topics (`ui.events`). */
  readonly mayReadEvents: boolean
  /** Earlier samples, oldest first. */
  readonly worker: readonly WorkerSample[]
  readonly connectors: Readonly<
    Record<
      string,
      {
        readonly samples: readonly ConnectorSample[]
        readonly changes: readonly StateChange[]
        readonly notifications: readonly LiveNotification[]
      }
    >
  >
  readonly update: LiveUpdate
}

/** A line of the log: `level`, `time` in ms since 1970, `msg`, and further fields. */
export type LogLine = Readonly<Record<string, unknown>>

export interface LogStart {
  readonly tag: 'start'
  /** Oldest first. */
  readonly lines: readonly LogLine[]
}

export interface LogUpdate {
  readonly tag: 'line'
  readonly line: LogLine
}
