import type { LogFields, Logger } from '@tributary/support'
import { describeError } from '@tributary/support'

/** A logger that keeps the warnings and errors of a rehearsal, each once. */
export class WatchedLog implements Logger {
  readonly #kept: Set<string>
  readonly #target: Logger

  constructor(target: Logger, kept: Set<string> = new Set()) {
    this.#target = target
    this.#kept = kept
  }

  /** The first of them. */
  get warnings(): readonly string[] {
    return [...this.#kept]
  }

  debug(message: string, fields?: LogFields): void {
    this.#target.debug(message, fields)
  }

  info(message: string, fields?: LogFields): void {
    this.#target.info(message, fields)
  }

  warn(message: string, fields?: LogFields): void {
    this.#keep(message, fields)
    this.#target.warn(message, fields)
  }

  error(message: string, fields?: LogFields): void {
    this.#keep(message, fields)
    this.#target.error(message, fields)
  }

  child(fields: LogFields): Logger {
    return new WatchedLog(this.#target.child(fields), this.#kept)
  }

  #keep(message: string, fields: LogFields | undefined): void {
    if (this.#kept.size >= KEPT_MAX) return
    const error = fields?.['error']
    this.#kept.add(error === undefined ? message : `${message}: ${describeError(error)}`)
  }
}

const KEPT_MAX = 50
