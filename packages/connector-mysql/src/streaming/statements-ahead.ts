import { transactionControl } from '@tributary/mysql'
import { isRetriable, StoppedError, toError } from '@tributary/support'
import type { DdlInterpreter } from '../schema/ddl-interpreter.ts'
import type { StatementTargets } from '../schema/statement-targets.ts'
import { type AheadRange, type BinlogAheadOptions, readAhead } from './binlog-ahead.ts'
import { placeOf } from './event-place.ts'
import { comparePlaces, type LogPlace } from './log-place.ts'
import { shortened } from './unlogged-rows.ts'

export interface StatementAhead {
  readonly targets: StatementTargets
  /** As written, up to 200 characters. */
  readonly text: string
  readonly place: LogPlace
}

export type StatementsFound =
  | { readonly tag: 'statements'; readonly statements: readonly StatementAhead[] }
  | { readonly tag: 'unknown'; readonly reason: string }

/**
 * The statements of the binlog that may have changed definitions, from the position of the stream on. Each part of the
 * binlog is read once: later tables use what was read for an earlier one.
 */
export class StatementsAhead {
  readonly #options: BinlogAheadOptions
  readonly #interpreter: Pick<DdlInterpreter, 'targetsOf' | 'sessionOf'>
  #statements: StatementAhead[] = []
  /** The part of the binlog that `#statements` covers, and the server it belongs to; null: no part yet. */
  #read: { readonly from: LogPlace; readonly until: LogPlace; readonly identity: string } | null = null

  constructor(options: BinlogAheadOptions, interpreter: Pick<DdlInterpreter, 'targetsOf' | 'sessionOf'>) {
    this.#options = options
    this.#interpreter = interpreter
  }

  /**
   * Returns the statements after `after`, up to `range.until`.
   *
   * @throws retriable errors of the connection; StoppedError
   */
  async between(
    after: LogPlace,
    range: AheadRange & { readonly identity: string },
    signal: AbortSignal,
  ): Promise<StatementsFound> {
    const { until, identity } = range
    try {
      await this.#extend(after, range, signal)
    } catch (thrown) {
      this.#forget()
      const error = toError(thrown)
      if (error instanceof StoppedError || isRetriable(error)) throw error
      // An event that this version cannot read is an error of the stream only once the stream meets it.
      return { tag: 'unknown', reason: `the binlog from there on cannot be read ahead (${error.message})` }
    }
    if (this.#statements.length > STATEMENTS_MAX) {
      this.#forget()
      return { tag: 'unknown', reason: `more than ${STATEMENTS_MAX} statements follow in the binlog` }
    }
    this.#read = { from: this.#read?.from ?? after, until, identity }
    const found = this.#statements.filter(
      ({ place }) => comparePlaces(place, after) >= 0 && comparePlaces(place, until) < 0,
    )
    return { tag: 'statements', statements: found }
  }

  async #extend(
    after: LogPlace,
    { from, until, inspect, identity }: AheadRange & { readonly identity: string },
    signal: AbortSignal,
  ): Promise<void> {
    const read = this.#read
    const isCovered =
      read !== null &&
      read.identity === identity &&
      comparePlaces(read.from, after) <= 0 &&
      comparePlaces(after, read.until) <= 0
    if (!isCovered) this.#forget()
    // The stream has passed them.
    else this.#statements = this.#statements.filter(({ place }) => comparePlaces(place, after) >= 0)
    const start = isCovered ? read.until : from
    if (isCovered && comparePlaces(read.until, until) >= 0) return
    const begin = isCovered ? { from: after, until: read.until, identity } : { from: after, until: after, identity }
    await readAhead(
      this.#options,
      { from: start, until, inspect },
      (event, reader) => {
        if (event.tag !== 'query' || this.#statements.length > STATEMENTS_MAX) return
        if (transactionControl(event.sql) !== null) return
        const place = { file: reader.file, position: reader.position }
        if (comparePlaces(place, begin.until) < 0) return
        const targets = this.#interpreter.targetsOf(event.sql, this.#interpreter.sessionOf(event))
        if (targets.tag !== 'none') this.#statements.push({ targets, text: shortened(event.sql), place })
      },
      signal,
    )
    this.#read = begin
  }

  #forget(): void {
    this.#statements = []
    this.#read = null
  }
}

/** `'ALTER TABLE t …' at binlog.000003:4512`, for messages. */
export function describeStatement({ text, place }: StatementAhead): string {
  return `'${text}' at ${placeOf(place)}`
}

/** About 40 MB. With more, finding out what happened to a table would take too long. */
const STATEMENTS_MAX = 100_000
