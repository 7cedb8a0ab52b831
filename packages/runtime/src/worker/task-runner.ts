import type { ConfigMap } from '@tributary/connect-api'
import type { MeterSnapshot, OngoingOutage, Problem } from '@tributary/support'
import type { StoredOffset } from '../storage/offset-store.ts'
import type { RefusedRecord } from '../task/record-failure.ts'
import type { TaskAnswer, TaskQuestion } from '../task/thread-protocol.ts'
import type { Notifications } from './notifications.ts'
import type { StartCounts } from './start-counts.ts'
import type { MeasuredLoad } from './task-loads.ts'
import type { TaskMeasurement } from './task-measurements.ts'

/** Why a task failed. */
export interface TaskFailure {
  /** The error as Connect shows it in a status. */
  readonly trace: string
  /** Whether the same task may succeed when it is started again later. */
  readonly isRetriable: boolean
  /** Whether the failure is that of another task, whose thread the task shared. Absent: false. */
  readonly isOfNeighbour?: boolean
  /**
   * Whether the task has stored an offset from which its next start continues, so that it does not repeat the same
   * work. Absent: false.
   */
  readonly hasAdvanced?: boolean
  /** The record that a broker has refused as too large. Absent: the failure has another reason. */
  readonly refused?: RefusedRecord | null
  /** The properties of the retry policy, with values instead of references. Absent: as stored. */
  readonly retryProperties?: ConfigMap
  /** Absent: nothing more is known than the trace. */
  readonly problem?: Problem
}

/** Receives what a runner reports of its tasks. */
export interface TaskListener {
  /** The task has fenced its predecessors, and waits for `sendOffsets`. */
  onClaimed(connector: string, task: number): void
  onStarted(connector: string, task: number): void
  onTopic(connector: string, task: number, topic: string): void
  /** The activities that a running task retries have changed; empty: it retries nothing any more. */
  onWaiting(connector: string, task: number, outages: readonly OngoingOutage[]): void
  onFailed(connector: string, task: number, failure: TaskFailure): void
}

export interface TaskStart {
  readonly connectorName: string
  readonly taskNumber: number
  readonly config: ConfigMap
  readonly storedOffsets: readonly StoredOffset[]
  /**
   * By topic: the size of a record that its brokers have refused. The task asks them about such records. Absent: none.
   */
  readonly refusedBytes?: Readonly<Record<string, number>>
}

/** Runs tasks: the herder's view of the worker, and a double in its tests. */
export interface TaskRunner {
  /** Of tasks. */
  readonly startCounts: StartCounts
  /** Of tasks. */
  readonly notifications: Notifications
  /** Spawns a thread for whichever task is started first: the worker has no connector yet. */
  spawnForFirstTask(): void
  /** Spawns a thread for a new connector's first task while its configuration is being checked. */
  spawnAhead(connectorName: string): void
  /** Starts a task that does not run. Its reports go to the listener. */
  startTask(start: TaskStart): void
  /** Stops tasks of a connector, all or those named, together within the limit. They report nothing after that. */
  stopTasks(connectorName: string, limitMs: number, taskNumbers?: readonly number[]): Promise<void>
  /** Answers a task that has claimed its transactional id. */
  sendOffsets(connectorName: string, taskNumber: number, storedOffsets: readonly StoredOffset[]): void
  /** Makes the connector's running tasks report each topic again when they write to it next. */
  forgetTopics(connectorName: string): void
  /** Makes the connector's running tasks store the offsets of acknowledged records at once. */
  commitOffsets(connectorName: string): void
  /**
   * Returns the last numbers that a running task has reported, up to a few seconds old; null before its first report.
   */
  taskMetrics(connectorName: string, taskNumber: number): MeterSnapshot | null
  /** Asks a source task. Null: it does not run, or did not answer within the limit. */
  ask(connectorName: string, taskNumber: number, question: TaskQuestion, limitMs: number): Promise<TaskAnswer | null>
  /** Whether the task has a thread. */
  isRunning(connectorName: string, taskNumber: number): boolean
  /** Returns how much each task has written lately. */
  loads(): readonly MeasuredLoad[]
  /** Returns the last numbers of all tasks. */
  measured(): readonly TaskMeasurement[]
  /** Returns the numbers of all tasks, as new as they arrive within the limit, and the last ones of failed tasks. */
  measure(limitMs: number): Promise<readonly TaskMeasurement[]>
  /** Stops all tasks, together within the limit. */
  stop(limitMs: number): Promise<void>
}
