import type { TaskLoad } from '../protocol/own-data.ts'
import type { Work } from '../protocol/work.ts'

/** A member of the group, as the leader sees it when all have joined. */
export interface AssignorMember {
  readonly memberId: string
  /** Its REST URL, which stays the same when its process starts again. */
  readonly worker: string
  /** The work that it runs, or may still run, as it reported with its join. */
  readonly running: Work
  /**
   * The loads of the tasks that have run long enough; null if it does not measure them, as a worker of Kafka Connect.
   */
  readonly loads: readonly TaskLoad[] | null
  /** It is about to stop: its work moves to other members, and it gets none. */
  readonly isLeaving: boolean
  /** Whether it has the plug-in of a connector. Absent: it has all. */
  readonly canRun?: (connector: string) => boolean
}

export interface AssignorInput {
  readonly members: readonly AssignorMember[]
  /** All connectors and tasks of the config topic. */
  readonly configured: Work
  /** The leader's memory of the last assignment; `NO_MEMORY` if this member did not make that assignment. */
  readonly memory: AssignorMemory
  /** The time of a monotonic clock. */
  readonly nowMs: number
  /** `scheduled.rebalance.max.delay.ms`. */
  readonly maxDelayMs: number
}

/** The leader's memory from one assignment to the next. */
export interface AssignorMemory {
  /** The worker that runs, or is about to get, each item, by key. */
  readonly owners: ReadonlyMap<string, string>
  /** The last known load of each task in bytes per second, by key. */
  readonly loads: ReadonlyMap<string, number>
  /** Until when the work of lost members waits for them; null if no work waits. */
  readonly dueMs: number | null
}

export const NO_MEMORY: AssignorMemory = { owners: new Map(), loads: new Map(), dueMs: null }

export interface MemberAssignment {
  /** The work that the member starts, in addition to the work that it runs. */
  readonly assigned: Work
  /** The work that the member stops. Then the member joins again, and another one gets the work. */
  readonly revoked: Work
}

export interface AssignorResult {
  /** For every member, by id. */
  readonly assignments: ReadonlyMap<string, MemberAssignment>
  /** After this time all members must join again; 0: they need not. */
  readonly delayMs: number
  /** The work that waits for a lost member, and the work that no member can run. */
  readonly unassigned: { readonly waiting: Work; readonly impossible: Work }
  readonly memory: AssignorMemory
}
