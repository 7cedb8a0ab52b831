import type { TableId } from '@tributary/connector-kit'
import type { BinlogStreamOptions, MySqlConnection } from '@tributary/mysql'
import type { Clock, Logger } from '@tributary/support'
import { connectorErrors } from '../errors.ts'
import type { Flavor, ServerInfo } from '../flavor/flavor.ts'
import type { DdlInterpreter } from '../schema/ddl-interpreter.ts'
import { concernsTable, renamedBy, type SameTable, sameTableOn } from '../schema/statement-targets.ts'
import { quoted } from '../tables/quoted-name.ts'
import type { SchemaReader, SchemaSession } from '../tables/schema-reader.ts'
import type { AheadRange, BinlogAheadOptions } from './binlog-ahead.ts'
import { placeOf } from './event-place.ts'
import { comparePlaces, type LogPlace } from './log-place.ts'
import { type RowProof, RowsAhead } from './rows-ahead.ts'
import { describeStatement, type StatementAhead, StatementsAhead, type StatementsFound } from './statements-ahead.ts'

export interface DefinitionFinderOptions {
  readonly reader: SchemaReader
  readonly interpreter: DdlInterpreter
  readonly flavor: Flavor
  readonly serverInfo: ServerInfo
  readonly connection: BinlogStreamOptions['connection']
  readonly decodeStatement: BinlogStreamOptions['decodeStatement']
  readonly silenceMsMax: number
  /** Default: none. */
  readonly spooled?: BinlogAheadOptions['spooled']
  readonly clock: Clock
  readonly logger: Logger
}

/** The place in the binlog for which a definition is needed. */
export interface DefinitionPlace {
  /** After the event: statements from there on are later than it. */
  readonly after: LogPlace
  /** Where a dump that contains `after` may start: the start of the transaction, or `after` itself. */
  readonly from: LogPlace
  /** The server whose binlog it is; null: unknown. */
  readonly identity: string | null
}

/** A session of one server. */
export interface FinderSession {
  readonly session: SchemaSession
  readonly identity: string
}

/** A definition as the server has it now, and whether it was the same at the place. */
export type FoundDefinition =
  /** `name`: what the table is called now. */
  | { readonly tag: 'valid'; readonly createSql: string; readonly name: TableId }
  | {
      readonly tag: 'uncertain'
      /** Null: the server has no such table now. */
      readonly createSql: string | null
      readonly reason: string
    }

/** Why a definition may not be that of rows. `unread`: there was no time to read what would show it. */
export type Doubt =
  | { readonly tag: 'none' }
  | { readonly tag: 'unread' }
  | { readonly tag: 'doubt'; readonly reason: string }

/**
 * Finds out whether the definition that the server has now is that of a place in the binlog.
 *
 * The definition is read between two positions of the server that no statement about the table separates: so it is that
 * of the second one. It was the same at the place if the binlog has no statement about the table in between; renames
 * are followed.
 *
 * ```
 *  place ─────── statements about the table? ────────▶ position · SHOW CREATE TABLE · position
 * ```
 */
export class DefinitionFinder {
  readonly #options: DefinitionFinderOptions
  readonly #ahead: BinlogAheadOptions
  readonly #statements: StatementsAhead
  readonly #isSame: SameTable

  constructor(options: DefinitionFinderOptions) {
    const {
      flavor,
      connection,
      decodeStatement,
      silenceMsMax,
      clock,
      interpreter,
      serverInfo,
      spooled = null,
    } = options
    this.#options = options
    this.#ahead = { flavor: flavor.name, connection, decodeStatement, silenceMsMax, spooled, clock }
    this.#statements = new StatementsAhead(this.#ahead, interpreter)
    this.#isSame = sameTableOn(serverInfo)
  }

  /**
   * Opens a session for what follows.
   *
   * @param lockWaitSeconds as of `SchemaReader.open`
   * @throws retriable errors of the connection, also when it leads to another server; StoppedError
   */
  async open(place: DefinitionPlace, signal: AbortSignal, lockWaitSeconds?: number): Promise<FinderSession> {
    const session = await this.#options.reader.open(signal, lockWaitSeconds)
    try {
      return { session, identity: await this.#identify(session.connection, place, signal) }
    } catch (error) {
      await session[Symbol.asyncDispose]()
      throw error
    }
  }

  /** The end of the binlog of the server. */
  position({ connection }: SchemaSession, signal: AbortSignal): Promise<LogPlace> {
    const { flavor, serverInfo } = this.#options
    return flavor.readPosition(connection, serverInfo, signal)
  }

  /** The statements about a table after a place, as far as they were read for earlier calls; null: not at all. */
  knownAfter({ after }: DefinitionPlace, identity: string): StatementsFound | null {
    return this.#statements.known(after, identity)
  }

  /** All statements between the place and `until`; those of the first part when reading takes longer than `limitMs`. */
  statementsAfter(
    place: DefinitionPlace,
    { identity, until, limitMs }: { readonly identity: string; readonly until: LogPlace; readonly limitMs?: number },
    signal: AbortSignal,
  ): Promise<StatementsFound> {
    return this.#statements.between(place.after, this.#range(place, identity, until, limitMs), signal)
  }

  /** Those of the statements that concern the table, which they may rename; and its name after them. */
  follow(
    statements: readonly StatementAhead[],
    id: TableId,
  ): { readonly name: TableId; readonly statements: readonly StatementAhead[] } {
    let name = id
    const concerning: StatementAhead[] = []
    for (const statement of statements) {
      if (!this.#concerns(statement, name)) continue
      concerning.push(statement)
      const { targets } = statement
      if (targets.tag === 'renames') name = renamedBy(targets.renames, name, this.#isSame)
    }
    return { name, statements: concerning }
  }

  /** @throws retriable errors of the connection, also when it leads to another server; StoppedError */
  async find(id: TableId, place: DefinitionPlace, signal: AbortSignal): Promise<FoundDefinition> {
    const { session: opened, identity } = await this.open(place, signal)
    await using session = opened
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      const before = await this.position(session, signal)
      const range = this.#range(place, identity, before)
      const found = await this.#statements.between(place.after, range, signal)
      if (found.tag === 'unknown') return await this.#uncertain(session, id, found.reason)
      const earlier = this.#follow(found.statements, id)
      if (earlier.tag === 'changed') return await this.#uncertain(session, id, reasonOf(id, earlier.statement))
      const createSql = await session.createStatement(earlier.name)
      const now = await this.position(session, signal)
      const during = await this.#statements.between(place.after, this.#range(place, identity, now), signal)
      if (during.tag === 'unknown') return { tag: 'uncertain', createSql, reason: during.reason }
      const { name } = earlier
      const isStill = !during.statements.some(
        (ahead) => comparePlaces(ahead.place, before) >= 0 && this.#concerns(ahead, name),
      )
      if (isStill) return createSql === null ? gone(id) : { tag: 'valid', createSql: renamed(createSql, id), name }
    }
    return await this.#uncertain(session, id, 'statements change the table all the time')
  }

  /**
   * Why the table may have been changed after a row by a statement that is not in the binlog.
   * Called with rows whose map contains no names, of a table that was changed by such a statement before.
   *
   * @param table under its name in the rows, and under its name now; `limitMs`: for reading the binlog each time, default
   *   as long as it takes
   */
  async whyChangedAfter(
    { id, name, limitMs }: { readonly id: TableId; readonly name: TableId; readonly limitMs?: number },
    place: DefinitionPlace,
    proof: RowProof,
    signal: AbortSignal,
  ): Promise<Doubt> {
    const { clock } = this.#options
    const { session: opened, identity } = await this.open(place, signal)
    await using session = opened
    const rows = new RowsAhead(this.#ahead)
    for (;;) {
      const { changedAt, now } = await session.changeTime(name)
      if (changedAt === null) return doubtful('the server does not report when the table was changed')
      if (changedAt < proof.timestampSeconds) return { tag: 'none' }
      const until = await this.position(session, signal)
      const last = await rows.lastOfSameVersion(id, this.#range(place, identity, until, limitMs), proof, signal)
      if (last === 'unread') return { tag: 'unread' }
      if (changedAt < last.timestampSeconds) return { tag: 'none' }
      if (last.isSuperseded || now > changedAt + EVIDENCE_SECONDS_MAX)
        return doubtful('a statement that is not in the binlog may have changed the table after the row')
      await clock.sleep(EVIDENCE_PAUSE_MS, signal)
    }
  }

  /**
   * Why a definition that was read before `readAt` may not be that of rows under that table number. Rows that are committed after `readAt` under the same number prove it: each statement that changes a table changes the
   * number, and waits for the transactions that have used the table.
   */
  async whyNotInUse(
    { session, identity }: FinderSession,
    id: TableId,
    { place, readAt, tableId, limitMs }: EvidenceWanted,
    signal: AbortSignal,
  ): Promise<Doubt> {
    const { clock } = this.#options
    const rows = new RowsAhead(this.#ahead)
    const isRenumbered = await rows.isRenumbered(id, this.#range(place, identity, readAt, limitMs), tableId, signal)
    if (isRenumbered === 'unread') return { tag: 'unread' }
    if (isRenumbered) return NOT_IN_USE
    const endMs = clock.monotonicMs() + EVIDENCE_SECONDS_MAX * 1_000
    for (;;) {
      const until = await this.position(session, signal)
      const range = { ...this.#range(place, identity, until, limitMs), from: readAt }
      const next = await rows.nextNumber(id, range, signal)
      if (next === 'unread') return { tag: 'unread' }
      if (next === tableId) return { tag: 'none' }
      if (next !== null || clock.monotonicMs() > endMs) return NOT_IN_USE
      await clock.sleep(EVIDENCE_PAUSE_MS, signal)
    }
  }

  async #uncertain(session: SchemaSession, id: TableId, reason: string): Promise<FoundDefinition> {
    return { tag: 'uncertain', createSql: await session.createStatement(id), reason }
  }

  #range(
    { from, identity: expected }: DefinitionPlace,
    identity: string,
    until: LogPlace,
    limitMs?: number,
  ): AheadRange & { readonly identity: string } {
    const inspect = async (connection: MySqlConnection, limit?: AbortSignal): Promise<void> => {
      await this.#requireServer(connection, expected ?? identity, limit)
    }
    return { from, until, identity, inspect, limitMs }
  }

  /** Places mean something on one server only. */
  async #identify(connection: MySqlConnection, place: DefinitionPlace, signal: AbortSignal): Promise<string> {
    return this.#requireServer(connection, place.identity, signal, place.after)
  }

  async #requireServer(
    connection: MySqlConnection,
    expected: string | null,
    signal: AbortSignal | undefined,
    place?: LogPlace,
  ): Promise<string> {
    const { identity } = await this.#options.flavor.readServerInfo(connection, signal)
    if (expected === null || expected === identity) return identity
    throw connectorErrors.DEFINITION_ELSEWHERE({
      address: connection.address,
      now: identity,
      before: expected,
      position: place === undefined ? 'its position' : placeOf(place),
    })
  }

  /** The name that the table has after the statements, or the first one that may have changed its definition. */
  #follow(
    statements: readonly StatementAhead[],
    id: TableId,
  ):
    | { readonly tag: 'same'; readonly name: TableId }
    | { readonly tag: 'changed'; readonly statement: StatementAhead } {
    let name = id
    for (const statement of statements) {
      if (!this.#concerns(statement, name)) continue
      if (statement.targets.tag !== 'renames') return { tag: 'changed', statement }
      name = renamedBy(statement.targets.renames, name, this.#isSame)
    }
    return { tag: 'same', name }
  }

  #concerns({ targets }: StatementAhead, id: TableId): boolean {
    return concernsTable(targets, id, this.#isSame)
  }
}

function reasonOf(id: TableId, statement: StatementAhead): string {
  return `the server has changed ${id.toString()} since then, by ${describeStatement(statement)}`
}

function gone(id: TableId): FoundDefinition {
  return {
    tag: 'uncertain',
    createSql: null,
    reason: `the server has no table ${id.toString()} any more, and the binlog does not have the statement that dropped it`,
  }
}

/** The definition under the name that the table had. */
function renamed(createSql: string, id: TableId): string {
  return createSql.replace(/^CREATE TABLE `(?:[^`]|``)*`/, () => `CREATE TABLE ${quoted(id.table)}`)
}

function doubtful(reason: string): Doubt {
  return { tag: 'doubt', reason }
}

/** The rows, the definition and the table number that `whyNotInUse` compares. */
interface EvidenceWanted {
  readonly place: DefinitionPlace
  readonly readAt: LogPlace
  readonly tableId: number
  /** For reading the binlog each time. */
  readonly limitMs: number
}

const NOT_IN_USE = doubtful('no later row shows that it was not changed after the rows')
/** Statements that change one table several times a second, for as long, are not to be expected. */
const TRIES_MAX = 10
/** As long as rows of a busy table need to prove that it was not changed after the first of them. */
const EVIDENCE_SECONDS_MAX = 3
const EVIDENCE_PAUSE_MS = 300
