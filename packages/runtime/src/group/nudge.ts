import { doneOr, StoppedError, throwIfStopped, withTimeout, type Clock } from '@tributary/support'

/** Wakes another loop. A nudge before the wait ends the wait at once. */
export class Nudge {
  #isDue = false
  #wake: () => void = () => undefined

  nudge(): void {
    this.#isDue = true
    this.#wake()
  }

  /** Forgets earlier nudges. Call it before an action that serves all of them. */
  clear(): void {
    this.#isDue = false
  }

  /** Waits for a nudge, and consumes it. */
  async wait(signal: AbortSignal): Promise<void> {
    while (!this.#isDue) {
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#wake = resolve
      await doneOr(promise, signal)
    }
    this.#isDue = false
  }

  /** Waits for a nudge, for at most this time. */
  async waitAtMost(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
    try {
      await withTimeout(clock, ms, (limit) => this.wait(limit), signal)
    } catch (error) {
      throwIfStopped(signal)
      if (!(error instanceof StoppedError)) throw error
    }
  }
}
