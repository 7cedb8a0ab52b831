/** A limit on something per second. What was not used is not saved up. */
export class RateLimit {
  readonly #perSecond: number
  /** When what was spent so far is within the limit. */
  #dueMs = 0

  /** @param perSecond above 0 */
  constructor(perSecond: number) {
    this.#perSecond = perSecond
  }

  spent(amount: number, nowMs: number): void {
    this.#dueMs = Math.max(this.#dueMs, nowMs) + (amount / this.#perSecond) * 1_000
  }

  /** How long nothing more may be spent; 0: now. */
  restMs(nowMs: number): number {
    return Math.max(0, this.#dueMs - nowMs)
  }
}
