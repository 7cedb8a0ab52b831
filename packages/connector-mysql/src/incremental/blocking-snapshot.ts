import type { Poll, RecordFormat, SnapshotNumbers, TableId, Tables } from '@tributary/connector-kit'
import type { MySqlConnection, MySqlConnectionOptions } from '@tributary/mysql'
import { BackOff, type Clock, type Logger, StoppedError, toError } from '@tributary/support'
import { beginView } from '../chunks/read-view.ts'
import { connectorErrors } from '../errors.ts'
import type { Flavor, ServerInfo } from '../flavor/flavor.ts'
import { readVariables } from '../flavor/server-variables.ts'
import type { SnapshotCollection } from '../offset/incremental-progress.ts'
import type { StreamPosition } from '../offset/stream-position.ts'
import type { DdlInterpreter } from '../schema/ddl-interpreter.ts'
import type { MySqlTable } from '../schema/mysql-table.ts'
import type { NotifySnapshot } from '../snapshot/snapshot-event.ts'
import type { SnapshotPace } from '../pace/snapshot-pace.ts'
import { RowEstimates } from '../snapshot/row-estimates.ts'
import { openSession } from '../snapshot/snapshot-session.ts'
import { TableRows } from '../snapshot/table-rows.ts'
import type { SourceInfo } from '../source/source-info.ts'
import type { TableCompiler } from '../tables/captured-table.ts'
import { quoted } from '../tables/quoted-name.ts'
import { checkDefinition, createStatement } from './definition-check.ts'
import type { IncrementalSnapshot } from './incremental-snapshot.ts'

export interface BlockingSnapshotOptions {
  /** Has the tables in its progress, and the position of the stream. */
  readonly snapshot: Pick<IncrementalSnapshot, 'progress' | 'position' | 'change'>
  readonly connection: MySqlConnectionOptions
  readonly flavor: Flavor
  readonly serverInfo: ServerInfo
  readonly interpreter: Pick<DdlInterpreter, 'derive'>
  readonly tables: Pick<Tables<MySqlTable>, 'get'>
  readonly isCaptured: (id: TableId) => boolean
  readonly compiler: TableCompiler
  readonly format: RecordFormat<SourceInfo>
  readonly batchRowsMax: number
  readonly numbers: SnapshotNumbers
  readonly pace: SnapshotPace | null
  readonly notify?: NotifySnapshot | undefined
  readonly clock: Clock
  readonly logger: Logger
}

/** Tables that are being read. */
interface Reading {
  /** What was asked for, also of tables that are left out: the objects of the progress. */
  readonly entries: readonly SnapshotCollection[]
  /** Null: none of the tables can be copied. */
  readonly source: Source | null
  readonly startMs: number
}

interface Source {
  readonly connection: MySqlConnection
  readonly rows: TableRows
  readonly estimates: RowEstimates
  readonly tables: readonly TableId[]
}

/**
 * Copies tables while the stream waits, all as of one moment, which is not before the position of the stream. Then the
 * stream continues there: changes between the two follow, so that each row ends as it is.
 *
 * An error ends the attempt, and the stream continues until the next one: it may have to reach a statement first. The
 * tables stay in the offset until all of them are complete; a restart begins with the first one again.
 *
 * Signals of the file and of the topic arrive while tables are read. Tables that they add are read after these. When they
 * stop a table that is being read, the reading ends, and the others begin again at another moment: the stream may have
 * continued, and the view would be older than it.
 *
 * Called by the loop of the task.
 */
export class BlockingSnapshot implements AsyncDisposable {
  readonly #options: BlockingSnapshotOptions
  readonly #backOff = new BackOff({ initialMs: 500, maxMs: 30_000 })
  #reading: Reading | null = null
  #retryMs = 0
  /** It waits for the load before it begins. */
  #isHeld = false

  constructor(options: BlockingSnapshotOptions) {
    this.#options = options
  }

  /** Rows are being read. */
  get isReading(): boolean {
    return this.#reading !== null
  }

  /** There is nothing to read, and nothing to end. */
  get isQuiet(): boolean {
    return this.#reading === null && !this.#isHeld && this.#options.snapshot.progress.blocking.length === 0
  }

  /** Hands over the next rows. Returns whether the stream has to wait. */
  async poll(poll: Poll, isInTransaction: boolean): Promise<boolean> {
    const { progress, position } = this.#options.snapshot
    await this.#endStopped(progress.blocking)
    if (progress.blocking.length === 0) {
      if (this.#isHeld) this.#options.pace?.rest()
      this.#isHeld = false
      return false
    }
    if (position === null || isInTransaction || position.isInTransaction) return false
    if (this.#reading === null && this.#options.clock.monotonicMs() < this.#retryMs) return false
    // The stream goes on while the source is to be spared.
    this.#isHeld = this.#reading === null && this.#options.pace?.isHeld === true
    if (this.#isHeld) return false
    try {
      this.#reading ??= await this.#begin(position.withIncremental(progress), poll.signal)
      const reading = this.#reading
      if (reading.source !== null && (await this.#options.pace?.waitInTransaction(poll.signal)) === true)
        return !(await this.#endHeld(reading))
      if (reading.source !== null && (await reading.source.rows.handOver(poll))) return true
      await this.#finish(reading)
    } catch (thrown) {
      await this[Symbol.asyncDispose]()
      if (thrown instanceof StoppedError) throw thrown
      this.#fail(toError(thrown), progress.blocking)
    }
    return poll.records.length > 0
  }

  /** By the objects: the same table may have been asked for again. */
  async #endStopped(blocking: readonly SnapshotCollection[]): Promise<void> {
    const reading = this.#reading
    if (reading === null || reading.entries.every((entry) => blocking.includes(entry))) return
    await this[Symbol.asyncDispose]()
    const names = reading.entries.map(({ id }) => id.toString()).join(', ')
    this.#options.logger.warn(
      `The blocking snapshot of ${names} ended before it was complete; ${blocking.length === 0 ? 'the stream continues' : 'the tables that were not stopped are read again'}`,
    )
    this.#options.notify?.('ABORTED')
  }

  /** Ends a reading that the load holds up for long: the stream would stand still with it. Returns whether it did. */
  async #endHeld({ entries }: Reading): Promise<boolean> {
    const { pace, logger, notify } = this.#options
    const heldMs = pace?.heldMs ?? 0
    if (heldMs < HELD_MS_MAX) return false
    const reason = this.#options.numbers.waitsFor ?? ''
    await this[Symbol.asyncDispose]()
    const names = entries.map(({ id }) => id.toString()).join(', ')
    logger.warn(
      `The blocking snapshot of ${names} has waited for ${Math.round(heldMs / 60_000)} minutes (${reason}): the stream continues, and it begins again when it may read`,
    )
    notify?.('ABORTED')
    return true
  }

  async #begin(position: StreamPosition, signal: AbortSignal): Promise<Reading> {
    const { snapshot, clock } = this.#options
    const entries = firstOfEachTable(snapshot.progress.blocking)
    const tables = entries.flatMap(({ id }) => this.#definitionOf(id))
    const source = tables.length === 0 ? null : await this.#open(entries, tables, position, signal)
    return { entries, source, startMs: clock.monotonicMs() }
  }

  async #open(
    entries: readonly SnapshotCollection[],
    tables: readonly MySqlTable[],
    position: StreamPosition,
    signal: AbortSignal,
  ): Promise<Source> {
    const { connection: options, snapshot, compiler, format, batchRowsMax, clock, logger } = this.#options
    const { notify, numbers, pace } = this.#options
    const ids = tables.map(({ id }) => id)
    logger.info(`Blocking snapshot of ${ids.map(String).join(', ')} begins; the stream waits`)
    notify?.('STARTED')
    numbers.begin(clock.now(), 'blocking')
    const connection = await openSession(options, signal)
    try {
      await this.#beginView(connection, position, tables, signal)
      const overrides = entries.flatMap(({ id, condition }) =>
        condition === null ? [] : [[id.toString(), condition] as const],
      )
      const rows = new TableRows({
        connections: [connection],
        tables,
        numbers,
        estimates: null,
        notify,
        compiler,
        overrides: new Map(overrides),
        offset: position,
        incremental: () => snapshot.progress,
        origin: { serverId: position.serverId, gtid: position.lastTransaction },
        format,
        batchRowsMax: pace?.batchRowsMax(batchRowsMax) ?? batchRowsMax,
        pace,
        clock,
        logger,
      })
      const except = (id: TableId): boolean => overrides.some(([name]) => name === id.toString())
      const estimates = new RowEstimates({ connection: options, numbers, except, logger })
      return { connection, rows, estimates, tables: ids }
    } catch (error) {
      await connection.close()
      throw error
    }
  }

  #definitionOf(id: TableId): readonly MySqlTable[] {
    const { tables, isCaptured, logger } = this.#options
    const table = isCaptured(id) ? tables.get(id) : undefined
    if (table !== undefined) return [table]
    logger.error(`The blocking snapshot leaves out the table '${id.toString()}': it was dropped, or is not captured`)
    return []
  }

  async #beginView(
    connection: MySqlConnection,
    handled: StreamPosition,
    tables: readonly MySqlTable[],
    signal: AbortSignal,
  ): Promise<void> {
    const { flavor, serverInfo, interpreter } = this.#options
    const wait = { signal }
    const identity = flavor.identityOf(await readVariables(connection, flavor.identityVariables, signal))
    if (handled.serverIdentity !== null && handled.serverIdentity !== identity) {
      const { address } = connection
      throw connectorErrors.INCREMENTAL_OTHER_SERVER({ address, identity, stream: handled.serverIdentity })
    }
    await connection.query('SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ', SETTING_UP, wait)
    await connection.query(`SET SESSION lock_wait_timeout = ${LOCK_WAIT_S}`, SETTING_UP, wait)
    await beginView(
      { connection, flavor, serverInfo, handled, wait },
      tables.map(({ id }) => id),
    )
    for (const known of tables) {
      const { id } = known
      // From here on no statement can alter the table until its rows have been read.
      await connection.query(
        `SELECT 1 FROM ${quoted(id.database)}.${quoted(id.table)} LIMIT 0`,
        `opening the table ${id.toString()}`,
        wait,
      )
      const createSql = await createStatement(connection, id, wait)
      await checkDefinition({ connection, interpreter, known, createSql }, wait)
    }
  }

  async #finish({ entries, source, startMs }: Reading): Promise<void> {
    const { snapshot, clock, logger, numbers } = this.#options
    if (source !== null) numbers.end('completed', clock.now())
    await this[Symbol.asyncDispose]()
    this.#backOff.reset()
    logger.outages?.ended(ACTIVITY)
    snapshot.change(
      snapshot.progress.withBlocking(snapshot.progress.blocking.filter((each) => !entries.includes(each))),
    )
    if (source === null) return
    this.#options.notify?.('COMPLETED')
    const took = clock.monotonicMs() - startMs
    logger.info(
      `The blocking snapshot of ${source.tables.map(String).join(', ')} is complete (rows: ${source.rows.total}, ${Math.round(took)} ms); the stream continues`,
    )
  }

  #fail(error: Error, blocking: readonly SnapshotCollection[]): void {
    const { logger, clock, notify } = this.#options
    notify?.('ABORTED')
    const pauseMs = this.#backOff.next()
    this.#retryMs = clock.monotonicMs() + pauseMs
    logger.outages?.failed(ACTIVITY, error, pauseMs)
    const names = blocking.map(({ id }) => id.toString()).join(', ')
    logger.warn(
      `The blocking snapshot of ${names} failed; it begins again in ${pauseMs} ms, and a stop-snapshot signal of the type blocking ends that`,
      { error },
    )
  }

  /** Ends the attempt. */
  async [Symbol.asyncDispose](): Promise<void> {
    const reading = this.#reading
    this.#reading = null
    const { numbers, clock } = this.#options
    // One that was complete has ended before.
    if (reading !== null) this.#options.pace?.rest()
    if (numbers.kind === 'blocking' && numbers.state === 'running') numbers.end('aborted', clock.now())
    await reading?.source?.estimates[Symbol.asyncDispose]()
    await reading?.source?.connection.close()
  }
}

/** A table that was asked for twice, with other conditions, is read again after these. */
function firstOfEachTable(entries: readonly SnapshotCollection[]): readonly SnapshotCollection[] {
  return entries.filter(({ id }, i) => entries.findIndex((each) => each.id === id) === i)
}

const SETTING_UP = 'setting up the session'
const ACTIVITY = 'reading the blocking snapshot'
/** Long enough for a peak; a replica that is down may stay so for hours. */
const HELD_MS_MAX = 300_000
/** Short enough for DDL of other sessions that waits behind the lock request. */
const LOCK_WAIT_S = 10
