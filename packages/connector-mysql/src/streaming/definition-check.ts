import type { TableId } from '@tributary/connector-kit'
import type { TableMap } from '@tributary/mysql'
import { type Clock, CodedError, isRetriable, type Logger, StoppedError } from '@tributary/support'
import type { Flavor } from '../flavor/flavor.ts'
import type { DdlInterpreter } from '../schema/ddl-interpreter.ts'
import type { MySqlTable } from '../schema/mysql-table.ts'
import type { TableCompiler } from '../tables/captured-table.ts'
import { definitionDifference, isReordered } from '../tables/definition-difference.ts'
import type { DefinitionFinder, DefinitionPlace, FinderSession } from './definition-finder.ts'
import { comparePlaces, type LogPlace } from './log-place.ts'
import { bindRows } from './row-binding.ts'
import type { RowProof } from './rows-ahead.ts'
import { describeStatement, type StatementAhead, type WrittenStatement } from './statements-ahead.ts'

export interface DefinitionCheckOptions {
  readonly interpreter: DdlInterpreter
  /** One with the same settings, which knows nothing. */
  readonly createInterpreter: () => DdlInterpreter
  readonly finder: DefinitionFinder
  readonly compiler: TableCompiler
  readonly flavor: Flavor['name']
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
  /** For each table the server and the place up to which its rows need no check. */
  readonly #checked = new Map<TableId, CheckedPart>()
  #aheadAgainMs = 0
  readonly #warnedOf = new Set<string>()

  constructor(options: DefinitionCheckOptions) {
    this.#options = options
  }

  /**
   * @param known the definition in the model
   * @throws retriable errors of the connection; StoppedError
   */
  async of(rows: FittingRows, known: MySqlTable, signal: AbortSignal): Promise<CheckedDefinition> {
    const checked = this.#checkedBefore(rows)
    if (checked !== null) return checked
    try {
      const session = await this.#session(rows.place, signal)
      const result = await this.#compare(rows, known, session, signal)
      session.usedMs = this.#options.clock.monotonicMs()
      return result
    } catch (error) {
      await this.close()
      if (error instanceof StoppedError || !(error instanceof CodedError) || isRetriable(error)) throw error
      this.#warn(`cannot be compared with those of the server (${error.message})`, error)
      return UNCHANGED
    }
  }

  #checkedBefore({ id, place }: FittingRows): CheckedDefinition | null {
    const checked = this.#checked.get(id)
    if (checked === undefined || (place.identity !== null && checked.identity !== place.identity)) return null
    if (comparePlaces(place.after, checked.until) > 0) return null
    return checked.isFinal ? UNCHANGED : POSTPONED
  }

  async #session(place: DefinitionPlace, signal: AbortSignal): Promise<FinderSession & { usedMs: number }> {
    const { finder, clock } = this.#options
    this.#kept ??= { ...(await finder.open(place, signal)), usedMs: clock.monotonicMs() }
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
    const createSql = await session.createStatement(id)
    const current = createSql === null ? null : this.#derive(id, createSql)
    const difference = current === null ? null : definitionDifference(known, current)
    if (difference?.tag === 'same') return this.#passed(id, identity, before)
    if (difference?.tag === 'extended' && current !== null && createSql !== null)
      return { tag: 'changed', table: current, createSql, how: 'it has more members of ENUM or SET' }
    const check = { rows, known, opened }
    // What was read ahead for other tables often explains the difference.
    const read = finder.knownAfter(place, identity)
    if (read?.tag === 'statements' && (await this.#explains(check, read.statements)))
      return this.#passed(id, identity, before)
    return this.#lookAhead(check, signal)
  }

  #passed(id: TableId, identity: string, until: LogPlace): CheckedDefinition {
    this.#checked.set(id, { identity, until, isFinal: true })
    return UNCHANGED
  }

  /** What cannot be compared yet is compared when the stream gets to the place. */
  #postpone(id: TableId, identity: string, until: LogPlace, reason: string): CheckedDefinition {
    this.#options.logger.info(
      `Whether ${id.toString()} was changed without the binlog is checked again at ${until.file}:${until.position}: ${reason}`,
    )
    this.#checked.set(id, { identity, until, isFinal: false })
    return POSTPONED
  }

  /** Whether the known definition and these statements lead to the definition of now. */
  async #explains(check: Check, statements: readonly StatementAhead[]): Promise<boolean> {
    const later = this.#later(check, statements)
    if (later.table === null || later.concerning.length === 0) return false
    return (await this.#currentOf(check, later.name, later.table)).tag === 'same'
  }

  async #lookAhead(check: Check, signal: AbortSignal): Promise<CheckedDefinition> {
    const { finder, clock } = this.#options
    const { rows, opened } = check
    const { id, place } = rows
    const { session, identity } = opened
    const until = await finder.position(session, signal)
    const startMs = clock.monotonicMs()
    if (startMs < this.#aheadAgainMs) return this.#postpone(id, identity, until, LAGGING)
    const found = await finder.statementsAfter(place, { identity, until, limitMs: AHEAD_MS_MAX }, signal)
    if (clock.monotonicMs() - startMs > AHEAD_MS_MAX) this.#aheadAgainMs = clock.monotonicMs() + AHEAD_PAUSE_MS
    if (found.tag === 'unknown') return this.#postpone(id, identity, until, found.reason)
    const later = this.#later(check, found.statements)
    if (later.table === null)
      return this.#postpone(id, identity, until, 'the definition after later statements is not known')
    const current = await this.#currentOf(check, later.name, later.table)
    if (current.tag === 'same') return this.#passed(id, identity, until)
    if (comparePlaces(found.until, until) < 0) return this.#postpone(id, identity, until, LAGGING)
    const now = await finder.position(session, signal)
    const during = await finder.statementsAfter(place, { identity, until: now }, signal)
    const isStill =
      during.tag === 'statements' && finder.follow(during.statements, id).statements.length === later.concerning.length
    if (!isStill) return this.#postpone(id, identity, now, 'the table was changed at this moment')
    if (current.tag === 'later') return this.#passed(id, identity, until)
    return this.#judge(check, current, { ...later, readAt: now }, signal)
  }

  /** The definition and the name after statements; null when the definition does not follow from them. */
  #later({ rows, known }: Check, statements: readonly StatementAhead[]): Later {
    const { name, statements: concerning } = this.#options.finder.follow(statements, rows.id)
    if (concerning.length === 0) return { table: known, name, concerning }
    const effective = concerning.filter(({ takesEffect }) => takesEffect)
    const written = effective.flatMap((statement) => statement.written ?? [])
    const isDerivable =
      written.length === effective.length && statements.every(({ targets }) => targets.tag !== 'database defaults')
    return { table: isDerivable ? this.#derived(known, written, name) : null, name, concerning }
  }

  #derived(known: MySqlTable, statements: readonly WrittenStatement[], name: TableId): MySqlTable | null {
    const { interpreter, createInterpreter } = this.#options
    const copy = createInterpreter()
    copy.restore({ ...interpreter.state, tables: [known] })
    for (const { sql, session } of statements) if (copy.interpret(sql, session).error !== null) return null
    return copy.tables.get(name) ?? null
  }

  async #currentOf({ rows, opened, known }: Check, name: TableId, later: MySqlTable): Promise<Current> {
    const createSql = await opened.session.createStatement(name)
    const table = createSql === null ? null : this.#derive(name, createSql)
    if (createSql === null || table === null) return { tag: 'later' }
    const difference = definitionDifference(later, table)
    if (difference.tag !== 'hidden' && difference.tag !== 'visible') return { tag: 'same' }
    // Without statements in between, the map itself may show that the rows are not of that definition.
    const isShown = later === known && bindRows(this.#options.compiler.compileOnce(table), rows.map).tag === 'unknown'
    const isMisfit = isShown || difference.tag === 'visible'
    if (isMisfit && !isReordered(later, table)) return { tag: 'later' }
    return { tag: 'other', table, createSql, what: difference.what, isMisfit }
  }

  async #judge(
    { rows, opened }: Check,
    { table, createSql, what: difference, isMisfit }: OtherCurrent,
    { name, concerning, readAt }: Later & { readonly readAt: LogPlace },
    signal: AbortSignal,
  ): Promise<CheckedDefinition> {
    const { id } = rows
    const what = `a statement that is not in the binlog has changed it: on the server, ${difference}`
    const [first] = concerning
    const others =
      first === undefined
        ? isMisfit
          ? 'it was changed more than once'
          : null
        : `the binlog has later statements about it, such as ${describeStatement(first)}`
    const doubt = others ?? (await this.#doubt(rows, { name, readAt }, opened, signal))
    if (doubt !== null) return { tag: 'unclear', reason: `${what}, and ${doubt}` }
    return { tag: 'changed', table: { ...table, id }, createSql, how: what }
  }

  /** Why the definition of now may not be that of the rows; null when it is. */
  async #doubt(
    { id, place, proof }: FittingRows,
    { name, readAt }: { readonly name: TableId; readonly readAt: LogPlace },
    opened: FinderSession,
    signal: AbortSignal,
  ): Promise<string | null> {
    const { finder, flavor } = this.#options
    // On MySQL the time of a change proves nothing: it stays the same when another table gets the name.
    if (flavor === 'mariadb') return finder.whyChangedAfter({ id, name }, place, proof, signal)
    return finder.whyNotInUse(opened, id, { place, readAt, tableId: proof.tableId }, signal)
  }

  /** Null: it is a view, or not understood. */
  #derive(id: TableId, createSql: string): MySqlTable | null {
    try {
      return this.#options.interpreter.derive(id, createSql)
    } catch (error) {
      if (!(error instanceof CodedError)) throw error
      this.#warn(`${id.toString()} is not understood`, error)
      return null
    }
  }

  #warn(what: string, error: CodedError): void {
    if (this.#warnedOf.has(error.code)) return
    this.#warnedOf.add(error.code)
    this.#options.logger.warn(
      `Definitions of tables ${what}: columns that exchange their names by a statement that is not in the binlog are not noticed`,
      { error },
    )
  }

  /** To be called after each poll: a session that is not needed is closed. */
  async release(): Promise<void> {
    const kept = this.#kept
    if (kept !== null && this.#options.clock.monotonicMs() - kept.usedMs > IDLE_MS_MAX) await this.close()
  }

  async close(): Promise<void> {
    const kept = this.#kept
    this.#kept = null
    await kept?.session[Symbol.asyncDispose]()
  }
}

/** Up to that place of a server, rows need no check. */
interface CheckedPart {
  readonly identity: string
  readonly until: LogPlace
  readonly isFinal: boolean
}

/** A table after statements. */
interface Later {
  /** Null: not known. */
  readonly table: MySqlTable | null
  readonly name: TableId
  readonly concerning: readonly StatementAhead[]
}

interface Check {
  readonly rows: FittingRows
  readonly known: MySqlTable
  readonly opened: FinderSession
}

const LAGGING = 'the stream has too much of the binlog before it'
/** Reading ahead delays all tables. */
const AHEAD_MS_MAX = 5_000
const AHEAD_PAUSE_MS = 60_000
/** Rows of many tables often get new numbers one after the other. */
const IDLE_MS_MAX = 5_000
