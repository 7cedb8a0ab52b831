import type { DeliveryProgress } from '@tributary/connect-api'
import type { Clock } from '@tributary/support'

export interface OutageWatchOptions {
  /** The delivery progress of the task. */
  readonly delivered: () => DeliveryProgress
  /** False while the worker's membership is unconfirmed for too long. */
  readonly mayWrite: () => boolean
  readonly clock: Clock
}

/** Longer than the election of a partition's leader takes. */
export const OUTAGE_MS = 5_000

/**
 * Detects that the brokers are unreachable: for a while, they acknowledged no record although some are in flight,
 * stored no offset, or did not confirm the worker's membership. `look` compares counters; records cost nothing.
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
