import type { SchemaEvent, TableId } from '@tributary/connector-kit'
import { type MySqlConnection, serverErrno } from '@tributary/mysql'
import { describeError, doneOr, type Logger, throwIfStopped, withTimeout } from '@tributary/support'
import type { ServerPosition } from '../flavor/flavor.ts'
import type { DdlInterpreter } from '../schema/ddl-interpreter.ts'
import type { ModelState } from '../schema/model-state.ts'
import { sameTableOn } from '../schema/statement-targets.ts'
import { BinlogWatch } from './binlog-watch.ts'
import { ChangedTables } from './changed-tables.ts'
import { type FoundTables, readDefinitions, readStructure, type StructureStatement } from './snapshot-structure.ts'
import { structureEvents } from './structure-history.ts'
import type { TableGuardOptions } from './table-guard.ts'

export interface StructureAheadOptions extends TableGuardOptions {
  readonly interpreter: DdlInterpreter
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
 * is found when the rows of its table are read (`TableGuard`).
 */
export class StructureAhead implements AsyncDisposable {
  readonly #options: StructureAheadOptions
  readonly #changed: ChangedTables
  readonly #watch: BinlogWatch
  readonly #modelBefore: ModelState
  readonly #definitions = new Map<TableId, string>()
  #statements: readonly StructureStatement[] = []
  #events: readonly SchemaEvent[] = []

  /** @param options `from`: a position that the server has reached */
  constructor(options: StructureAheadOptions) {
    this.#options = options
    this.#changed = new ChangedTables(options.interpreter, sameTableOn(options.serverInfo))
    this.#watch = new BinlogWatch({ ...options, visitor: this.#changed })
    this.#modelBefore = options.interpreter.state
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

  /** A table that was dropped since it was listed is left out. */
  async #readSome(connection: MySqlConnection, tables: readonly TableId[], signal: AbortSignal): Promise<void> {
    try {
      for (const [id, sql] of await readDefinitions(connection, tables, signal)) this.#definitions.set(id, sql)
    } catch (error) {
      if (!MISSING.has(serverErrno(error))) throw error
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
    if (read.length > 0) logger.info(`The structure of ${read.length} tables has to be read under the lock`)
    const statements = await readStructure(connection, found, serverInfo, { signal, known })
    if (isSameStructure(statements, this.#statements)) return this.#events
    interpreter.restore(this.#modelBefore)
    return structureEvents(interpreter, statements)
  }

  /** Where the binlog cannot be read, any table may have been changed. */
  async #follow(until: ServerPosition, limitMs: number, signal: AbortSignal): Promise<void> {
    const { clock, logger } = this.#options
    try {
      await withTimeout(clock, limitMs, (limit) => doneOr(this.#watch.readTo(until), limit), signal)
    } catch (error) {
      throwIfStopped(signal)
      const reason = describeError(error)
      logger.info('Which tables were changed before the lock is not known, since the binlog could not be read', {
        reason,
      })
      this.#changed.addAll(reason)
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#watch[Symbol.asyncDispose]()
  }
}

function isSameStructure(a: readonly StructureStatement[], b: readonly StructureStatement[]): boolean {
  return a.length === b.length && a.every(({ database, sql }, i) => database === b[i]?.database && sql === b[i].sql)
}

/** As many as one round trip reads. */
const TABLES_AT_ONCE = 100
/** Nothing waits for it but the snapshot. */
const READ_LIMIT_MS = 60_000
/** Writes wait for it, and then for all definitions. */
const LOCKED_LIMIT_MS = 5_000
/** No such database, no such table. */
const MISSING: ReadonlySet<number | null> = new Set([1049, 1146])
