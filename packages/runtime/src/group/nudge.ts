import { doneOr, StoppedError, throwIfStopped, withTimeout, type Clock } from '@tributary/support'

/** A reason to act that one loop gives another. A nudge that comes before the wait ends the wait at once. */
export class Nudge {
  #isDue = false
  #wake: () => void = () => undefined

  nudge(): void {
    this.#isDue = true
    this.#wake()
  }

  /** Forgets earlier nudges: what follows takes their reasons into account. */
  clear(): void {
    this.#isDue = false
  }

  /** Resolves when there is a nudge, which it consumes. */
  async wait(signal: AbortSignal): Promise<void> {
    while (!this.#isDue) {
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#wake = resolve
      await doneOr(promise, signal)
    }
    this.#isDue = false
  }

  /** The same for at most this time. */
  async waitAtMost(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
    try {
      await withTimeout(clock, ms, (limit) => this.wait(limit), signal)
    } catch (error) {
      throwIfStopped(signal)
      if (!(error instanceof StoppedError)) throw error
    }
  }
}
