import type { TableId } from '@tributary/connector-kit'
import type { MySqlConnection, WaitOptions } from '@tributary/mysql'
import { toError } from '@tributary/support'
import { connectorErrors } from '../errors.ts'
import type { Flavor, ServerInfo } from '../flavor/flavor.ts'
import { isPlaceAtOrBefore, isPlaceOfAll, isProvenAtOrBefore } from '../flavor/position-order.ts'
import type { LogPlace, StreamPosition } from '../offset/stream-position.ts'
import { quoted, quotedText } from '../tables/quoted-name.ts'

/** A place in the binlog of one server. */
export interface BinlogPlace extends LogPlace {
  /** What was executed before the place, or somewhat later; `snapshotPlace` is exact. Null: the server has no GTIDs. */
  readonly gtids: string | null
}

export interface ViewOptions {
  readonly connection: MySqlConnection
  readonly flavor: Flavor
  readonly serverInfo: ServerInfo
  /** Everything before it has become records. */
  readonly handled: StreamPosition
  readonly wait: WaitOptions
}

/** What a session sees while it reads a chunk. */
export interface ReadView {
  /** The end of statements that read rows; empty for most. */
  readonly lock: string
  /** To be called after the last row. Returns a place in the binlog before which all that was read has been logged. */
  end(): Promise<BinlogPlace>
}

/**
 * Lets the session see at least everything that the stream has handled.
 *
 * A server writes a transaction into its binlog, and sends it to replicas, before other sessions see it: with
 * semi-synchronous replication by seconds. A row that was read in between would be older than its last event, and would
 * replace that in the topic. So:
 *
 * - MySQL with GTIDs: the session waits until the server has committed all transactions of the stream. A GTID is in
 *   gtid_executed only after the commit.
 * - MySQL without them: the rows are read under shared locks. A transaction holds the locks of its rows until it has
 *   committed.
 * - MariaDB: a consistent snapshot is begun between two commits, and the server reports the place in the binlog that
 *   corresponds to it. One that begins before the place of the stream is too early. XA COMMIT is not part of that order:
 *   while transactions are prepared, the rows are read under shared locks, as on MySQL without GTIDs.
 *
 * @throws INCREMENTAL_COMMITS_LATE; errors of the connection
 */
export async function openView(options: ViewOptions): Promise<ReadView> {
  if (options.flavor.name === 'mariadb') {
    return (await hasPrepared(options)) ? locking(options) : consistentSnapshot(options)
  }
  return options.serverInfo.hasGtids && options.handled.gtids !== null ? afterCommits(options) : locking(options)
}

/**
 * Whether MariaDB has prepared XA transactions. It writes XA COMMIT into its binlog, and then commits, outside of the
 * order of other commits: a consistent snapshot at a later place may lack its rows. Until it has committed, XA RECOVER
 * lists it, also of other sessions.
 */
export async function hasPrepared({ connection, wait }: Pick<ViewOptions, 'connection' | 'wait'>): Promise<boolean> {
  const xids = await connection.query("XA RECOVER FORMAT='SQL'", 'looking for prepared transactions', wait)
  return xids.length > 0
}

/**
 * Begins a transaction that sees at least everything that the stream has handled of the tables, for reads that take
 * long. MySQL without GTIDs: a table lock waits for the transactions that have changed the table; it is released at
 * once. So it is with prepared XA transactions on MariaDB. The isolation level is to be REPEATABLE READ.
 *
 * @throws INCREMENTAL_COMMITS_LATE, SNAPSHOT_PREPARED_NEED_LOCK; errors of the connection
 */
export async function beginView(options: ViewOptions, tables: readonly TableId[]): Promise<void> {
  const { connection, flavor, serverInfo, handled, wait } = options
  if (flavor.name === 'mariadb') {
    if (await hasPrepared(options)) await untilFinished(options, tables)
    await consistentSnapshot(options)
    return
  }
  if (serverInfo.hasGtids && handled.gtids !== null) await untilCommitted(options)
  else await lockForAMoment(options, tables)
  await connection.query(BEGIN, WAITING, wait)
}

async function lockForAMoment({ connection, wait }: ViewOptions, tables: readonly TableId[]): Promise<void> {
  const locks = tables.map(({ database, table }) => `${quoted(database)}.${quoted(table)} READ`)
  await connection.query(`LOCK TABLES ${locks.join(', ')}`, WAITING, wait)
  await connection.query('UNLOCK TABLES', WAITING, wait)
}

/** MariaDB: until no prepared transaction has changed these tables. Its session may be gone, its locks in InnoDB stay. */
async function untilFinished(options: ViewOptions, tables: readonly TableId[]): Promise<void> {
  const { connection, wait } = options
  await lockInInnodb(connection, wait)
  try {
    await lockForAMoment(options, tables)
  } catch (error) {
    const names = tables.map(String).join(', ')
    throw connectorErrors.SNAPSHOT_PREPARED_NEED_LOCK({ tables: names, address: connection.address }, toError(error))
  }
  await connection.query('SET SESSION autocommit = 1', WAITING, wait)
}

/** From here on LOCK TABLES of the session also waits for the locks of InnoDB, which prepared transactions hold. */
export async function lockInInnodb(connection: MySqlConnection, wait: WaitOptions): Promise<void> {
  const sql = `SET SESSION autocommit = 0, innodb_table_locks = 1, innodb_lock_wait_timeout = ${COMMIT_WAIT_S}`
  await connection.query(sql, WAITING, wait)
}

async function afterCommits(options: ViewOptions): Promise<ReadView> {
  await untilCommitted(options)
  return { lock: '', end: () => currentPlace(options) }
}

async function untilCommitted(options: ViewOptions): Promise<void> {
  const { connection, handled, wait } = options
  const gtids = quotedText(handled.gtids ?? '')
  const [row] = await connection.query(`SELECT WAIT_FOR_EXECUTED_GTID_SET(${gtids}, ${COMMIT_WAIT_S})`, WAITING, wait)
  if (row?.[0] !== '0') throw late(options)
}

function locking(options: ViewOptions): ReadView {
  return { lock: ' LOCK IN SHARE MODE', end: () => currentPlace(options) }
}

async function consistentSnapshot(options: ViewOptions): Promise<ReadView> {
  const { connection, wait } = options
  for (let attempt = 0; attempt < SNAPSHOT_ATTEMPTS_MAX; attempt++) {
    await connection.query(BEGIN, WAITING, wait)
    const place = await placeIfVisible(options)
    // A commit that the stream has handled and others do not see yet takes far less than a statement.
    if (place !== null) {
      const end = async (): Promise<BinlogPlace> => {
        await connection.query('COMMIT', 'ending the reading of a chunk', wait)
        return place
      }
      return { lock: '', end }
    }
    await connection.query('COMMIT', WAITING, wait)
  }
  throw late(options)
}

/**
 * Returns the place of the session's snapshot, or null when the snapshot may lack what was handled. File and position
 * prove that it does not in most cases. Otherwise GTIDs do, which cost more: to return those of a place, the server reads
 * its binlog file from the start.
 */
async function placeIfVisible(options: ViewOptions): Promise<BinlogPlace | null> {
  const { connection, wait, flavor, handled } = options
  const seen = await snapshotFilePlace(options)
  if (isPlaceOfAll(handled) && isProvenAtOrBefore(handled, seen)) {
    const [row] = await connection.query('SELECT @@global.gtid_binlog_pos', WAITING, wait)
    return { ...seen, gtids: row?.[0] ?? '' }
  }
  const gtids = await gtidsOf(seen, options)
  const isVisible =
    handled.gtids === null ? isPlaceAtOrBefore(handled, seen) : flavor.isGtidSubset(handled.gtids, gtids)
  return isVisible ? { ...seen, gtids } : null
}

type Asked = Pick<ViewOptions, 'connection' | 'wait'>

/** MariaDB: the place in the binlog that the consistent snapshot of the session corresponds to, exactly. */
export async function snapshotPlace(asked: Asked): Promise<BinlogPlace & { readonly gtids: string }> {
  const place = await snapshotFilePlace(asked)
  return { ...place, gtids: await gtidsOf(place, asked) }
}

async function snapshotFilePlace({ connection, wait }: Asked): Promise<LogPlace> {
  const rows = await connection.query(SNAPSHOT_POSITION, WAITING, wait)
  const values = new Map(rows.map(([name, value]) => [(name ?? '').toLowerCase(), value ?? '']))
  const file = values.get('binlog_snapshot_file') ?? ''
  if (file === '') throw unknownPosition(connection)
  return { file, position: Number(values.get('binlog_snapshot_position')) }
}

/** The last place that each session asked about. On a quiet server the next one is the same. */
const lastAsked = new WeakMap<MySqlConnection, LogPlace & { readonly gtids: string }>()

async function gtidsOf({ file, position }: LogPlace, { connection, wait }: Asked): Promise<string> {
  const last = lastAsked.get(connection)
  if (last?.file === file && last.position === position) return last.gtids
  const [row] = await connection.query(`SELECT BINLOG_GTID_POS(${quotedText(file)}, ${position})`, WAITING, wait)
  const gtids = row?.[0] ?? null
  if (gtids === null) throw unknownPosition(connection)
  lastAsked.set(connection, { file, position, gtids })
  return gtids
}

function unknownPosition({ address }: MySqlConnection): Error {
  return connectorErrors.BINLOG_POSITION_UNKNOWN({ address, statement: SNAPSHOT_POSITION })
}

async function currentPlace({ connection, flavor, serverInfo, wait }: ViewOptions): Promise<BinlogPlace> {
  const { file, position, gtids } = await flavor.readPosition(connection, serverInfo, wait.signal)
  return { file, position, gtids: gtids === null ? null : gtids.toString() }
}

function late({ connection, handled }: ViewOptions): Error {
  return connectorErrors.INCREMENTAL_COMMITS_LATE({
    address: connection.address,
    position: handled.gtids ?? `${handled.file}:${handled.position}`,
  })
}

const SNAPSHOT_POSITION = "SHOW STATUS LIKE 'binlog_snapshot_%'"
/** A condition or a statement of a user may call a function that writes. */
const BEGIN = 'START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY'
const WAITING = 'waiting until the changes of the stream are visible'
/** Semi-synchronous replication waits for ten seconds by default. */
const COMMIT_WAIT_S = 30
const SNAPSHOT_ATTEMPTS_MAX = 100
