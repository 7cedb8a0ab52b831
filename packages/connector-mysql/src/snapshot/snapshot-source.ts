import type { PollResult, SourcePartition, SourceRecord } from '@tributary/connect-api'
import type {
  ChangeEventSource,
  DataChangeRecords,
  HistoryRecord,
  RecordFormat,
  SchemaChangeRecords,
  SchemaHistory,
  TableId,
} from '@tributary/connector-kit'
import { MySqlConnection, type MySqlConnectionOptions } from '@tributary/mysql'
import {
  BackOff,
  CodedError,
  isRetriable,
  StoppedError,
  toError,
  withTimeout,
  type Clock,
  type Logger,
} from '@tributary/support'
import type { ConnectorConfig } from '../config/connector-config.ts'
import { connectorErrors } from '../errors.ts'
import type { Flavor, ServerInfo, ServerPosition } from '../flavor/flavor.ts'
import { MySqlOffset, type StoredPosition } from '../offset/mysql-offset.ts'
import type { DdlInterpreter } from '../schema/ddl-interpreter.ts'
import { type SchemaChange, tableNames } from '../schema/schema-change.ts'
import type { SourceInfo } from '../source/source-info.ts'
import type { TableCompiler } from '../tables/captured-table.ts'
import { LockWaitError, SnapshotLock } from './snapshot-lock.ts'
import { findTables, readStructure, type FoundTables, type StructureStatement } from './snapshot-structure.ts'
import { TableRows } from './table-rows.ts'

export interface SnapshotSourceOptions {
  readonly config: ConnectorConfig
  readonly flavor: Flavor
  readonly serverInfo: ServerInfo
  readonly connection: MySqlConnectionOptions
  readonly interpreter: DdlInterpreter
  readonly compiler: TableCompiler
  readonly history: SchemaHistory
  readonly format: RecordFormat<SourceInfo>
  readonly records: DataChangeRecords
  /** Null: `include.schema.changes` is off. */
  readonly schemaChanges: SchemaChangeRecords | null
  readonly partition: SourcePartition
  readonly clock: Clock
  readonly logger: Logger
}

/** A change with what is needed of it later: there may be tens of thousands. */
type StructureChange = Pick<SchemaChange, 'databaseName' | 'ddl' | 'changes'>

/** What steps 1 to 6 lead to: a transaction that sees the tables as they were at the position. */
interface OpenSnapshot {
  readonly connection: MySqlConnection
  /** What the schema change topic is still to be told, before the rows. */
  untold: readonly StructureChange[]
  readonly offset: MySqlOffset
  readonly rows: TableRows
  /** The lock of the mode `extended`, which is held to the end. */
  readonly lock: { readonly held: SnapshotLock; readonly connection: MySqlConnection } | null
}

/**
 * The initial snapshot, in the seven steps of SPEC.md. The read lock is held from step 3 until after step 6; the rows are read by
 * a transaction that was begun under it, so they are as of the position of step 4.
 *
 * A snapshot whose connection is lost begins again at step 1, after a pause: rows are then given again, none is left out.
 */
export class SnapshotSource implements ChangeEventSource {
  readonly #options: SnapshotSourceOptions
  readonly #backOff = new BackOff({ initialMs: 500, maxMs: 30_000 })
  readonly #lockBackOff = new BackOff({ initialMs: 10_000, maxMs: 300_000 })
  #open: OpenSnapshot | null = null
  #finished: MySqlOffset | null = null

  constructor(options: SnapshotSourceOptions) {
    this.#options = options
  }

  /** Where the stream begins: known when the snapshot is over. */
  get end(): StoredPosition | null {
    if (this.#finished === null) return null
    const { restart, origin } = this.#finished
    return {
      file: restart.file,
      position: restart.position,
      gtids: restart.gtids === null ? null : restart.gtids.toString(),
      transaction: null,
      event: 0,
      row: 0,
      timestampSeconds: origin.timestampSeconds,
      serverId: 0,
      isSnapshotUnfinished: false,
      recordFormat: origin.recordFormat,
      serverIdentity: origin.serverIdentity,
    }
  }

  async poll(signal: AbortSignal): Promise<PollResult | null> {
    if (this.#finished !== null) return null
    try {
      return await this.#step(signal)
    } catch (thrown) {
      const error = tableChange(this.#lockWait(toError(thrown)))
      await this.close()
      if (error instanceof StoppedError || !isRetriable(error)) throw error
      const isLock = error instanceof CodedError && error.code === 'SNAPSHOT_LOCK_WAIT'
      const pause = (isLock ? this.#lockBackOff : this.#backOff).next()
      this.#options.logger.warn(`The snapshot begins again in ${pause} ms`, { error })
      await this.#options.clock.sleep(pause, signal)
      return { records: [], progress: null }
    }
  }

  /** A lock that is waited for holds up the writes of others: it is not tried for ever, and with growing pauses. */
  #lockWait(error: Error): Error {
    if (!(error instanceof LockWaitError)) return error
    const tries = this.#lockBackOff.failures + 1
    if (tries < LOCK_TRIES_MAX) {
      return connectorErrors.SNAPSHOT_LOCK_WAIT({ ...error.wait, tries, triesMax: LOCK_TRIES_MAX }, error)
    }
    return connectorErrors.SNAPSHOT_LOCK_GIVEN_UP({ tries, reason: error.message }, error)
  }

  async #step(signal: AbortSignal): Promise<PollResult> {
    this.#open ??= await this.#begin(signal)
    const open = this.#open
    if (open.untold.length > 0) return { records: this.#tellNext(open), progress: null }
    const records = await open.rows.read(signal)
    return records === null ? this.#finish(open) : { records, progress: null }
  }

  /** Steps 1 to 6. */
  async #begin(signal: AbortSignal): Promise<OpenSnapshot> {
    const { connection: options, logger, config, history } = this.#options
    logger.info('Snapshot step 1 - Preparing')
    // Under the lock nothing may wait for a broker that is away.
    await history.prepare(signal)
    const connection = await MySqlConnection.open(options, signal)
    const lockConnection = config.snapshotLocking === 'none' ? null : await this.#openLock(connection, signal)
    // Statements do not take the signal: they end with their connections.
    const onAbort = (): void => {
      void connection.close()
      void lockConnection?.close()
    }
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      await prepareSession(connection)
      logger.info('Snapshot step 2 - Determining captured tables')
      const found = await findTables(connection, config.filter)
      if (found.denied.length > 0) {
        logger.warn(`Left out, since the user may not list their tables: ${found.denied.join(', ')}`)
      }
      if (found.captured.length === 0) logger.warn(NOTHING_CAPTURED)
      else logger.info(`Captured tables: ${listOf(found.captured)}`)
      return await this.#underLock({ connection, lockConnection, found, signal })
    } catch (error) {
      await connection.close()
      await lockConnection?.close()
      throw signal.aborted ? new StoppedError() : error
    } finally {
      signal.removeEventListener('abort', onAbort)
    }
  }

  async #openLock(connection: MySqlConnection, signal: AbortSignal): Promise<MySqlConnection> {
    try {
      return await MySqlConnection.open(this.#options.connection, signal)
    } catch (error) {
      await connection.close()
      throw error
    }
  }

  async #underLock(parts: UnderLock): Promise<OpenSnapshot> {
    const { clock, logger, config, serverInfo } = this.#options
    const { connection, lockConnection, signal } = parts
    logger.info(`Snapshot step 3 - Locking captured tables [${listOf(parts.found.captured)}]`)
    const lock =
      lockConnection === null
        ? null
        : await SnapshotLock.take(lockConnection, parts.found.captured, config, { clock, logger })
    const found = lock === null ? parts.found : await this.#listAgain(connection, parts.found, lock)
    logger.info('Snapshot step 4 - Determining snapshot offset')
    const offset = this.#offset(await this.#beginTransaction(connection, lock !== null), true)
    logger.info('Read binlog position of the server', { ...offset.toDocument() })
    logger.info('Snapshot step 5 - Reading structure of captured tables')
    const structure = await readStructure(connection, found, serverInfo)
    logger.info('Snapshot step 6 - Persisting schema history')
    const untold = await this.#persist(structure, offset, signal)
    const isKept = config.snapshotLocking === 'extended' && lock !== null && lockConnection !== null
    if (!isKept) {
      await lock?.release()
      await lockConnection?.close()
    }
    logger.info('Snapshot step 7 - Snapshotting data')
    const rows = this.#tableRows(connection, found, offset)
    const kept = isKept ? { held: lock, connection: lockConnection } : null
    return { connection, untold, offset, rows, lock: kept }
  }

  /** Tables come and go while a lock is waited for: what counts is what is there under it. */
  async #listAgain(connection: MySqlConnection, listed: FoundTables, lock: SnapshotLock): Promise<FoundTables> {
    const found = await findTables(connection, this.#options.config.filter)
    if (!lock.isGlobal && found.captured.map(String).join() !== listed.captured.map(String).join()) {
      throw connectorErrors.SNAPSHOT_TABLES_CHANGED({
        reason: 'tables were created or dropped while others were locked',
      })
    }
    return found
  }

  /**
   * Under a lock the order does not matter. Without one the position comes first: changes between it and the transaction are
   * then streamed again; the other way round they would be lost.
   */
  async #beginTransaction(connection: MySqlConnection, isLocked: boolean): Promise<ServerPosition> {
    const { flavor, serverInfo } = this.#options
    const begin = async (): Promise<void> => {
      await connection.query('SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ', 'beginning the snapshot')
      await connection.query('START TRANSACTION WITH CONSISTENT SNAPSHOT', 'beginning the snapshot')
    }
    if (isLocked) await begin()
    const position = await flavor.readPosition(connection, serverInfo)
    if (!isLocked) await begin()
    return position
  }

  #offset({ file, position, gtids }: ServerPosition, isSnapshot: boolean): MySqlOffset {
    const timestampSeconds = Math.floor(this.#options.clock.now() / 1000)
    const { format, serverInfo } = this.#options
    return new MySqlOffset(
      { file, position, gtids: gtids === null || String(gtids) === '' ? null : gtids, transaction: null },
      {
        timestampSeconds,
        serverId: 0,
        isSnapshot,
        recordFormat: format.name,
        serverIdentity: serverInfo.identity,
      },
    )
  }

  /** Builds the table model of the statements and stores them in the history; gives what the schema change topic is to be told. */
  async #persist(
    structure: readonly StructureStatement[],
    offset: MySqlOffset,
    signal: AbortSignal,
  ): Promise<readonly StructureChange[]> {
    const { interpreter, schemaChanges } = this.#options
    const events: StructureChange[] = []
    for (const { database, sql } of structure) {
      const outcome = interpreter.interpret(sql, { database })
      if (outcome.error !== null) throw outcome.error
      for (const { databaseName, ddl, changes } of outcome.events) events.push({ databaseName, ddl, changes })
    }
    for (let from = 0; from < events.length; from += HISTORY_BATCH_RECORDS) {
      await this.#append(events.slice(from, from + HISTORY_BATCH_RECORDS), offset, signal)
    }
    return schemaChanges === null ? [] : events
  }

  /** The database waits for this: a broker that does not answer must not hold it up for long. */
  async #append(events: readonly StructureChange[], offset: MySqlOffset, signal: AbortSignal): Promise<void> {
    const { history, partition, clock } = this.#options
    const position = offset.toDocument()
    const records = events.map(({ databaseName, ddl, changes }): HistoryRecord => ({
      source: partition,
      position,
      timestampMs: clock.now(),
      databaseName,
      ddl,
      changes,
    }))
    try {
      await withTimeout(clock, HISTORY_LIMIT_MS, (limit) => history.append(records, limit), signal)
    } catch (error) {
      if (!(error instanceof StoppedError) || signal.aborted) throw error
      throw connectorErrors.SNAPSHOT_HISTORY_LATE({ seconds: HISTORY_LIMIT_MS / 1000 }, error)
    }
  }

  /** The next records of the schema change topic, a batch: those of 10,000 tables would take more than 100 MB together. */
  #tellNext(open: OpenSnapshot): readonly SourceRecord[] {
    const { batchRowsMax } = this.#options.config
    const records: SourceRecord[] = []
    for (const change of open.untold.slice(0, batchRowsMax)) this.#tell(change, open.offset, records)
    open.untold = open.untold.slice(batchRowsMax)
    return records
  }

  #tell(event: StructureChange, offset: MySqlOffset, out: SourceRecord[]): void {
    const { schemaChanges, format, clock } = this.#options
    if (schemaChanges === null) return
    const { databaseName, ddl, changes } = event
    const source = format.source({
      timestampSeconds: offset.origin.timestampSeconds,
      timestampMicros: clock.nowMicros(),
      serverId: 0,
      gtid: null,
      file: offset.restart.file,
      position: offset.restart.position,
      row: 0,
      snapshot: 'true',
      threadId: null,
      database: databaseName,
      table: tableNames([event]),
    })
    out.push(schemaChanges.record({ databaseName, ddl, changes, source, offset }))
  }

  #tableRows(connection: MySqlConnection, { captured }: FoundTables, offset: MySqlOffset): TableRows {
    const { config, format, records, interpreter, compiler, clock, logger } = this.#options
    const tables = captured.map((id) => interpreter.tables.get(id)).filter((table) => table !== undefined)
    return new TableRows({
      connection,
      tables,
      compiler,
      offset,
      format,
      records,
      batchRowsMax: config.batchRowsMax,
      clock,
      logger,
    })
  }

  async #finish({ connection, offset, rows, lock }: OpenSnapshot): Promise<PollResult> {
    const { logger, partition } = this.#options
    await connection.query('COMMIT', 'ending the snapshot')
    await lock?.held.release()
    this.#finished = offset.withoutSnapshot()
    logger.info('Snapshot completed', { rows: rows.total })
    const progress = { partition, offset: this.#finished, isMilestone: true }
    logger.info(
      `Snapshot ended with SnapshotResult [status=COMPLETED, offset=${JSON.stringify(progress.offset.toDocument())}]`,
    )
    return { records: [], progress }
  }

  async close(): Promise<void> {
    const open = this.#open
    this.#open = null
    await open?.connection.close()
    await open?.lock?.connection.close()
  }
}

interface UnderLock {
  readonly connection: MySqlConnection
  readonly lockConnection: MySqlConnection | null
  readonly found: FoundTables
  readonly signal: AbortSignal
}

/**
 * The session in which everything is read: instants in UTC; text in the charset of its column, as in the binlog; SHOW CREATE TABLE
 * in its plain form; and a server that waits when the brokers make us wait.
 */
async function prepareSession(connection: MySqlConnection): Promise<void> {
  const set = (text: string): Promise<unknown> => connection.query(`SET SESSION ${text}`, 'preparing the snapshot')
  await set("time_zone = '+00:00'")
  await set("sql_mode = ''")
  await set('sql_quote_show_create = 1')
  await set(`net_write_timeout = ${NET_WRITE_TIMEOUT_S}`)
  await set('character_set_results = NULL')
}

/** With pauses that grow to five minutes, a good half hour: longer than most backups and reports hold up a lock. */
const LOCK_TRIES_MAX = 12

/** As long as writes to the database may wait for the next batch of the schema history. */
const HISTORY_LIMIT_MS = 30_000
/** A second of work at most, with ten columns a table on a slow machine: a limit for all tables would say how many there may be. */
const HISTORY_BATCH_RECORDS = 1_000

/** A definition that was changed since the transaction began (1412), a table that is gone (1146): a new beginning mends both. */
const ERRNOS_OF_CHANGE: ReadonlySet<unknown> = new Set([1412, 1146])

function tableChange(error: Error): Error {
  for (let each: unknown = error; each instanceof Error; each = each.cause) {
    if ('errno' in each && ERRNOS_OF_CHANGE.has(each.errno)) {
      return connectorErrors.SNAPSHOT_TABLES_CHANGED({ reason: each.message }, error)
    }
  }
  return error
}

const NOTHING_CAPTURED =
  'The include and exclude lists let no table through that the user may see. Compare database.include.list and table.include.list with SHOW DATABASES and SHOW TABLES, run as that user; a table that is created later is captured when it matches'

/** The names for a line of the log. */
function listOf(tables: readonly TableId[]): string {
  const names = tables.slice(0, LISTED_TABLES_MAX).map(String).join(', ')
  return tables.length > LISTED_TABLES_MAX ? `${names} and ${tables.length - LISTED_TABLES_MAX} more` : names
}

/** More of them nobody reads. */
const LISTED_TABLES_MAX = 100

/** One day: longer than any pause of a consumer that is not given up; the server's default is 60 s. */
const NET_WRITE_TIMEOUT_S = 86_400
