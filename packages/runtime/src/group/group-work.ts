import type { TaskLoad } from './protocol/own-data.ts'
import type { TaskRef, Work } from './protocol/work.ts'

/** What the config topic lists at some moment. */
export interface ConfiguredWork {
  /** All connectors, and the tasks whose configurations are stored. */
  readonly work: Work
  /** One more than the offset of the last applied record; -1 before the first. */
  readonly offset: bigint
  /** The offset after the last record that has changed `work`. */
  readonly changedAt: bigint
}

export interface WorkWatcher {
  /** `configured.work` has changed. */
  onChanged(): void
  /** Another worker has given up some work: a round follows. */
  onReleased(): void
}

/** The members of the last round, as their leader knows them. */
export interface GroupMembers {
  /** `host:port` of each. */
  readonly workers: ReadonlySet<string>
  /** Whether one has joined the round with the task, so that it may still be stopping it, or was assigned it. */
  readonly mayRunTask: (connector: string, task: number) => boolean
}

/** The work of the group, as the membership sees it: what there is to run, and what runs on this worker. */
export interface GroupWork {
  readonly configured: ConfiguredWork
  /** Resolves when `configured` has everything that was stored before the call. */
  catchUp(signal: AbortSignal): Promise<void>
  watch(watcher: WorkWatcher): void
  /** Whether this worker has the plug-in of the connector. */
  canRun(connector: string): boolean
  /** How much its tasks write; null when it is not measured. */
  loads(): readonly TaskLoad[] | null
  /** Brings connectors in line with the assignment. Resolves when that is done, so that what was released has ended. */
  reconcile(connectors: Iterable<string>): Promise<void>
  /** Whether the task may run on this worker: its thread has not ended. */
  has(task: TaskRef): boolean
  /** Stops everything and writes nothing about it. Resolves when nothing runs any more. */
  stopAll(): Promise<void>
  /** Starts what is assigned. */
  startAll(): void
  /** For the leader: corrects the statuses of what nobody runs. `idle`: nobody's work. */
  reportIdle(idle: Work, members: GroupMembers): void
}
