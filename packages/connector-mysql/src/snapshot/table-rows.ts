import {
  type NotificationType,
  type Poll,
  type RecordFormat,
  RowMarkers,
  type SnapshotMarker,
  type SnapshotNumbers,
  type SnapshotTable,
  type TableId,
} from '@tributary/connector-kit'
import type { MySqlTable } from '../schema/mysql-table.ts'
import type { ConnectValue } from '@tributary/connect-api'
import type { MySqlConnection, RowReader, RowStream } from '@tributary/mysql'
import { doneOr, StoppedError, withTimeout, type Clock, type Logger } from '@tributary/support'
import type { IncrementalProgress } from '../offset/incremental-progress.ts'
import type { StreamPosition } from '../offset/stream-position.ts'
import type { SourceInfo } from '../source/source-info.ts'
import type { CapturedTable, TableCompiler } from '../tables/captured-table.ts'
import { quoted } from '../tables/quoted-name.ts'
import { rawColumnsWarning } from '../tables/unreadable-columns.ts'
import type { KeyPoint } from '../chunks/chunk-key.ts'
import { ChunkQuery, type ChunkSpan } from '../chunks/chunk-query.ts'
import { keySignature } from '../chunks/key-signature.ts'
import { estimateRowsLeft } from '../chunks/rows-left.ts'
import { connectorErrors } from '../errors.ts'
import { type PendingTable, SnapshotProgress } from '../offset/snapshot-progress.ts'
import { type KeyRange, rangeColumn, splitRange, WHOLE_TABLE } from './key-ranges.ts'
import { hasTextKey, keyedRows, orderingKey } from './row-keys.ts'
import { type KeyedTable, type OpenTable, type PartQuery, pendingOf, queryOf, TablePart } from './table-parts.ts'
import type { SnapshotPace } from '../pace/snapshot-pace.ts'
import { RowConnection } from './row-connection.ts'
import type { NotifySnapshot } from './snapshot-event.ts'
import { SnapshotRows, type SnapshotRow } from './snapshot-rows.ts'
import { prepareOverride } from './snapshot-override.ts'
import { snapshotSelect, type SnapshotSelect } from './snapshot-select.ts'
import type { TableGuard } from './table-guard.ts'

export interface TableRowsOptions {
  /** All in transactions that see the tables as of the same moment. */
  readonly connections: readonly MySqlConnection[]
  readonly tables: readonly MySqlTable[]
  readonly numbers: SnapshotNumbers
  /** Rows as the server estimates them; null: it was not asked. */
  readonly estimates: ReadonlyMap<TableId, number> | null
  readonly compiler: TableCompiler
  /** Statements of the user that select the rows of a table, by its name. */
  readonly overrides: ReadonlyMap<string, string>
  /** The snapshot's position, which all rows carry. */
  readonly offset: StreamPosition
  /** What offsets have of signals, which are handled while the rows are read. Default: what `offset` has. */
  readonly incremental?: () => IncrementalProgress
  /** The transaction that the rows are reported as of. Default: none, as in an initial snapshot. */
  readonly origin?: Pick<SourceInfo, 'serverId' | 'gtid'>
  /** Of a snapshot that continues: what is left of tables that were begun. Default: nothing was begun. */
  readonly pending?: ReadonlyMap<TableId, PendingTable>
  /**
   * `snapshotScopeOf`: offsets have the progress, and another task continues from there. Default: null, no progress.
   */
  readonly progressScope?: string | null
  /** Makes sure that a table is the one that is meant, when it is opened. Absent: the caller has. */
  readonly guard?: Pick<TableGuard, 'open'> | null
  readonly notify?: NotifySnapshot | undefined
  readonly format: RecordFormat<SourceInfo>
  readonly batchRowsMax: number
  /** Null or absent: nothing holds it up. */
  readonly pace?: Pick<SnapshotPace, 'spent'> | null
  readonly clock: Clock
  readonly logger: Logger
}

/** How long rows of small tables wait for those of the next tables: the topics of one poll are opened together. */
const GATHER_MS = 25

/**
 * Reads all rows of the tables, one batch per call. Each connection reads one table, or a part of one, at a time and
 * then the next; with one connection tables are read one after the other.
 */
export class TableRows {
  readonly #options: TableRowsOptions
  readonly #markers: RowMarkers<CapturedTable, SnapshotRow>
  readonly #connections: readonly RowConnection<TablePart>[]
  /** By the index of the table. */
  readonly #progress: readonly SnapshotTable[]
  /** Index of the connection to start with: no connection may starve the others. */
  #turn = 0
  /** Of the current batch, in runs that differ in table or marker. */
  #runs: Run[] = []
  #taken = 0
  #bytesSpent = 0
  #names: string | null = null
  #nextTable = 0
  /** Parts of open tables that no connection reads yet. */
  #parts: TablePart[] = []
  #total = 0
  /** Begun, and not handed over as a whole. */
  #open: OpenTable[] = []
  /** Taken from the list, and not open yet. */
  readonly #begun = new Set<TableId>()
  /** With the progress up to the end of the last batch. */
  #claimed: StreamPosition
  #wake: (() => void) | null = null

  constructor(options: TableRowsOptions) {
    this.#options = options
    const { numbers, tables } = options
    this.#claimed = options.offset
    this.#claimed = this.#claim()
    numbers.tableCount = tables.length
    numbers.remainingTables = tables.length
    // All of them: the time that is left depends on those that wait, too.
    this.#progress = tables.map((table) => this.#progressOf(table.id))
    this.#markers = new RowMarkers((table, row, marker) => this.#emit(table, row, marker))
    this.#connections = options.connections.map((each) => new RowConnection(each, () => this.#wake?.(), options))
  }

  /** Rows handed over so far. */
  get total(): number {
    return this.#total
  }

  /**
   * Hands over the next rows; returns false when there are no more. After an error the connections cannot be used any
   * more.
   */
  async handOver(poll: Poll): Promise<boolean> {
    const hasMore = await this.#handOver(poll)
    this.#noteSpent()
    return hasMore
  }

  async #handOver(poll: Poll): Promise<boolean> {
    this.#taken = 0
    // The task may have stored an offset with what a signal has changed: no record may have an older one.
    if (this.#options.incremental !== undefined) this.#claimed = this.#claim()
    this.#turn = (this.#turn + 1) % this.#connections.length
    const { clock, batchRowsMax } = this.#options
    const untilMs = clock.now() + GATHER_MS
    for (;;) {
      const changed = new Promise<void>((resolve) => {
        this.#wake = resolve
      })
      this.#takeArrived()
      const isDone = this.#isDone
      if (isDone) this.#markers.end()
      await this.#handRuns(poll)
      if (isDone) return this.#taken > 0
      if (this.#taken === 0) await doneOr(changed, poll.signal)
      else if (this.#taken >= batchRowsMax || !this.#isBetweenTables) return true
      else if (!(await this.#isDoneBefore(untilMs, changed, poll.signal))) return true
      poll.afterWait()
    }
  }

  /** The offset of the last record of a batch has the progress after the batch; those of the others, before it. */
  async #handRuns(poll: Poll): Promise<void> {
    const runs = this.#runs
    this.#runs = []
    const last = runs.at(-1)
    if (last === undefined) return
    const before = this.#claimed
    this.#claimed = this.#claim()
    last.rows.lastOffset = this.#claimed
    for (const run of runs) {
      const position = run === last ? this.#claimed : before
      const waiting = poll.handle({ tag: 'rows', rows: run.rows, position })
      if (waiting !== null) await waiting
    }
  }

  /** For the pace: since the last call. */
  #noteSpent(): void {
    const { pace } = this.#options
    if (pace === null || pace === undefined) return
    const bytes = this.#connections.reduce((sum, { bytesRead }) => sum + bytesRead, 0)
    pace.spent(this.#taken, bytes - this.#bytesSpent)
    this.#bytesSpent = bytes
  }

  /** What was handed over so far, for a snapshot that continues there. */
  get claimed(): StreamPosition {
    return this.#claimed
  }

  #claim(): StreamPosition {
    const { offset, tables, pending: before = new Map(), progressScope: scope = null, incremental } = this.#options
    if (scope === null) return incremental === undefined ? offset : this.#claimed.withIncremental(incremental())
    const open = this.#open.map((table) => ({
      table,
      pending: pendingOf(table, (row) => this.#markers.isHeld(table.marked, row)),
    }))
    this.#open = open.filter(({ pending }) => pending !== null).map(({ table }) => table)
    const pending = open.map((each) => each.pending).filter((each) => each !== null)
    const waiting = { waiting: tables, from: this.#nextTable, pending: before, scope }
    return offset.withSnapshotProgress(new SnapshotProgress([...pending, ...this.#opening], waiting))
  }

  /** Tables that a connection has begun to open. */
  get #opening(): readonly PendingTable[] {
    const { pending } = this.#options
    return [...this.#begun].map((id) => pending?.get(id) ?? { id, ranges: null, signature: null })
  }

  /**
   * True when no table is being read: many small ones may follow. Rows from the middle of a table do not wait for more.
   */
  get #isBetweenTables(): boolean {
    return this.#connections.every(({ stream }) => stream === null)
  }

  async #isDoneBefore(untilMs: number, changed: Promise<void>, signal: AbortSignal): Promise<boolean> {
    const { clock } = this.#options
    try {
      await withTimeout(clock, Math.max(0, untilMs - clock.now()), (limit) => doneOr(changed, limit), signal)
      return true
    } catch (error) {
      if (!(error instanceof StoppedError) || signal.aborted) throw error
      return false
    }
  }

  get #isDone(): boolean {
    const isIdle = this.#connections.every(({ stream, isWaiting }) => stream === null && !isWaiting)
    return isIdle && this.#nextTable >= this.#options.tables.length && this.#parts.length === 0
  }

  /** Takes rows that have arrived until a batch is full, or every connection waits or has nothing left to read. */
  #takeArrived(): void {
    const connections = this.#connections
    let idle = 0
    for (let i = this.#turn; idle < connections.length; i = (i + 1) % connections.length) {
      this.#turn = i
      if (this.#taken >= this.#options.batchRowsMax) return
      const connection = connections[i] as RowConnection<TablePart>
      connection.check()
      if (connection.isWaiting || !this.#advance(connection)) idle += 1
      else idle = 0
    }
  }

  /** Does the next step of a connection; returns false when that has to wait or there is none. */
  #advance(connection: RowConnection<TablePart>): boolean {
    const { part, stream } = connection
    if (part === null || stream === null) {
      this.#openNext(connection)
      return false
    }
    const { of } = part
    const { marked } = of
    const reader = of.keyed === null ? of.select.reader : of.keyed.rows.reader
    while (this.#taken < this.#options.batchRowsMax) {
      const values = nextRow(stream, reader, of.select)
      if (values === null) {
        if (!stream.isDone) {
          connection.await(stream)
          return false
        }
        connection.finish()
        part.isRead = true
        this.#endPart(of)
        return true
      }
      of.progress.rows += 1
      part.before = part.last
      part.last = values
      this.#markers.push(marked, values)
    }
    return true
  }

  /** Compiles each table when it is opened: there may be many. */
  #openNext(connection: RowConnection<TablePart>): void {
    const part = this.#parts.shift()
    if (part !== undefined) {
      connection.open(() => Promise.resolve(queryOf(part)))
      return
    }
    const definition = this.#options.tables[this.#nextTable]
    const progress = this.#progress[this.#nextTable]
    if (definition === undefined || progress === undefined) return
    this.#nextTable += 1
    this.#begun.add(definition.id)
    const { logger, tables } = this.#options
    logger.info(`Exporting data from table '${String(definition.id)}' (${this.#nextTable} of ${tables.length} tables)`)
    this.#notify('IN_PROGRESS', { current_collection_in_progress: definition.id.toString() })
    connection.open((opened) => this.#openTable(opened, definition, progress))
  }

  async #openTable(connection: MySqlConnection, definition: MySqlTable, progress: SnapshotTable): Promise<PartQuery> {
    const { compiler, clock, overrides, logger } = this.#options
    const { id } = definition
    const override = overrides.get(id.toString())
    const table = compiler.compileOnce(definition)
    if (table.refusal !== null) throw table.refusal
    const createSql = (await this.#options.guard?.open(connection, definition)) ?? null
    const keyed = override === undefined ? await this.#keyedOf(connection, table, createSql) : null
    const spans = keyed === null ? [WHOLE] : await this.#spansOf(connection, definition, keyed, progress)
    if (table.rawColumns.length > 0) logger.warn(rawColumnsWarning(id, table.rawColumns))
    if (override !== undefined) logger.info(`The rows of '${String(id)}' are those of: ${override}`)
    const select: SnapshotSelect =
      override === undefined
        ? snapshotSelect(table)
        : { tag: 'override', ...(await prepareOverride(connection, table, override)) }
    const of: OpenTable = {
      id,
      table,
      select,
      keyed,
      marked: this.#markers.beginTable(table),
      startMs: clock.now(),
      progress,
      parts: [],
      partsLeft: spans.length,
    }
    const parts = spans.map((span) => new TablePart(of, span))
    of.parts = parts
    this.#begun.delete(id)
    this.#open.push(of)
    const [first, ...others] = parts as [TablePart, ...TablePart[]]
    this.#parts.push(...others)
    return queryOf(first)
  }

  /** @throws SNAPSHOT_TABLES_CHANGED when the rows have another order than they had before */
  async #keyedOf(
    connection: MySqlConnection,
    table: CapturedTable,
    createSql: string | null,
  ): Promise<KeyedTable | null> {
    const definition = table.table
    const key = orderingKey(definition)
    if (key === null) return null
    const createTable = async (): Promise<string> => createSql ?? (await readCreateTable(connection, definition.id))
    const signature = hasTextKey(key) ? keySignature(await createTable(), key) : null
    const pending = this.#options.pending?.get(definition.id)
    if (pending !== undefined && pending.ranges !== null && pending.signature !== signature) {
      throw connectorErrors.SNAPSHOT_TABLES_CHANGED({
        reason: `the order of the keys of ${definition.id.toString()} is another one`,
      })
    }
    return { query: new ChunkQuery(definition, key), rows: keyedRows(table, key), signature }
  }

  #progressOf(id: TableId): SnapshotTable {
    const { numbers, estimates, overrides, pending } = this.#options
    const name = id.toString()
    const isWhole = !overrides.has(name) && (pending?.get(id)?.ranges ?? null) === null
    const progress = { name, rows: 0, estimatedRows: isWhole ? (estimates?.get(id) ?? null) : null, isDone: false }
    numbers.tables.set(name, progress)
    return progress
  }

  /** With more than one connection, a large table is read in parts. At least one. */
  async #spansOf(
    connection: MySqlConnection,
    definition: MySqlTable,
    { query }: KeyedTable,
    progress: SnapshotTable,
  ): Promise<readonly ChunkSpan[]> {
    const left = this.#options.pending?.get(definition.id)?.ranges ?? null
    const points = left?.flatMap(({ after, upTo }) => [after, upTo]) ?? []
    // A range that cannot be read is read as the whole table: rows are then repeated, none is left out.
    if (left !== null && left.length > 0 && points.every((point) => point === null || query.isPoint(point))) {
      progress.estimatedRows = await estimateRowsLeft(connection, query, left)
      return left.map(({ after, upTo }) => ({ after, upTo, condition: null }))
    }
    return (await this.#rangesOf(connection, definition)).map(spanOf)
  }

  async #rangesOf(connection: MySqlConnection, definition: MySqlTable): Promise<readonly KeyRange[]> {
    const count = this.#connections.length
    const column = count > 1 ? rangeColumn(definition) : null
    if (column === null) return [WHOLE_TABLE]
    const { database, table } = definition.id
    const name = quoted(column)
    const [row] = await connection.query(
      `SELECT MIN(${name}), MAX(${name}) FROM ${quoted(database)}.${quoted(table)}`,
      `finding the range of keys of ${definition.id.toString()}`,
    )
    const [lowest, highest] = row ?? []
    if (typeof lowest !== 'string' || typeof highest !== 'string') return [WHOLE_TABLE]
    return splitRange(BigInt(lowest), BigInt(highest), count)
  }

  #endPart(of: OpenTable): void {
    of.partsLeft -= 1
    if (of.partsLeft > 0) return
    const { clock, logger, numbers } = this.#options
    of.progress.isDone = true
    numbers.remainingTables -= 1
    this.#markers.endTable(of.marked)
    this.#notify('TABLE_SCAN_COMPLETED', {
      scanned_collection: of.table.table.id.toString(),
      total_rows_scanned: String(of.progress.rows),
      status: 'SUCCEEDED',
    })
    logger.info(
      `Finished exporting ${of.progress.rows} records for table '${of.table.table.id.toString()}' in ${clock.now() - of.startMs} ms`,
    )
  }

  #notify(type: NotificationType, data: Readonly<Record<string, string>>): void {
    const { notify, tables } = this.#options
    // Once: there may be thousands, each with notifications of its own.
    this.#names ??= tables.map(({ id }) => id.toString()).join(',')
    notify?.(type, { ...data, data_collections: this.#names })
  }

  #emit(table: CapturedTable, row: SnapshotRow, marker: SnapshotMarker): void {
    this.#total += 1
    this.#taken += 1
    const last = this.#runs.at(-1)
    if (last !== undefined && last.table === table && last.marker === marker) {
      last.rows.rows.push(row)
      return
    }
    const run: Run = { table, marker, rows: this.#rowsOf(table, marker) }
    run.rows.rows.push(row)
    this.#runs.push(run)
  }

  /** Rows of one table differ in their source block only by the marker. */
  #rowsOf(table: CapturedTable, marker: SnapshotMarker): SnapshotRows {
    const { format, origin } = this.#options
    const offset = this.#claimed
    const { id } = table.table
    const source = format.source({
      timestampSeconds: offset.timestampSeconds,
      timestampMicros: offset.timestampSeconds * 1e6,
      serverId: origin?.serverId ?? 0,
      gtid: origin?.gtid ?? null,
      file: offset.file,
      position: offset.position,
      row: 0,
      snapshot: marker,
      threadId: null,
      query: null,
      database: id.database,
      table: id.table,
    })
    return new SnapshotRows({ table: table.schema, source, offsetBefore: offset, offset })
  }
}

async function readCreateTable(connection: MySqlConnection, id: TableId): Promise<string> {
  const name = `${quoted(id.database)}.${quoted(id.table)}`
  const [row] = await connection.query(`SHOW CREATE TABLE ${name}`, `reading the definition of ${id.toString()}`)
  return row?.[1] ?? ''
}

const WHOLE: ChunkSpan = { after: null, upTo: null, condition: null }

/** The same keys, between two of them: after the first one, up to the last one. */
function spanOf({ from, to }: KeyRange): ChunkSpan {
  const point = (border: bigint | null): KeyPoint | null => (border === null ? null : [String(border - 1n)])
  return { after: point(from), upTo: point(to), condition: null }
}

function nextRow(stream: RowStream, reader: RowReader<ConnectValue>, select: SnapshotSelect): ConnectValue[] | null {
  if (select.tag === 'own') return stream.next(reader)
  try {
    return stream.next(reader)
  } catch (error) {
    throw select.explain(error)
  }
}

interface Run {
  readonly table: CapturedTable
  readonly marker: SnapshotMarker
  readonly rows: SnapshotRows
}
