import type { Column, TableId } from '@tributary/connector-kit'
import { answeredWithin, serverErrno, type TableMap } from '@tributary/mysql'
import { type Clock, CodedError, isRetriable, type Logger } from '@tributary/support'
import type { Flavor } from '../flavor/flavor.ts'
import type { DdlInterpreter } from '../schema/ddl-interpreter.ts'
import type { MySqlTable } from '../schema/mysql-table.ts'
import type { TableCompiler } from '../tables/captured-table.ts'
import { definitionDifference, isMoreThanShown, withMembersOf } from '../tables/definition-difference.ts'
import { columnMismatch } from '../tables/map-mismatch.ts'
import { printTable } from '../tables/print-table.ts'
import { DefinitionAnswers } from './definition-answers.ts'
import type { DefinitionFinder, DefinitionPlace, Doubt, FinderSession } from './definition-finder.ts'
import { placeOf } from './event-place.ts'
import { comparePlaces, type LogPlace } from './log-place.ts'
import { bindRows, detailsOf } from './row-binding.ts'
import type { RowProof } from './rows-ahead.ts'
import { describeStatement, type StatementAhead, type WrittenStatement } from './statements-ahead.ts'

export interface DefinitionCheckOptions {
  readonly interpreter: DdlInterpreter
  /** One with the same settings, which knows nothing. */
  readonly createInterpreter: () => DdlInterpreter
  readonly finder: Pick<
    DefinitionFinder,
    'open' | 'position' | 'knownAfter' | 'statementsAfter' | 'follow' | 'whyChangedAfter' | 'whyNotInUse'
  >
  readonly compiler: TableCompiler
  readonly flavor: Flavor['name']
  /** host:port of the server, for errors. */
  readonly address: string
  readonly clock: Clock
  readonly logger: Logger
}

/** Rows that the known definition fits, under a table number that is new. */
export interface FittingRows {
  readonly id: TableId
  readonly map: TableMap
  readonly place: DefinitionPlace
  readonly proof: RowProof
}

export type CheckedDefinition =
  /**
   * Nothing shows that the table was changed by a statement that is not in the binlog. `isFinal`: this is so for all rows
   * under that number; else the check has to be repeated, and answers at once until there is more to know.
   */
  | { readonly tag: 'unchanged'; readonly isFinal: boolean }
  /** It was, and this is the definition of the rows. */
  | { readonly tag: 'changed'; readonly table: MySqlTable; readonly createSql: string; readonly how: string }
  /** It was, and whether before the rows or after them is not known. */
  | { readonly tag: 'unclear'; readonly reason: string }

/** The definition that the server has now, beside the one to which the known definition and the binlog lead. */
type Current =
  | { readonly tag: 'same' }
  /** What differs shows in table maps: it was changed after the rows. */
  | { readonly tag: 'later' }
  /** Members of ENUM or SET were added without log. */
  | { readonly tag: 'extended'; readonly table: MySqlTable }
  | {
      readonly tag: 'other'
      readonly table: MySqlTable
      readonly createSql: string
      /** What differs. */
      readonly what: string
      /** False: the rows may be of this definition. */
      readonly isMisfit: boolean
    }

type OtherCurrent = Extract<Current, { tag: 'other' }>

const UNCHANGED: CheckedDefinition = { tag: 'unchanged', isFinal: true }
const POSTPONED: CheckedDefinition = { tag: 'unchanged', isFinal: false }

/**
 * Finds out whether a table was changed by a statement that is not in the binlog, and that leaves no trace in table maps
 * without names: columns of one type exchange their names, members of an ENUM their places.
 *
 * The servers give a table a new number whenever its definition changes. They do so, too, after FLUSH TABLES, when the
 * cache of open tables was too small, and when they start; and a task that starts knows no numbers. So a new number is a
 * reason to compare the known definition with that of the server, no more:
 *
 * ```
 *  row with a new number ── logged statements about the table ──▶ definition of now
 *       known definition ── the same statements ────────────────▶ must be that one
 * ```
 *
 * - If they are equal, nothing was changed without log, as far as it still shows. All rows up to there need no check.
 * - If they differ in what a table map contains, the change is later than the rows.
 * - If they differ in something else, the definition of now is proved to be that of the rows, or the table stops.
 */
export class DefinitionCheck {
  readonly #options: DefinitionCheckOptions
  #kept: (FinderSession & { usedMs: number }) | null = null
  readonly #answers: DefinitionAnswers
  #aheadAgainMs = 0
  readonly #warnedOf = new Set<string>()

  constructor(options: DefinitionCheckOptions) {
    this.#options = options
    this.#answers = new DefinitionAnswers(options.clock)
  }

  /** The answer of `of` when no comparison is needed, or none is possible yet; else null. */
  answered(place: DefinitionPlace, known: MySqlTable): CheckedDefinition | null {
    const answer = this.#answers.of(place, known)
    if (answer === null) return null
    return answer === 'final' ? UNCHANGED : POSTPONED
  }

  /**
   * @param known the definition in the model
   * @throws retriable errors when the connection is lost; StoppedError
   */
  async of(rows: FittingRows, known: MySqlTable, signal: AbortSignal): Promise<CheckedDefinition> {
    const answered = this.answered(rows.place, known)
    if (answered !== null) return answered
    const { clock, address } = this.#options
    const doing = (): string => `comparing the definition of ${rows.id.toString()}`
    try {
      const result = await answeredWithin(
        { clock, limitMs: ANSWER_MS_MAX, address, doing },
        async (limit) => {
          const session = await this.#session(rows.place, limit)
          const compared = await this.#compare(rows, known, session, limit)
          session.usedMs = clock.monotonicMs()
          return compared
        },
        signal,
      )
      return this.#withPostponed(rows, result)
    } catch (error) {
      return this.#recover(error, rows)
    }
  }

  /** What is to be done without a comparison; throws when the stream has to know. */
  async #recover(error: unknown, { id, place }: FittingRows): Promise<CheckedDefinition> {
    const isOpen = this.#kept !== null
    const isCoded = error instanceof CodedError
    const isLock = isCoded && serverErrno(error) === LOCK_WAIT_TIMEOUT
    const isRefusal = isCoded && !isRetriable(error)
    if (!(isOpen && (isLock || isRefusal))) await this.#closeSession()
    if (!isCoded) throw error
    if (isRefusal) {
      this.#warn(`cannot be compared with those of the server (${error.message})`, error)
      this.#answers.pause(isOpen ? id : null, REFUSED_MS, 'final')
      return UNCHANGED
    }
    // The stream continues: it needs neither the connection nor the lock that the server refused.
    if (!POSTPONING.has(error.code)) throw error
    this.#warnPostponed(isLock ? id : null, error)
    this.#answers.pause(isLock ? id : null, isLock ? LOCKED_MS : BUSY_MS, 'postponed')
    this.#answers.notePostponed(id, place.after)
    return POSTPONED
  }

  /** Rows that were sent without the comparison cannot be taken back: the log names them when a change shows only now. */
  #withPostponed({ id }: FittingRows, result: CheckedDefinition): CheckedDefinition {
    if (result.tag === 'unchanged') return result
    const since = this.#answers.takePostponed(id)
    if (since === null) return result
    const loss = `rows from ${placeOf(since)} up to here were read by the earlier definition and may be wrong`
    this.#options.logger.error(`${id.toString()} was changed without the binlog: ${loss}`)
    return result.tag === 'changed'
      ? { ...result, how: `${result.how}; ${loss}` }
      : { ...result, reason: `${result.reason}; ${loss}` }
  }

  async #session(place: DefinitionPlace, signal: AbortSignal): Promise<FinderSession & { usedMs: number }> {
    const { finder, clock } = this.#options
    this.#kept ??= { ...(await finder.open(place, signal, LOCK_WAIT_SECONDS)), usedMs: clock.monotonicMs() }
    return this.#kept
  }

  async #compare(
    rows: FittingRows,
    known: MySqlTable,
    opened: FinderSession,
    signal: AbortSignal,
  ): Promise<CheckedDefinition> {
    const { finder } = this.#options
    const { id, place } = rows
    const { session, identity } = opened
    const before = await finder.position(session, signal)
    const createSql = await session.createStatement(id, signal)
    const current = createSql === null ? null : this.#options.interpreter.derive(id, createSql)
    const difference = current === null ? null : definitionDifference(known, current)
    const check = { rows, known, opened, isOther: difference !== null && difference.tag !== 'same' }
    if (difference?.tag === 'same') return this.#passed(check, before)
    // What was read ahead for other tables often explains the difference.
    const read = finder.knownAfter(place, identity)
    if (read?.tag === 'statements' && (await this.#explains(check, read.statements, signal)))
      return this.#passed(check, before)
    return this.#lookAhead(check, signal)
  }

  #passed({ known, opened }: Check, until: LogPlace): CheckedDefinition {
    this.#answers.set(known, { identity: opened.identity, until, answer: 'final' })
    return UNCHANGED
  }

  /** What cannot be compared yet is compared when the stream gets to the place. */
  #postpone({ rows, known, opened, isOther }: Check, until: LogPlace, reason: string): CheckedDefinition {
    const { logger } = this.#options
    const text = `Whether ${rows.id.toString()} was changed without the binlog is checked again at ${placeOf(until)}: ${reason}`
    if (isOther)
      logger.warn(`${text}. The server has another definition now; until then, rows are read by the known one`)
    else logger.info(text)
    this.#answers.set(known, { identity: opened.identity, until, answer: 'postponed' })
    this.#answers.notePostponed(rows.id, rows.place.after)
    return POSTPONED
  }

  /** Whether the known definition and these statements lead to the definition of now. */
  async #explains(check: Check, statements: readonly StatementAhead[], signal: AbortSignal): Promise<boolean> {
    const later = this.#later(check, statements)
    if (later.table === null || later.concerning.length === 0) return false
    return (await this.#currentOf(check, later.name, later.table, signal)).tag === 'same'
  }

  async #lookAhead(check: Check, signal: AbortSignal): Promise<CheckedDefinition> {
    const { finder, clock } = this.#options
    const { rows, opened } = check
    const { id, place } = rows
    const { session, identity } = opened
    const until = await finder.position(session, signal)
    const startMs = clock.monotonicMs()
    if (startMs < this.#aheadAgainMs) return this.#postpone(check, until, LAGGING)
    const found = await finder.statementsAfter(place, { identity, until, limitMs: AHEAD_MS_MAX }, signal)
    if (clock.monotonicMs() - startMs > AHEAD_MS_MAX) this.#aheadAgainMs = clock.monotonicMs() + AHEAD_PAUSE_MS
    if (found.tag === 'unknown') return this.#postpone(check, until, found.reason)
    const later = this.#later(check, found.statements)
    if (later.table === null) return this.#postpone(check, until, 'the definition after later statements is not known')
    const current = await this.#currentOf(check, later.name, later.table, signal)
    if (current.tag === 'same') return this.#passed(check, until)
    if (comparePlaces(found.until, until) < 0) return this.#postpone(check, until, LAGGING)
    const now = await finder.position(session, signal)
    const during = await finder.statementsAfter(place, { identity, until: now, limitMs: AHEAD_MS_MAX }, signal)
    const isStill =
      during.tag === 'statements' &&
      comparePlaces(during.until, now) >= 0 &&
      finder.follow(during.statements, id).statements.length === later.concerning.length
    if (!isStill) return this.#postpone(check, now, 'the table was changed at this moment')
    if (current.tag === 'later') return this.#passed(check, until)
    if (current.tag === 'extended') return this.#extended(check, later, current.table)
    return this.#judge(check, current, { ...later, readAt: now }, signal)
  }

  /**
   * Only the members enter the model. Everything else of the definition of now may be of statements that follow in the
   * binlog, which could not be applied to it once more.
   */
  #extended({ known }: Check, { written, name, concerning }: Later, current: MySqlTable): CheckedDefinition {
    const table = withMembersOf(known, current)
    const later = table === null ? null : concerning.length === 0 ? table : this.#derived(table, written, name)
    const difference = later === null ? null : definitionDifference(later, current).tag
    if (table === null || (difference !== 'same' && difference !== 'extended'))
      return { tag: 'unclear', reason: `${MEMBERS_ADDED}, and the binlog has later statements about its columns` }
    // The members are of a column that the rows do not have yet: the answer is for this number only.
    if (table === known) return UNCHANGED
    const createSql = printTable(table, (of, sql) => this.#options.interpreter.derive(of, sql))
    return { tag: 'changed', table, createSql, how: MEMBERS_ADDED }
  }

  /** The definition and the name after statements; null when the definition does not follow from them. */
  #later({ rows, known }: Check, statements: readonly StatementAhead[]): Later {
    const { name, statements: concerning } = this.#options.finder.follow(statements, rows.id)
    if (concerning.length === 0) return { table: known, name, concerning, written: [] }
    const effective = concerning.filter(({ takesEffect }) => takesEffect)
    const written = effective.flatMap((statement) => statement.written ?? [])
    const isDerivable =
      written.length === effective.length && statements.every(({ targets }) => targets.tag !== 'database defaults')
    return { table: isDerivable ? this.#derived(known, written, name) : null, name, concerning, written }
  }

  #derived(known: MySqlTable, statements: readonly WrittenStatement[], name: TableId): MySqlTable | null {
    const { interpreter, createInterpreter } = this.#options
    const copy = createInterpreter()
    copy.restore({ ...interpreter.state, tables: [known] })
    for (const { sql, session } of statements) if (copy.interpret(sql, session).error !== null) return null
    return copy.tables.get(name) ?? null
  }

  async #currentOf(
    { rows, opened, known }: Check,
    name: TableId,
    later: MySqlTable,
    signal: AbortSignal,
  ): Promise<Current> {
    const createSql = await opened.session.createStatement(name, signal)
    const table = createSql === null ? null : this.#options.interpreter.derive(name, createSql)
    if (createSql === null || table === null) return { tag: 'later' }
    const difference = definitionDifference(later, table)
    if (difference.tag !== 'hidden' && difference.tag !== 'visible')
      return difference.tag === 'same' ? { tag: 'same' } : { tag: 'extended', table }
    // Without statements in between, the map itself may show that the rows are not of that definition.
    const isOfRows = later === known
    const isShown = isOfRows && bindRows(this.#options.compiler.compileOnce(table), rows.map).tag === 'unknown'
    const isMisfit = isShown || difference.tag === 'visible'
    const shows = isOfRows ? contradictedBy(rows.map) : () => false
    if (isMisfit && !isMoreThanShown(later, table, shows)) return { tag: 'later' }
    return { tag: 'other', table, createSql, what: difference.what, isMisfit }
  }

  async #judge(
    check: Check,
    { table, createSql, what: difference, isMisfit }: OtherCurrent,
    { name, concerning, readAt }: Later & { readonly readAt: LogPlace },
    signal: AbortSignal,
  ): Promise<CheckedDefinition> {
    const { rows, opened } = check
    const { id } = rows
    const what = `a statement that is not in the binlog has changed it: on the server, ${difference}`
    const [first] = concerning
    const others =
      first === undefined
        ? isMisfit
          ? 'it was changed more than once'
          : null
        : `the binlog has later statements about it, such as ${describeStatement(first)}`
    const doubt: Doubt =
      others === null ? await this.#doubt(rows, { name, readAt }, opened, signal) : { tag: 'doubt', reason: others }
    if (doubt.tag === 'unread') return this.#postpone(check, readAt, LAGGING)
    if (doubt.tag === 'doubt') return { tag: 'unclear', reason: `${what}, and ${doubt.reason}` }
    return { tag: 'changed', table: { ...table, id }, createSql, how: what }
  }

  /** Why the definition of now may not be that of the rows. */
  async #doubt(
    { id, place, proof }: FittingRows,
    { name, readAt }: { readonly name: TableId; readonly readAt: LogPlace },
    opened: FinderSession,
    signal: AbortSignal,
  ): Promise<Doubt> {
    const { finder, flavor } = this.#options
    // On MySQL the time of a change proves nothing: it stays the same when another table gets the name.
    if (flavor === 'mariadb') return finder.whyChangedAfter({ id, name, limitMs: AHEAD_MS_MAX }, place, proof, signal)
    return finder.whyNotInUse(opened, id, { place, readAt, tableId: proof.tableId, limitMs: AHEAD_MS_MAX }, signal)
  }

  #warn(what: string, error: CodedError): void {
    if (this.#warnedOf.has(error.code)) return
    this.#warnedOf.add(error.code)
    this.#options.logger.warn(
      `Definitions of tables ${what}: columns that exchange their names by a statement that is not in the binlog are not noticed`,
      { error },
    )
  }

  #warnPostponed(id: TableId | null, error: CodedError): void {
    const key = `${error.code} ${id?.toString() ?? ''}`
    if (this.#warnedOf.has(key)) return
    if (this.#warnedOf.size >= WARNED_MAX) this.#warnedOf.clear()
    this.#warnedOf.add(key)
    const what = id === null ? 'any table' : id.toString()
    this.#options.logger.warn(
      `Whether ${what} was changed without the binlog cannot be checked now, and is checked again every few seconds; until then, rows are read by the known definition`,
      { error },
    )
  }

  /** To be called after each poll: a session that is not needed is closed. */
  async release(): Promise<void> {
    const kept = this.#kept
    if (kept !== null && this.#options.clock.monotonicMs() - kept.usedMs > IDLE_MS_MAX) await this.#closeSession()
  }

  /** To be called when the connection of the stream ends. */
  async close(): Promise<void> {
    this.#answers.forgetPlaces()
    await this.#closeSession()
  }

  async #closeSession(): Promise<void> {
    const kept = this.#kept
    this.#kept = null
    await kept?.session[Symbol.asyncDispose]()
  }
}

/** Whether a column that changed its type contradicts the map, so that rows show the change. */
function contradictedBy(map: TableMap): (column: Column, index: number) => boolean {
  const details = detailsOf(map)
  return (column, index) => {
    const [wire, detail] = [map.columns[index], details?.columns[index]]
    return wire !== undefined && detail !== undefined && columnMismatch(column, wire, detail) !== null
  }
}

/** A table after statements. */
interface Later {
  /** Null: not known. */
  readonly table: MySqlTable | null
  readonly name: TableId
  readonly concerning: readonly StatementAhead[]
  /** Those that take effect, to interpret them; not complete when the table is null. */
  readonly written: readonly WrittenStatement[]
}

interface Check {
  readonly rows: FittingRows
  readonly known: MySqlTable
  readonly opened: FinderSession
  /** Whether the server has another definition now, for whatever reason. */
  readonly isOther: boolean
}

const LAGGING = 'the stream has too much of the binlog before it'
/** Reading ahead delays all tables. */
const AHEAD_MS_MAX = 5_000
const AHEAD_PAUSE_MS = 60_000
/** Rows of many tables often get new numbers one after the other. */
const IDLE_MS_MAX = 5_000
/** The stream waits for the comparison: it must not wait long for a lock that another session holds for minutes. */
const LOCK_WAIT_SECONDS = 2
/** ER_LOCK_WAIT_TIMEOUT, also for metadata locks. */
const LOCK_WAIT_TIMEOUT = 1205
/** Waiting for the locks of a few tables must not take a larger part of the time than reading the stream. */
const LOCKED_MS = 30_000
const BUSY_MS = 10_000
/** A privilege that is missing now is hardly there with the next number. */
const REFUSED_MS = 60_000
/** Errors of the server that do not end the stream. An address of several servers may lead to another one. */
const POSTPONING: ReadonlySet<string> = new Set(['MYSQL_BUSY', 'DEFINITION_ELSEWHERE'])
/** As long as the server has for the answer to one statement of the stream. */
const ANSWER_MS_MAX = 90_000
/** They are per table, whose number has no limit. */
const WARNED_MAX = 1_000
const MEMBERS_ADDED = 'a statement that is not in the binlog has added members of ENUM or SET'
