import type { TaskLoad } from '../protocol/own-data.ts'
import type { Work } from '../protocol/work.ts'

/** A member of the group, as the leader sees it when all have joined. */
export interface AssignorMember {
  readonly memberId: string
  /** What stays the same when its process starts again: its REST URL. */
  readonly worker: string
  /** Everything that it runs, or may still run, as it has reported with its join. */
  readonly running: Work
  /** Of its tasks that have run long enough; null when it does not measure them, as a worker of Kafka Connect. */
  readonly loads: readonly TaskLoad[] | null
  /** It is about to stop: what it runs is moved, and it gets nothing. */
  readonly isLeaving: boolean
  /** Whether it has the plug-in of a connector. Absent: it has all. */
  readonly canRun?: (connector: string) => boolean
}

export interface AssignorInput {
  readonly members: readonly AssignorMember[]
  /** All connectors and tasks of the config topic. */
  readonly configured: Work
  /** What the leader remembers of the last assignment; `NO_MEMORY` when another member, or nobody, has made it. */
  readonly memory: AssignorMemory
  /** By a monotonic clock. */
  readonly nowMs: number
  /** `scheduled.rebalance.max.delay.ms`. */
  readonly maxDelayMs: number
}

/** What the leader remembers from one assignment to the next. */
export interface AssignorMemory {
  /** The worker that runs, or is about to get, each item, by key. */
  readonly owners: ReadonlyMap<string, string>
  /** The last known load of each task in bytes per second, by key. */
  readonly loads: ReadonlyMap<string, number>
  /** Until when the work of lost members waits for them; null when none waits. */
  readonly dueMs: number | null
}

export const NO_MEMORY: AssignorMemory = { owners: new Map(), loads: new Map(), dueMs: null }

export interface MemberAssignment {
  /** What the member starts, in addition to what it runs. */
  readonly assigned: Work
  /** What the member stops. When it has stopped, it joins again, and another member gets it. */
  readonly revoked: Work
}

export interface AssignorResult {
  /** For every member, by id. */
  readonly assignments: ReadonlyMap<string, MemberAssignment>
  /** After this time all members must join again; 0: no need. */
  readonly delayMs: number
  /** What waits for a lost member, and what no member can run. */
  readonly unassigned: { readonly waiting: Work; readonly impossible: Work }
  readonly memory: AssignorMemory
}
