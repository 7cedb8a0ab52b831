import { type BinlogEvent, type BinlogReader, type QueryEvent, transactionControl } from '@tributary/mysql'
import { isRetriable, StoppedError, toError } from '@tributary/support'
import { StatementPlace } from '../flavor/statement-place.ts'
import type { DdlInterpreter } from '../schema/ddl-interpreter.ts'
import type { DdlSession } from '../schema/ddl-session.ts'
import type { StatementTargets } from '../schema/statement-targets.ts'
import { type AheadRange, type BinlogAheadOptions, readAhead } from './binlog-ahead.ts'
import { placeOf } from './event-place.ts'
import { comparePlaces, type LogPlace } from './log-place.ts'
import { SpoolShortError } from './spool/spool-ahead.ts'
import { shortened } from './unlogged-rows.ts'

export interface StatementAhead {
  readonly targets: StatementTargets
  /** As written, up to 200 characters. */
  readonly text: string
  readonly place: LogPlace
  /** False: the statement only announces a change, or takes an announced one back. */
  readonly takesEffect: boolean
  /** To interpret it; null: it is not kept, since there are too many. */
  readonly written: WrittenStatement | null
}

export interface WrittenStatement {
  readonly sql: string
  readonly session: DdlSession
}

export type StatementsFound =
  /** `until`: before the end of the range when there was no time to read all of it. */
  | { readonly tag: 'statements'; readonly statements: readonly StatementAhead[]; readonly until: LogPlace }
  | { readonly tag: 'unknown'; readonly reason: string }

/**
 * The statements of the binlog that may have changed definitions, from the position of the stream on. Each part of the
 * binlog is read once: later tables use what was read for an earlier one.
 */
export class StatementsAhead {
  readonly #options: BinlogAheadOptions
  readonly #interpreter: Pick<DdlInterpreter, 'targetsOf' | 'sessionOf'>
  #statements: StatementAhead[] = []
  /** Characters of the texts that `#statements` has. */
  #characters = 0
  /** The part of the binlog that `#statements` covers, and the server it belongs to; null: no part yet. */
  #read: { readonly from: LogPlace; readonly until: LogPlace; readonly identity: string } | null = null

  constructor(options: BinlogAheadOptions, interpreter: Pick<DdlInterpreter, 'targetsOf' | 'sessionOf'>) {
    this.#options = options
    this.#interpreter = interpreter
  }

  /**
   * Returns the statements after `after` that were read for earlier calls; null when that is another part of the binlog.
   */
  known(after: LogPlace, identity: string): StatementsFound | null {
    const read = this.#read
    return read !== null && this.#covers(after, identity) ? this.#select(after, read.until) : null
  }

  /**
   * Returns the statements after `after`, up to `range.until`. After `range.limitMs`, those of the part that was read by
   * then.
   *
   * @throws retriable errors of the connection; SpoolShortError; StoppedError
   */
  async between(
    after: LogPlace,
    range: AheadRange & { readonly identity: string },
    signal: AbortSignal,
  ): Promise<StatementsFound> {
    const { until, identity } = range
    let reached: LogPlace | null = null
    try {
      reached = await this.#extend(after, range, signal)
    } catch (thrown) {
      this.#forget()
      const error = toError(thrown)
      if (isRetriable(error) || error instanceof StoppedError || error instanceof SpoolShortError) throw error
      // An event that this version cannot read is an error of the stream only once the stream meets it.
      return { tag: 'unknown', reason: `the binlog from there on cannot be read ahead (${error.message})` }
    }
    if (this.#statements.length > STATEMENTS_MAX) {
      this.#forget()
      return { tag: 'unknown', reason: `more than ${STATEMENTS_MAX} statements follow in the binlog` }
    }
    if (reached !== null && comparePlaces(reached, after) <= 0) {
      // Not even the transaction that has `after` could be read: nothing is known, and no dump may start there.
      this.#forget()
      return { tag: 'statements', statements: [], until: after }
    }
    if (reached !== null) this.#cut(reached)
    this.#read = { from: this.#read?.from ?? after, until: reached ?? until, identity }
    return this.#select(after, reached ?? until)
  }

  #select(after: LogPlace, until: LogPlace): StatementsFound {
    const statements = this.#statements.filter(
      ({ place }) => comparePlaces(place, after) >= 0 && comparePlaces(place, until) < 0,
    )
    return { tag: 'statements', statements, until }
  }

  #covers(after: LogPlace, identity: string): boolean {
    const read = this.#read
    return (
      read !== null &&
      read.identity === identity &&
      comparePlaces(read.from, after) <= 0 &&
      comparePlaces(after, read.until) <= 0
    )
  }

  /** Returns the place up to which the binlog was read, where a dump may start; null: all of the range. */
  async #extend(
    after: LogPlace,
    range: AheadRange & { readonly identity: string },
    signal: AbortSignal,
  ): Promise<LogPlace | null> {
    const { from, until, identity } = range
    const read = this.#covers(after, identity) ? this.#read : null
    if (read === null) this.#forget()
    else this.#pass(after)
    const start = read === null ? from : read.until
    if (read !== null && comparePlaces(read.until, until) >= 0) return null
    const begin = { from: after, until: read === null ? after : read.until, identity }
    const statementPlace = new StatementPlace()
    const onEvent = (event: BinlogEvent, reader: BinlogReader): void => {
      statementPlace.observe(event)
      const place = { file: reader.file, position: reader.position }
      if (event.tag === 'query' && comparePlaces(place, begin.until) >= 0) this.#add(event, statementPlace, place)
    }
    const reached = await readAhead(this.#options, { ...range, from: start }, onEvent, signal)
    this.#read = begin
    return reached
  }

  #add(event: QueryEvent, { takesEffect, isInTransaction }: StatementPlace, place: LogPlace): void {
    if (this.#statements.length > STATEMENTS_MAX || transactionControl(event.sql) !== null) return
    const { sql } = event
    const session = { ...this.#interpreter.sessionOf(event), isPrinted: isInTransaction }
    const targets = this.#interpreter.targetsOf(sql, session)
    if (targets.tag === 'none') return
    this.#characters += sql.length
    const written = takesEffect && this.#characters <= CHARACTERS_MAX ? { sql, session } : null
    this.#statements.push({ targets, text: shortened(sql), place, written, takesEffect })
  }

  /** The stream has passed what is before `after`. */
  #pass(after: LogPlace): void {
    this.#keep(({ place }) => comparePlaces(place, after) >= 0)
  }

  /** What begins at `until` is read again. */
  #cut(until: LogPlace): void {
    this.#keep(({ place }) => comparePlaces(place, until) < 0)
  }

  #keep(isKept: (statement: StatementAhead) => boolean): void {
    this.#statements = this.#statements.filter(isKept)
    this.#characters = this.#statements.reduce((sum, { written }) => sum + (written?.sql.length ?? 0), 0)
  }

  #forget(): void {
    this.#statements = []
    this.#characters = 0
    this.#read = null
  }
}

/** `'ALTER TABLE t …' at binlog.000003:4512`, for messages. */
export function describeStatement({ text, place }: StatementAhead): string {
  return `'${text}' at ${placeOf(place)}`
}

/** About 40 MB. With more, finding out what happened to a table would take too long. */
const STATEMENTS_MAX = 100_000
/** Of the texts that are kept to be interpreted. */
const CHARACTERS_MAX = 20_000_000
