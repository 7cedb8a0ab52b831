import { doneOr } from '@tributary/support'

/** Lets callers wait for the end of a round. */
export class RoundGate {
  #open: PromiseWithResolvers<void> | null = Promise.withResolvers<void>()

  /** Called when a round begins. */
  close(): void {
    this.#open ??= Promise.withResolvers<void>()
  }

  /** Called when the round has ended. */
  open(): void {
    this.#open?.resolve()
    this.#open = null
  }

  async opened(signal: AbortSignal): Promise<void> {
    while (this.#open !== null) await doneOr(this.#open.promise, signal)
  }
}
