import type { TableId } from '@tributary/connector-kit'
import type { MySqlConnection } from '@tributary/mysql'
import { connectorErrors } from '../errors.ts'
import { isRecorded } from '../config/recorded-tables.ts'
import type { ConnectorConfig } from '../config/connector-config.ts'
import { sameTableOn } from '../schema/statement-targets.ts'
import { BinlogWatch } from './binlog-watch.ts'
import { ChangedTables } from './changed-tables.ts'
import type { TableGuardOptions } from './table-guard.ts'

export interface StructureWatchOptions extends TableGuardOptions {
  readonly config: Pick<ConnectorConfig, 'filter' | 'recordsOnlyCapturedTables'>
}

/**
 * Makes sure that a structure that was read without a lock is that of a position: the binlog from the position up to the
 * end of the reading must have no statement about a table that is recorded.
 *
 * ```
 *  binlog    … ── P ───────────────── Q ── …
 *  session        │ list, SHOW CREATE │ no statement between P and Q: the structure is that of P, and of Q
 * ```
 *
 * SHOW CREATE TABLE waits for a statement that is in the binlog before P and not complete.
 */
export class StructureWatch implements AsyncDisposable {
  readonly #options: StructureWatchOptions
  readonly #changed: ChangedTables
  readonly #watch: BinlogWatch

  constructor(options: StructureWatchOptions) {
    this.#options = options
    this.#changed = new ChangedTables(options.interpreter, sameTableOn(options.serverInfo))
    this.#watch = new BinlogWatch({ ...options, visitor: this.#changed })
  }

  /**
   * Throws when a table was created, altered or dropped since the position.
   *
   * @param databases of the server, as they were listed since the position
   * @throws SNAPSHOT_TABLES_CHANGED; errors of the server and the connection
   */
  async requireUnchanged(
    connection: MySqlConnection,
    databases: readonly string[],
    signal: AbortSignal,
  ): Promise<void> {
    const { flavor, serverInfo, config } = this.#options
    await this.#watch.readTo(await flavor.readPosition(connection, serverInfo, signal))
    await this.#watch.rest()
    const isConcerned = (id: TableId): boolean => config.filter.includesDatabase(id.database) && isRecorded(config, id)
    const isDatabase = (name: string): boolean => config.filter.includesDatabase(name)
    const statement = this.#changed.whyAnyChanged(isConcerned, isDatabase, databases)
    if (statement === null) return
    throw connectorErrors.SNAPSHOT_TABLES_CHANGED({
      reason: `by ${statement}, while the structure was read without a lock`,
    })
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#watch[Symbol.asyncDispose]()
  }
}
