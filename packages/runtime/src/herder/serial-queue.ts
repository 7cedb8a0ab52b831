/** Runs pieces of work one after the other, in the order given. A piece that fails does not keep the next from running. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve()

  /** Resolves or rejects as the work does. */
  run<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work)
    this.#last = result.catch(() => undefined)
    return result
  }

  /** Resolves when everything given so far is done. */
  async drain(): Promise<void> {
    await this.#last
  }
}
