/**
 * Runs pieces of work one after the other, in the order given. A piece that fails does not keep the next from running.
 */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve()
  #pending = 0

  /** Whether no work is running or waiting. */
  get isEmpty(): boolean {
    return this.#pending === 0
  }

  /** Resolves or rejects as the work does. */
  run<T>(work: () => Promise<T>): Promise<T> {
    this.#pending += 1
    const result = this.#last.then(work).finally(() => (this.#pending -= 1))
    this.#last = result.catch(() => undefined)
    return result
  }

  /** Resolves when everything given so far is done. */
  async drain(): Promise<void> {
    await this.#last
  }
}
