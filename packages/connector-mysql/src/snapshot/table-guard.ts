import type { MySqlConnection } from '@tributary/mysql'
import { CodedError, type Clock } from '@tributary/support'
import { connectorErrors } from '../errors.ts'
import type { Flavor, ServerInfo, ServerPosition } from '../flavor/flavor.ts'
import type { DdlInterpreter } from '../schema/ddl-interpreter.ts'
import type { MySqlTable } from '../schema/mysql-table.ts'
import { sameTableOn } from '../schema/statement-targets.ts'
import { completeDefinition } from '../tables/complete-definition.ts'
import { quoted } from '../tables/quoted-name.ts'
import { BinlogWatch, type BinlogWatchOptions } from './binlog-watch.ts'
import { ChangedTables } from './changed-tables.ts'
import { requireDefinition } from './snapshot-resume.ts'

export interface TableGuardOptions {
  /** A position that the server had before the transactions began, or under the lock. */
  readonly from: Pick<ServerPosition, 'file' | 'position'>
  /** As of `BinlogWatch`. */
  readonly start?: BinlogWatchOptions['start']
  readonly binlogFrom: BinlogWatchOptions['binlogFrom']
  readonly flavor: Flavor
  readonly serverInfo: ServerInfo
  readonly interpreter: Pick<DdlInterpreter, 'derive' | 'sessionOf' | 'targetsOf'>
  readonly silenceMsMax: number
  readonly clock: Clock
}

/**
 * Makes sure that the rows of a table are those of the table that the snapshot means.
 *
 * A transaction sees the rows as of its begin, but finds a table by its name as of now, maybe hours later. Another table
 * may have that name meanwhile, whose rows were written after the begin: the servers then show an empty or half a table,
 * without an error. Columns that swapped their names show their values under the wrong ones; and a column that was
 * dropped and added shows its new default (MariaDB).
 *
 * The transaction opens the table first, and so has its metadata lock up to its end. A statement before that is in the
 * binlog; one that is not logged is found by the definition.
 */
export class TableGuard implements AsyncDisposable {
  readonly #options: TableGuardOptions
  readonly #changed: ChangedTables
  readonly #watch: BinlogWatch

  constructor(options: TableGuardOptions) {
    this.#options = options
    this.#changed = new ChangedTables(options.interpreter, sameTableOn(options.serverInfo))
    this.#watch = new BinlogWatch({ ...options, visitor: this.#changed })
  }

  /**
   * Opens a table in the transaction of the connection. Returns the text of SHOW CREATE TABLE.
   *
   * @throws SNAPSHOT_TABLES_CHANGED when it is another table than at the begin; errors of the server and the connection
   */
  async open(connection: MySqlConnection, known: MySqlTable): Promise<string> {
    const { id } = known
    const { flavor, serverInfo, interpreter } = this.#options
    const name = `${quoted(id.database)}.${quoted(id.table)}`
    const statements = [`SELECT 1 FROM ${name} LIMIT 0`, `SHOW CREATE TABLE ${name}`]
    const [, definition] = await connection.queryAll(statements, `opening the table ${id.toString()}`)
    const createSql = definition?.[0]?.[1] ?? ''
    requireDefinition(known, interpreter.derive(id, await completeDefinition(connection, id, createSql)))
    await this.#read(await flavor.readPosition(connection, serverInfo))
    const statement = this.#changed.whyChanged(id)
    if (statement === null) return createSql
    throw connectorErrors.SNAPSHOT_TABLES_CHANGED({
      reason: `${id.toString()} by ${statement}, before its rows were read`,
    })
  }

  async #read(until: ServerPosition): Promise<void> {
    try {
      await this.#watch.readTo(until)
    } catch (error) {
      if (!(error instanceof CodedError) || !PURGED.has(error.code)) throw error
      const reason = `whether its tables were is not known, since the binlog of that time was purged (${error.message})`
      throw connectorErrors.SNAPSHOT_TABLES_CHANGED({ reason }, error)
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#watch[Symbol.asyncDispose]()
  }
}

const PURGED: ReadonlySet<string> = new Set(['BINLOG_UNAVAILABLE'])
