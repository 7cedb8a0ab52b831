import type { Clock } from '@tributary/support'

/**
 * The time, read once for up to CALLS_MAX calls in the same turn: reading the clock for each record costs as much as
 * converting a field.
 */
export class TurnTime {
  readonly #clock: Pick<Clock, 'now'>
  #nowMs = 0
  #callsLeft = 0

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock
  }

  /**
   * Milliseconds since 1970, read at the first call and kept for CALLS_MAX calls or until the current code has run to
   * its end.
   */
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

/** About a millisecond for records of a hundred columns. */
export const CALLS_MAX = 32
