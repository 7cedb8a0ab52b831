import { doneOr } from '@tributary/support'

/**
 * A caller that stopped resumes below this part of the limit, not at the limit, so that it does not stop at each
 * record.
 */
const READY_BELOW = 0.8

/** Counts the bytes of unacknowledged records, and lets callers wait for room. */
export class SendBuffer {
  readonly bytesMax: number
  readonly #readyBytes: number
  #waiting: PromiseWithResolvers<void> | null = null
  #failure: Error | null = null
  bytes = 0

  constructor(bytesMax: number) {
    this.bytesMax = bytesMax
    this.#readyBytes = Math.floor(bytesMax * READY_BELOW)
  }

  get isFull(): boolean {
    return this.bytes > this.bytesMax
  }

  release(bytes: number): void {
    this.bytes -= bytes
    if (this.#waiting === null || this.bytes > this.#readyBytes) return
    this.#waiting.resolve()
    this.#waiting = null
  }

  /** Resolves when there is room again. */
  async ready(signal?: AbortSignal): Promise<void> {
    if (this.#failure !== null) throw this.#failure
    if (this.bytes <= this.#readyBytes) return
    this.#waiting ??= Promise.withResolvers<void>()
    await doneOr(this.#waiting.promise, signal)
  }

  /** Rejects current and future waits. */
  fail(error: Error): void {
    this.#failure = error
    this.#waiting?.promise.catch(() => undefined)
    this.#waiting?.reject(error)
    this.#waiting = null
  }
}
