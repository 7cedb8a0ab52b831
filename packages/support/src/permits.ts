import { StoppedError } from './errors.ts'

/** Limits how many pieces of work run at the same time. The others wait in the order in which they came. */
export class Permits {
  #free: number
  /** Keeps the order of insertion. */
  readonly #waiting = new Set<() => void>()

  constructor(count: number) {
    this.#free = count
  }

  /**
   * Runs the work when fewer than the limit run.
   *
   * @throws StoppedError when the signal fires before the work begins; then it does not run
   */
  async run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    await this.#acquire(signal)
    try {
      return await work()
    } finally {
      this.#release()
    }
  }

  #acquire(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.reject(new StoppedError())
    if (this.#free > 0) {
      this.#free--
      return Promise.resolve()
    }
    return new Promise((resolve, reject) => {
      const begin = (): void => {
        signal.removeEventListener('abort', stop)
        resolve()
      }
      const stop = (): void => {
        this.#waiting.delete(begin)
        reject(new StoppedError())
      }
      this.#waiting.add(begin)
      signal.addEventListener('abort', stop, { once: true })
    })
  }

  /** Passes the permit on to the one that has waited longest. */
  #release(): void {
    const [next] = this.#waiting
    if (next === undefined) {
      this.#free++
      return
    }
    this.#waiting.delete(next)
    next()
  }
}
