import type { TaskLoad } from './protocol/own-data.ts'
import type { TaskRef, Work } from './protocol/work.ts'

/** The connectors and tasks in the config topic at some moment. */
export interface ConfiguredWork {
  /** All connectors, and the tasks whose configurations are stored. */
  readonly work: Work
  /** One more than the offset of the last applied record; -1 before the first. */
  readonly offset: bigint
  /** One more than the offset of the last record that changed `work`. */
  readonly changedAt: bigint
}

export interface WorkWatcher {
  /** `configured.work` has changed. */
  onChanged(): void
  /** Another worker has given up work, so a round is about to begin. */
  onReleased(): void
}

/** The members of the last round, as their leader knows them. */
export interface GroupMembers {
  /** `host:port` of each. */
  readonly workers: ReadonlySet<string>
  /** Whether a member was assigned the task, or reported it when it joined the round and may still be stopping it. */
  readonly mayRunTask: (connector: string, task: number) => boolean
}

/** The work of the group, for the membership: the configured work, and the part that runs on this worker. */
export interface GroupWork {
  readonly configured: ConfiguredWork
  /** Resolves when `configured` has everything that was stored before the call. */
  catchUp(signal: AbortSignal): Promise<void>
  watch(watcher: WorkWatcher): void
  /** Whether this worker has the plug-in of the connector. */
  canRun(connector: string): boolean
  /** How much the tasks of this worker write; null when it is not measured. */
  loads(): readonly TaskLoad[] | null
  /** Brings connectors in line with the assignment. Resolves when that is done: released work has ended then. */
  reconcile(connectors: Iterable<string>): Promise<void>
  /** Whether the task may run on this worker: its thread has not ended. */
  has(task: TaskRef): boolean
  /** Stops everything without writing statuses. Resolves when nothing runs any more. */
  stopAll(): Promise<void>
  /** Starts the assigned work. */
  startAll(): void
  /** For the leader: corrects the statuses of work that no member runs (`idle`). */
  reportIdle(idle: Work, members: GroupMembers): void
}
