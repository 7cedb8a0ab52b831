import type { TableId } from '@tributary/connector-kit'
import type { MySqlConnection } from '@tributary/mysql'
import { CodedError, describeError, toError, type Clock, type Logger } from '@tributary/support'
import type { ConnectorConfig } from '../config/connector-config.ts'
import { connectorErrors } from '../errors.ts'
import { quoted } from '../tables/quoted-name.ts'

/**
 * The lock that keeps the tables still while position and structure are read. It is held by a connection of its own, beside the
 * one whose transaction reads: so it can be given up without ending that transaction, whatever kind of lock it is.
 */
export class SnapshotLock {
  readonly #connection: MySqlConnection
  readonly #clock: Clock
  readonly #logger: Logger
  /** False: only the tables that were listed are locked. */
  readonly isGlobal: boolean
  readonly #what: string
  readonly #sinceMs: number
  #isHeld = true

  private constructor(parts: {
    connection: MySqlConnection
    clock: Clock
    logger: Logger
    isGlobal: boolean
    what: string
  }) {
    this.#connection = parts.connection
    this.#clock = parts.clock
    this.#logger = parts.logger
    this.isGlobal = parts.isGlobal
    this.#what = parts.what
    this.#sinceMs = parts.clock.now()
  }

  /** Takes the global read lock; where that is refused (no RELOAD privilege, hosted servers), locks on the tables. */
  static async take(
    connection: MySqlConnection,
    tables: readonly TableId[],
    config: Pick<ConnectorConfig, 'snapshotLockTimeoutMs' | 'user'>,
    { clock, logger }: { clock: Clock; logger: Logger },
  ): Promise<SnapshotLock> {
    const seconds = Math.max(1, Math.ceil(config.snapshotLockTimeoutMs / 1000))
    await connection.query(`SET SESSION lock_wait_timeout = ${seconds}`, 'preparing the snapshot lock')
    try {
      await connection.query('FLUSH TABLES WITH READ LOCK', 'taking the global read lock')
      return new SnapshotLock({ connection, clock, logger, isGlobal: true, what: 'global read lock' })
    } catch (error) {
      if (!(error instanceof CodedError) || error.code !== 'MYSQL_QUERY_FAILED') throw error
      logger.info('The global read lock was refused; locking the captured tables instead', { reason: error.message })
    }
    await lockTables(connection, tables, config.user)
    return new SnapshotLock({ connection, clock, logger, isGlobal: false, what: `lock on ${tables.length} tables` })
  }

  /** Gives the lock up and says how long it was held. Throws when it had been lost before. */
  async release(): Promise<void> {
    if (!this.#isHeld) return
    this.#isHeld = false
    await this.#connection.query('UNLOCK TABLES', `releasing the ${this.#what}`)
    const heldMs = this.#clock.now() - this.#sinceMs
    this.#logger.info(`Writes to the database were blocked for ${heldMs} ms by the ${this.#what}; it is released now`, {
      lockHeldMs: heldMs,
    })
  }
}

async function lockTables(connection: MySqlConnection, tables: readonly TableId[], user: string): Promise<void> {
  if (tables.length === 0) return
  const list = tables.map(({ database, table }) => `${quoted(database)}.${quoted(table)} READ`).join(', ')
  try {
    await connection.query(`LOCK TABLES ${list}`, 'locking the captured tables')
  } catch (error) {
    if (!(error instanceof CodedError) || error.code !== 'MYSQL_QUERY_FAILED') throw error
    throw connectorErrors.SNAPSHOT_LOCK_REFUSED({ reason: describeError(toError(error)), user }, error)
  }
}
