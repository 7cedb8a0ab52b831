import type { TableId } from '@tributary/connector-kit'
import {
  type BinlogEvent,
  MySqlConnection,
  type MySqlConnectionOptions,
  MySqlGtidSet,
  transactionControl,
} from '@tributary/mysql'
import { CodedError, type Clock, type Logger } from '@tributary/support'
import { hasPrepared, lockInInnodb, snapshotPlace } from '../chunks/read-view.ts'
import type { ConnectorConfig } from '../config/connector-config.ts'
import { connectorErrors } from '../errors.ts'
import type { Flavor, ServerInfo, ServerPosition } from '../flavor/flavor.ts'
import type { BinlogWatchOptions } from './binlog-watch.ts'
import { requireServer } from './same-server.ts'
import { SnapshotLock } from './snapshot-lock.ts'
import { beginReading } from './snapshot-session.ts'
import { type BinlogVisitor, scanBinlog } from './structure-scan.ts'

export interface ExactViewOptions {
  readonly config: ConnectorConfig
  readonly flavor: Flavor
  readonly serverInfo: ServerInfo
  /** For the connection that locks tables, where that is necessary. */
  readonly connection: MySqlConnectionOptions
  readonly binlogFrom: BinlogWatchOptions['binlogFrom']
  readonly clock: Clock
  readonly logger: Logger
}

/**
 * Begins a transaction of the reader that sees these tables exactly as they are at a place of the binlog, and returns that
 * place. Rows without a key need that: a change that is in a row already, and is streamed, too, would be a second row.
 *
 * - MariaDB reports the place that a consistent snapshot corresponds to. It may lack rows of an XA COMMIT before that
 *   place. Such a transaction is prepared before the snapshot, or its XA COMMIT is after the end of the binlog before
 *   that. If there is one, another snapshot is begun; after ten attempts, a lock.
 * - MySQL with GTIDs: the transaction sees all that is in `gtid_executed`, and perhaps a transaction that commits at this
 *   moment. Each of these is in the binlog between that set and the end of the binlog after the begin. If none of them is
 *   about the tables, the tables are those of the set.
 * - Otherwise a lock on these tables, for some milliseconds: MySQL writes transactions into its binlog before others see
 *   them, and without GTIDs nothing shows which ones.
 *
 * @throws SNAPSHOT_TABLES_NEED_LOCK; LockWaitError; errors of the server and the connection
 */
export async function beginExactView(
  reader: MySqlConnection,
  tables: readonly TableId[],
  options: ExactViewOptions,
  signal: AbortSignal,
): Promise<ServerPosition> {
  const { flavor, serverInfo, config } = options
  const isReadOnly = config.snapshotOverrides.size > 0
  if (flavor.name === 'mariadb') {
    return (await withoutPrepared(reader, options, signal)) ?? underLock(reader, tables, options, signal)
  }
  for (let attempt = 0; serverInfo.hasGtids && attempt < ATTEMPTS_MAX; attempt++) {
    const place = await flavor.readPosition(reader, serverInfo, signal)
    await beginReading(reader, signal, { isReadOnly })
    if (!(await mayShowLater({ reader, tables, place }, options, signal))) return place
  }
  return underLock(reader, tables, options, signal)
}

/** Null: in no attempt was it certain that all XA transactions before the place are visible. */
async function withoutPrepared(
  reader: MySqlConnection,
  { flavor, serverInfo, config, binlogFrom, clock }: ExactViewOptions,
  signal: AbortSignal,
): Promise<ServerPosition | null> {
  const view = { connection: reader, wait: { signal } }
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    if (attempt > 0) await clock.sleep(XA_PAUSE_MS, signal)
    const before = await flavor.readPosition(reader, serverInfo, signal)
    if (await hasPrepared(view)) continue
    await beginReading(reader, signal, { isReadOnly: config.snapshotOverrides.size > 0 })
    const place = await snapshotPlace(view)
    const commits = new XaCommits()
    const binlog = binlogFrom({ tag: 'position', file: before.file, position: before.position })
    await scanBinlog(commits, { binlog, until: place, silenceMsMax: config.keepAliveIntervalMs, clock }, signal)
    if (!commits.isOver) return place
  }
  return null
}

class XaCommits implements BinlogVisitor {
  isOver = false

  observe(event: BinlogEvent): void {
    if (event.tag !== 'query') return
    const control = transactionControl(event.sql)
    if (control?.tag === 'end' && control.by === 'XA COMMIT') this.isOver = true
  }
}

/** Whether the transaction that has begun may see a change of the tables that is after the place by its GTID. */
async function mayShowLater(
  { reader, tables, place }: { reader: MySqlConnection; tables: readonly TableId[]; place: ServerPosition },
  { flavor, serverInfo, config, binlogFrom, clock }: ExactViewOptions,
  signal: AbortSignal,
): Promise<boolean> {
  const until = await flavor.readPosition(reader, serverInfo, signal)
  const executed = MySqlGtidSet.parse(place.gtids?.toString() ?? '')
  const suspects = new Suspects(tables)
  const binlog = binlogFrom({ tag: 'mysqlGtids', executed })
  await scanBinlog(suspects, { binlog, until, silenceMsMax: config.keepAliveIntervalMs, clock }, signal)
  return suspects.isOver
}

/** Looks for an event that may be about one of the tables. */
class Suspects implements BinlogVisitor {
  isOver = false
  readonly #tables: ReadonlySet<string>

  constructor(tables: readonly TableId[]) {
    this.#tables = new Set(tables.map((id) => id.toString().toLowerCase()))
  }

  observe(event: BinlogEvent): void {
    if (event.tag === 'rows') {
      const { database, table } = event.table
      if (this.#tables.has(`${database}.${table}`.toLowerCase())) this.isOver = true
    } else if (event.tag === 'query') {
      // A change in the form of a statement, or rows of another event that XA COMMIT makes visible.
      const isControl = transactionControl(event.sql) !== null && !/^\s*XA\b/i.test(event.sql)
      if (!isControl) this.isOver = true
    } else if (event.tag === 'incident') this.isOver = true
  }
}

async function underLock(
  reader: MySqlConnection,
  tables: readonly TableId[],
  { flavor, serverInfo, config, connection, clock, logger }: ExactViewOptions,
  signal: AbortSignal,
): Promise<ServerPosition> {
  logger.info(
    `A lock on ${tables.length} tables is acquired for a moment, so that their rows, which cannot be copied beside the stream, are those of the position: ${tables.map(String).join(', ')}`,
  )
  const session = await MySqlConnection.open(connection, signal)
  const isMariaDb = flavor.name === 'mariadb'
  try {
    await requireServer(session, { flavor, identity: serverInfo.identity }, signal)
    if (isMariaDb) await lockInInnodb(session, { signal })
    const lock = await SnapshotLock.takeTables(session, tables, config, { clock, logger, signal })
    const end = await flavor.readPosition(reader, serverInfo, signal)
    await beginReading(reader, signal, { isReadOnly: config.snapshotOverrides.size > 0 })
    const place = isMariaDb ? await snapshotPlace({ connection: reader, wait: { signal } }) : end
    await lock.release(signal)
    return place
  } catch (error) {
    if (!(error instanceof CodedError) || error.code !== 'SNAPSHOT_LOCK_REFUSED') throw error
    const names = tables.map(String).join(', ')
    throw connectorErrors.SNAPSHOT_TABLES_NEED_LOCK({ tables: names, user: config.user }, error)
  } finally {
    await session.close()
  }
}

/** Half a second for each at most. A table that is changed all the time is locked then. */
const ATTEMPTS_MAX = 10
/** An XA COMMIT takes less. */
const XA_PAUSE_MS = 100
