import type { Clock } from '@tributary/support'
import { taskId } from '../storage/task-id.ts'

/** How much a task writes. */
export interface MeasuredLoad {
  readonly connector: string
  readonly task: number
  readonly bytesPerSecond: number
}

interface Known {
  readonly connector: string
  readonly task: number
  /** When the task had sent `bytes`. */
  readonly sinceMs: number
  readonly bytes: number
  /** The load in the last whole period; null in the first period. */
  readonly bytesPerSecond: number | null
}

/**
 * The loads of the running tasks, by which the group balances them. The load of a task is unknown in its first minute.
 */
export class TaskLoads {
  readonly #clock: Clock
  readonly #known = new Map<string, Known>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Called when a task has reported how many bytes it has sent since it started. */
  note(connector: string, task: number, bytes: number): void {
    const id = taskId(connector, task)
    const nowMs = this.#clock.monotonicMs()
    const known = this.#known.get(id)
    if (known === undefined) {
      this.#known.set(id, { connector, task, sinceMs: nowMs, bytes, bytesPerSecond: null })
      return
    }
    const elapsedMs = nowMs - known.sinceMs
    if (elapsedMs < PERIOD_MS) return
    const bytesPerSecond = Math.max(0, bytes - known.bytes) / (elapsedMs / 1_000)
    this.#known.set(id, { connector, task, sinceMs: nowMs, bytes, bytesPerSecond })
  }

  /** Called when the task has ended. */
  forget(connector: string, task: number): void {
    this.#known.delete(taskId(connector, task))
  }

  all(): readonly MeasuredLoad[] {
    return [...this.#known.values()].flatMap(({ connector, task, bytesPerSecond }) =>
      bytesPerSecond === null ? [] : [{ connector, task, bytesPerSecond }],
    )
  }
}

/** A task that has just started sends a snapshot or catches up: its first minute does not predict its load. */
const PERIOD_MS = 60_000
