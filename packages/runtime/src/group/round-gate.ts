import { doneOr } from '@tributary/support'

/** Whether a round is under way, for whoever waits for its end. */
export class RoundGate {
  #open: PromiseWithResolvers<void> | null = Promise.withResolvers<void>()

  /** A round begins. */
  close(): void {
    this.#open ??= Promise.withResolvers<void>()
  }

  /** It has ended. */
  open(): void {
    this.#open?.resolve()
    this.#open = null
  }

  async opened(signal: AbortSignal): Promise<void> {
    while (this.#open !== null) await doneOr(this.#open.promise, signal)
  }
}
