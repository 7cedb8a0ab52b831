import type { Clock } from '@tributary/support'

/**
 * The time, read once for all that happens without a pause: records of one poll are sent within a few milliseconds, and asking the system
 * for each of them costs as much as a field of it.
 */
export class TurnTime {
  readonly #clock: Pick<Clock, 'now'>
  #nowMs = 0
  #isKnown = false

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock
  }

  /** Milliseconds since 1970, when it was first asked for since the caller's code began to run. */
  now(): number {
    if (!this.#isKnown) {
      this.#nowMs = this.#clock.now()
      this.#isKnown = true
      queueMicrotask(this.#forget)
    }
    return this.#nowMs
  }

  readonly #forget = (): void => {
    this.#isKnown = false
  }
}
