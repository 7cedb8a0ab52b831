import type { TableId } from '@tributary/connector-kit'
import { type MySqlConnection, serverErrno } from '@tributary/mysql'
import { CodedError, describeError, toError, type Clock, type Logger } from '@tributary/support'
import type { ConnectorConfig } from '../config/connector-config.ts'
import { connectorErrors } from '../errors.ts'
import { quoted } from '../tables/quoted-name.ts'

/**
 * The lock that prevents writes while position and structure are read. A connection of its own holds it, beside the one
 * whose transaction reads: so any kind of lock can be released without ending that transaction.
 */
export class SnapshotLock {
  readonly #connection: MySqlConnection
  readonly #clock: Clock
  readonly #logger: Logger
  /** False when only the listed tables are locked. */
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

  /**
   * Acquires the global read lock; where the server refuses it (no RELOAD privilege, hosted servers), locks on the
   * tables.
   */
  static async take(
    connection: MySqlConnection,
    tables: readonly TableId[],
    config: Pick<ConnectorConfig, 'snapshotLockTimeoutMs' | 'user'>,
    { clock, logger, signal }: { clock: Clock; logger: Logger; signal?: AbortSignal },
  ): Promise<SnapshotLock> {
    const seconds = await setLockWait(connection, config, signal)
    try {
      await tryLock(connection, { sql: 'FLUSH TABLES WITH READ LOCK', lock: 'global read lock', seconds, signal })
      return new SnapshotLock({ connection, clock, logger, isGlobal: true, what: 'global read lock' })
    } catch (error) {
      if (!(error instanceof CodedError) || error.code !== 'MYSQL_QUERY_FAILED') throw error
      logger.info('The global read lock was refused; locking the captured tables instead', { reason: error.message })
    }
    return SnapshotLock.#ofTables(connection, tables, { user: config.user, seconds, clock, logger, signal })
  }

  /** Acquires locks on the tables only. */
  static async takeTables(
    connection: MySqlConnection,
    tables: readonly TableId[],
    config: Pick<ConnectorConfig, 'snapshotLockTimeoutMs' | 'user'>,
    { clock, logger, signal }: { clock: Clock; logger: Logger; signal?: AbortSignal },
  ): Promise<SnapshotLock> {
    const seconds = await setLockWait(connection, config, signal)
    return SnapshotLock.#ofTables(connection, tables, { user: config.user, seconds, clock, logger, signal })
  }

  static async #ofTables(
    connection: MySqlConnection,
    tables: readonly TableId[],
    { user, seconds, clock, logger, signal }: OfTables,
  ): Promise<SnapshotLock> {
    await lockTables(connection, tables, { user, seconds, signal })
    return new SnapshotLock({ connection, clock, logger, isGlobal: false, what: `lock on ${tables.length} tables` })
  }

  /** Releases the lock and logs how long it was held. Throws when it was lost before. */
  async release(signal?: AbortSignal): Promise<void> {
    if (!this.#isHeld) return
    this.#isHeld = false
    await this.#connection.query('UNLOCK TABLES', `releasing the ${this.#what}`, { signal })
    const heldMs = this.#clock.now() - this.#sinceMs
    this.#logger.info(`Writes to the database were blocked for ${heldMs} ms by the ${this.#what}; it is released now`, {
      lockHeldMs: heldMs,
    })
  }
}

interface OfTables {
  readonly user: string
  readonly seconds: number
  readonly clock: Clock
  readonly logger: Logger
  readonly signal: AbortSignal | undefined
}

/** Returns the limit of the wait, in seconds. */
async function setLockWait(
  connection: MySqlConnection,
  { snapshotLockTimeoutMs }: Pick<ConnectorConfig, 'snapshotLockTimeoutMs'>,
  signal: AbortSignal | undefined,
): Promise<number> {
  const seconds = Math.max(1, Math.ceil(snapshotLockTimeoutMs / 1000))
  await connection.query(`SET SESSION lock_wait_timeout = ${seconds}`, 'setting up the snapshot lock', { signal })
  return seconds
}

async function lockTables(
  connection: MySqlConnection,
  tables: readonly TableId[],
  { user, seconds, signal }: { user: string; seconds: number; signal: AbortSignal | undefined },
): Promise<void> {
  if (tables.length === 0) return
  const list = tables.map(({ database, table }) => `${quoted(database)}.${quoted(table)} READ`).join(', ')
  try {
    await tryLock(connection, { sql: `LOCK TABLES ${list}`, lock: 'lock on the captured tables', seconds, signal })
  } catch (error) {
    if (!(error instanceof CodedError) || error.code !== 'MYSQL_QUERY_FAILED') throw error
    throw connectorErrors.SNAPSHOT_LOCK_REFUSED({ reason: describeError(toError(error)), user }, error)
  }
}

/** @throws LockWaitError, which names the sessions that hold the lock, when the time is over */
async function tryLock(
  connection: MySqlConnection,
  { sql, lock, seconds, signal }: { sql: string; lock: string; seconds: number; signal: AbortSignal | undefined },
): Promise<void> {
  try {
    await connection.query(sql, `acquiring the ${lock}`, { signal })
  } catch (error) {
    if (!(error instanceof CodedError) || serverErrno(error) !== LOCK_WAIT_TIMEOUT) throw error
    throw new LockWaitError({ lock, seconds, holders: await holdersOf(connection, signal) }, error)
  }
}

/** The lock was not available in time. The caller counts the attempts. */
export class LockWaitError extends Error {
  readonly wait: { readonly lock: string; readonly seconds: number; readonly holders: string }

  constructor(wait: LockWaitError['wait'], cause: Error) {
    super(`the ${wait.lock} was not available within ${wait.seconds} s; ${wait.holders}`, { cause })
    this.wait = wait
  }
}

/**
 * Describes the sessions that may hold the lock: those whose statement has run for as long as the wait, or whose
 * transaction is open. Without the privilege PROCESS a user sees only the sessions of that user.
 */
async function holdersOf(connection: MySqlConnection, signal: AbortSignal | undefined): Promise<string> {
  const rows = await connection.query(
    `SELECT id, user, host, time, COALESCE(info, state, command) FROM information_schema.processlist
      WHERE id <> CONNECTION_ID() AND command NOT IN ('Daemon', 'Binlog Dump', 'Binlog Dump GTID', 'Slave_IO', 'Slave_SQL')
        AND user NOT IN ('event_scheduler', 'system user') ORDER BY command = 'Sleep', time DESC LIMIT ${HOLDERS_MAX}`,
    'looking for the holder of the lock',
    { signal },
  )
  const sessions = rows.map(
    ([id, user, host, seconds, text]) => `${id} of ${user}@${host}, for ${seconds} s: ${(text ?? '').slice(0, 100)}`,
  )
  if (sessions.length === 0) return 'this user sees no other session (grant PROCESS to see who holds it)'
  return `the oldest sessions of others are ${sessions.join('; ')}`
}

/** ER_LOCK_WAIT_TIMEOUT */
const LOCK_WAIT_TIMEOUT = 1205
const HOLDERS_MAX = 3
