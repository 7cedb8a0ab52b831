import type { DeliveryProgress } from '@tributary/connect-api'
import type { Clock } from '@tributary/support'

export interface OutageWatchOptions {
  /** What has become of the records of the task. */
  readonly delivered: () => DeliveryProgress
  /** False while the worker has not heard of its group for too long. */
  readonly mayWrite: () => boolean
  readonly clock: Clock
}

/** Longer than a partition needs for another leader. */
export const OUTAGE_MS = 5_000

/**
 * Finds out whether the brokers are unreachable: for a while, no record was acknowledged although some are in flight, no
 * offset could be stored, or the worker was not heard by its group. It compares numbers at each `look`, so records cost
 * nothing.
 */
export class OutageWatch {
  readonly #options: OutageWatchOptions
  #completed = 0
  #sinceMs: number | null = null

  constructor(options: OutageWatchOptions) {
    this.#options = options
  }

  /** To be called about every second. */
  look(): void {
    const { delivered, mayWrite, clock } = this.#options
    const { pending, completed, isCommitFailing } = delivered()
    const isMoving = pending === 0 || completed !== this.#completed
    this.#completed = completed
    if (isMoving && !isCommitFailing && mayWrite()) this.#sinceMs = null
    else this.#sinceMs ??= clock.monotonicMs()
  }

  get isOutage(): boolean {
    return this.#sinceMs !== null && this.#options.clock.monotonicMs() - this.#sinceMs >= OUTAGE_MS
  }
}
