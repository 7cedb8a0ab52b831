import { BackOff, type Problem } from '@tributary/support'
import type { FailureRow } from './connector-condition.ts'
import type { RetryPolicy } from './retry-policy.ts'

/**
 * Failures in a row of a task, or of the start of a connector: since when, how often, and when the next start is due.
 * The row ends with a run that was long enough and got further than the one before.
 */
export class FailureStreak {
  #backOff: BackOff | null = null
  #row: FailureRow | null = null
  #restarts = 0

  get row(): FailureRow | null {
    return this.#row
  }

  /** Starts after a failure since the worker runs, not only those of the row. */
  get restarts(): number {
    return this.#restarts
  }

  /**
   * `advancedMs`: how long the run was that has failed; null: it has stored no offset after which the next one
   * continues. A snapshot that fails after an hour would fail there again, so it has not recovered.
   */
  add(problem: Problem, nowMs: number, advancedMs: number | null): void {
    if (advancedMs !== null && advancedMs >= RECOVERED_AFTER_MS) this.end()
    const failures = (this.#row?.failures ?? 0) + 1
    this.#row = { problem, sinceMs: this.#row?.sinceMs ?? nowMs, lastMs: nowMs, failures, nextMs: null }
  }

  /** The delay of the next start; null: the policy allows no further one in this row. */
  schedule(policy: RetryPolicy, nowMs: number): number | null {
    if (this.#row === null || this.#row.failures > policy.retriesMax) return null
    this.#backOff ??= new BackOff(policy)
    const delayMs = this.#backOff.next()
    this.#row = { ...this.#row, nextMs: nowMs + delayMs }
    return delayMs
  }

  /** The start that was scheduled is made, or somebody has made it needless. */
  unschedule(isDue: boolean): void {
    if (isDue) this.#restarts += 1
    if (this.#row !== null) this.#row = { ...this.#row, nextMs: null }
  }

  /** There are no failures any more. */
  end(): void {
    this.#row = null
    this.#backOff = null
  }
}

/** A task that ran for so long, and advanced, has recovered: the next delay is the first again. */
const RECOVERED_AFTER_MS = 300_000
