import type { LogFields, Logger } from '@tributary/support'

/**
 * A warning about records. Each record of a table may cause it, so it is logged for the 1st, 10th, 100th … occurrence,
 * with their number.
 */
export class SparseWarning {
  readonly #logger: Logger
  readonly #level: 'warn' | 'error'
  #count = 0
  #nextLogged = 1

  constructor(logger: Logger, level: 'warn' | 'error' = 'warn') {
    this.#logger = logger
    this.#level = level
  }

  log(message: string, fields: LogFields): void {
    this.#count += 1
    if (this.#count < this.#nextLogged) return
    this.#nextLogged *= 10
    this.#logger[this.#level](message, { ...fields, occurrences: this.#count })
  }
}
