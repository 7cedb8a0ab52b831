import { BackOff, type Problem } from '@tributary/support'
import type { FailureRow } from './connector-condition.ts'
import type { RetryPolicy } from './retry-policy.ts'

/**
 * Consecutive failures of a task, or of the start of a connector: since when, how often, and when the next start is
 * due. A run that lasts long enough and stores a new offset ends the row.
 */
export class FailureStreak {
  #backOff: BackOff | null = null
  #row: FailureRow | null = null
  #restarts = 0

  get row(): FailureRow | null {
    return this.#row
  }

  /** Restarts after failures since the worker started, not only those of the row. */
  get restarts(): number {
    return this.#restarts
  }

  /**
   * `advancedMs`: how long the failed run lasted; null: it stored no offset from which the next run continues. A
   * snapshot that failed after an hour would fail there again, so such a run does not end the row.
   */
  add(problem: Problem, nowMs: number, advancedMs: number | null): void {
    if (advancedMs !== null && advancedMs >= RECOVERED_AFTER_MS) this.end()
    const failures = (this.#row?.failures ?? 0) + 1
    this.#row = { problem, sinceMs: this.#row?.sinceMs ?? nowMs, lastMs: nowMs, failures, nextMs: null }
  }

  /** Schedules the next start and returns its delay; null: the policy allows no further start in this row. */
  schedule(policy: RetryPolicy, nowMs: number): number | null {
    if (this.#row === null || this.#row.failures > policy.retriesMax) return null
    this.#backOff ??= new BackOff(policy)
    const delayMs = this.#backOff.next()
    this.#row = { ...this.#row, nextMs: nowMs + delayMs }
    return delayMs
  }

  /**
   * Schedules a start after the failure of another task. It does not count: neither for the limit of the policy nor for
   * the delay of the next failure. Returns its delay.
   */
  scheduleForNeighbour(problem: Problem, nowMs: number): number {
    const row = this.#row ?? { problem, sinceMs: nowMs, lastMs: nowMs, failures: 0 }
    this.#row = { ...row, nextMs: nowMs + NEIGHBOUR_DELAY_MS }
    return NEIGHBOUR_DELAY_MS
  }

  /** Called when the scheduled start is due, or is no longer needed. */
  unschedule(isDue: boolean): void {
    if (isDue) this.#restarts += 1
    if (this.#row !== null) this.#row = { ...this.#row, nextMs: null }
  }

  /** Ends the row: the task has recovered, or somebody has acted. */
  end(): void {
    this.#row = null
    this.#backOff = null
  }
}

/** At once, but for the end of the thread. */
const NEIGHBOUR_DELAY_MS = 1_000

/** A task that ran for this time, and advanced, has recovered: the next delay is the first one again. */
const RECOVERED_AFTER_MS = 300_000
