import type { SchemaEvent, TableId } from '@tributary/connector-kit'
import type { MySqlConnection } from '@tributary/mysql'
import {
  CodedError,
  describeError,
  doneOr,
  type Logger,
  StoppedError,
  throwIfStopped,
  withTimeout,
} from '@tributary/support'
import type { ServerPosition } from '../flavor/flavor.ts'
import { isProvenAtOrBefore } from '../flavor/position-order.ts'
import type { DdlInterpreter } from '../schema/ddl-interpreter.ts'
import type { ModelState } from '../schema/model-state.ts'
import { sameTableOn } from '../schema/statement-targets.ts'
import { BinlogWatch } from './binlog-watch.ts'
import { ChangedTables } from './changed-tables.ts'
import {
  type FoundTables,
  readDefinitions,
  readStructure,
  type StructureStatement,
  TABLES_AT_ONCE,
} from './snapshot-structure.ts'
import { structureEvents } from './structure-history.ts'
import type { TableGuardOptions } from './table-guard.ts'

export interface StructureAheadOptions extends TableGuardOptions {
  readonly interpreter: DdlInterpreter
  /** How long the lock may be waited for. */
  readonly lockTimeoutMs: number
  readonly logger: Logger
}

/**
 * The structure of many tables, read before the lock of the snapshot: a server takes milliseconds for the definition of
 * a table, and writes would wait for thousands of them. Under the lock, only those definitions are read that a statement
 * may have changed since.
 *
 * ```
 *  binlog    … ── P ──────────────────────────────────────────── Q ── …
 *  session        │ SHOW CREATE TABLE of all │ lock │ of those with a statement between P and Q
 * ```
 *
 * SHOW CREATE TABLE waits for a statement that is in the binlog before P and not complete. A change that is not logged
 * is found when the rows of its table are read (`TableGuard`), or when the stream meets the table.
 *
 * Unless `eventsAt` has returned, the end leaves the table model as it was.
 */
export class StructureAhead implements AsyncDisposable {
  readonly #options: StructureAheadOptions
  readonly #changed: ChangedTables
  readonly #watch: BinlogWatch
  readonly #modelBefore: ModelState
  readonly #definitions = new Map<TableId, string>()
  #statements: readonly StructureStatement[] = []
  #events: readonly SchemaEvent[] = []
  /** Everything before it was read. */
  #followed: Pick<ServerPosition, 'file' | 'position'>
  #isInDoubt = false
  #isTaken = false

  /** @param options `from`: a position that the server has reached */
  constructor(options: StructureAheadOptions) {
    this.#options = options
    this.#changed = new ChangedTables(options.interpreter, sameTableOn(options.serverInfo))
    // Under the lock no connection should have to be opened.
    const pauseMsMax = Math.min(options.lockTimeoutMs + MARGIN_MS, PAUSE_MS_MAX)
    this.#watch = new BinlogWatch({ ...options, visitor: this.#changed, pauseMsMax })
    this.#followed = options.from
    this.#modelBefore = options.interpreter.state
  }

  /** The binlog does not show which tables were changed, so all of them are read under the lock. */
  get isInDoubt(): boolean {
    return this.#isInDoubt
  }

  /**
   * Reads the structure and builds the table model of it. To be called before the lock.
   *
   * @throws DDL_SYNTAX; errors of the connection
   */
  async read(connection: MySqlConnection, found: FoundTables, signal: AbortSignal): Promise<void> {
    const { flavor, serverInfo, interpreter } = this.#options
    for (let from = 0; from < found.all.length; from += TABLES_AT_ONCE) {
      await this.#readSome(connection, found.all.slice(from, from + TABLES_AT_ONCE), signal)
    }
    const all = found.all.filter((id) => this.#definitions.has(id))
    const known = this.#definitions
    this.#statements = await readStructure(connection, { ...found, all }, serverInfo, { signal, known })
    this.#events = structureEvents(interpreter, this.#statements)
    // So that little of the binlog is left to be read under the lock.
    await this.#follow(await flavor.readPosition(connection, serverInfo, signal), READ_LIMIT_MS, signal)
  }

  /** A table that is dropped or altered meanwhile, or cannot be read, is left for the lock. */
  async #readSome(connection: MySqlConnection, tables: readonly TableId[], signal: AbortSignal): Promise<void> {
    try {
      for (const [id, sql] of await readDefinitions(connection, tables, signal)) {
        if (isPlainTable(sql)) this.#definitions.set(id, sql)
      }
    } catch (error) {
      if (!(error instanceof CodedError) || !OF_TABLES.has(error.code)) throw error
      if (tables.length > 1) for (const id of tables) await this.#readSome(connection, [id], signal)
    }
  }

  /**
   * Returns the structure at a position of the server, which the table model has then. To be called under the lock.
   *
   * @param found as listed under the lock
   * @throws DDL_SYNTAX; errors of the connection
   */
  async eventsAt(
    position: ServerPosition,
    connection: MySqlConnection,
    found: FoundTables,
    signal: AbortSignal,
  ): Promise<readonly SchemaEvent[]> {
    const { serverInfo, interpreter, logger } = this.#options
    await this.#follow(position, LOCKED_LIMIT_MS, signal)
    const isKnown = ([id]: readonly [TableId, string]): boolean => this.#changed.whyChanged(id) === null
    const known = new Map([...this.#definitions].filter(isKnown))
    const read = found.all.filter((id) => !known.has(id))
    if (read.length > 0 && !this.#isInDoubt)
      logger.info(`${read.length} table definitions are read under the lock, since they may have changed`)
    const statements = await readStructure(connection, found, serverInfo, { signal, known })
    this.#isTaken = true
    if (isSameStructure(statements, this.#statements)) return this.#events
    interpreter.restore(this.#modelBefore)
    return structureEvents(interpreter, statements)
  }

  /** Where the binlog cannot be read, any table may have been changed. */
  async #follow(until: ServerPosition, limitMs: number, signal: AbortSignal): Promise<void> {
    if (this.#isInDoubt) return
    if (!isProvenAtOrBefore(this.#followed, until)) {
      this.#doubt('the binlog was reset')
      return
    }
    const { clock } = this.#options
    try {
      await withTimeout(clock, limitMs, (limit) => doneOr(this.#watch.readTo(until), limit), signal)
      this.#followed = until
    } catch (error) {
      throwIfStopped(signal)
      const isLate = error instanceof StoppedError
      this.#doubt(isLate ? `the binlog could not be read within ${limitMs / 1_000} s` : describeError(error))
    }
  }

  #doubt(reason: string): void {
    this.#isInDoubt = true
    this.#changed.addAll(reason)
    this.#options.logger.info(`All table definitions are read under the lock, so writes wait for longer: ${reason}`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#isTaken) this.#options.interpreter.restore(this.#modelBefore)
    await this.#watch[Symbol.asyncDispose]()
  }
}

function isSameStructure(a: readonly StructureStatement[], b: readonly StructureStatement[]): boolean {
  return a.length === b.length && a.every(({ database, sql }, i) => database === b[i]?.database && sql === b[i].sql)
}

/** A view or a sequence may have taken the name of a table that was listed. */
function isPlainTable(sql: string): boolean {
  return sql.startsWith('CREATE TABLE') && !sql.includes(' SEQUENCE=1')
}

/** Nothing waits for it but the snapshot. */
const READ_LIMIT_MS = 60_000
/** Writes wait for that long, and then for all definitions. */
const LOCKED_LIMIT_MS = 5_000
/** Errors that may be about one table; under the lock they are final. */
const OF_TABLES: ReadonlySet<string> = new Set(['MYSQL_QUERY_FAILED', 'MEMBERS_UNKNOWN'])
const MARGIN_MS = 5_000
/** A server closes a dump whose reader is silent for 60 s, by default. */
const PAUSE_MS_MAX = 45_000
