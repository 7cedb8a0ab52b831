import { StoppedError, type Clock } from '@tributary/support'

export interface WaitOptions {
  readonly clock?: Clock
  /** Resolves after this time without a notification. Needs the clock. */
  readonly timeoutMs?: number
  readonly signal?: AbortSignal | undefined
}

/**
 * Wakes the one loop that owns a resource. A notification that arrives while the loop does not wait is kept for its
 * next wait, so that none is lost; several count as one.
 */
export class Notifier {
  #isNotified = false
  #wake: (() => void) | null = null

  notify(): void {
    if (this.#wake === null) this.#isNotified = true
    else this.#wake()
  }

  /** Resolves at the next notification, at once when one is kept; rejects with StoppedError when the signal fires. */
  wait(options: WaitOptions = {}): Promise<void> {
    const { clock, timeoutMs, signal } = options
    if (signal?.aborted) return Promise.reject(new StoppedError())
    if (this.#isNotified) {
      this.#isNotified = false
      return Promise.resolve()
    }
    return new Promise((resolve, reject) => {
      const timer = timeoutMs === undefined ? undefined : clock?.after(timeoutMs, () => finish())
      const finish = (error?: Error): void => {
        timer?.cancel()
        signal?.removeEventListener('abort', onAbort)
        this.#wake = null
        if (error === undefined) resolve()
        else reject(error)
      }
      const onAbort = (): void => finish(new StoppedError())
      signal?.addEventListener('abort', onAbort, { once: true })
      this.#wake = () => finish()
    })
  }
}
