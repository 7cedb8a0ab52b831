import type { Clock } from '@tributary/support'

/**
 * The time, read once for some calls that follow one another without a pause: asking the system for each record of a poll costs as much as a
 * field of it.
 */
export class TurnTime {
  readonly #clock: Pick<Clock, 'now'>
  #nowMs = 0
  #callsLeft = 0

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock
  }

  /** Milliseconds since 1970. Read at the first call, and kept for `CALLS_MAX` or until the code that runs now has come to its end. */
  now(): number {
    if (this.#callsLeft === 0) {
      this.#nowMs = this.#clock.now()
      this.#callsLeft = CALLS_MAX
      queueMicrotask(this.#forget)
    }
    this.#callsLeft -= 1
    return this.#nowMs
  }

  readonly #forget = (): void => {
    this.#callsLeft = 0
  }
}

/** Of records of a hundred columns, about a millisecond. */
export const CALLS_MAX = 32
