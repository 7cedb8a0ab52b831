import type { ConnectValue, SourceRecord, Struct } from '@tributary/connect-api'
import type { DataChangeRecords, RecordFormat, SnapshotMarker, Table } from '@tributary/connector-kit'
import { type MySqlConnection, RowStream } from '@tributary/mysql'
import type { Clock, Logger } from '@tributary/support'
import type { MySqlOffset } from '../offset/mysql-offset.ts'
import type { SourceInfo } from '../source/source-info.ts'
import type { CapturedTable, TableCompiler } from '../tables/captured-table.ts'
import { RowMarkers } from './row-markers.ts'
import { snapshotSelect, type SnapshotSelect } from './snapshot-select.ts'

export interface TableRowsOptions {
  readonly connection: MySqlConnection
  readonly tables: readonly Table[]
  readonly compiler: TableCompiler
  /** The snapshot's position, which all rows carry. */
  readonly offset: MySqlOffset
  readonly format: RecordFormat<SourceInfo>
  readonly records: DataChangeRecords
  readonly batchRowsMax: number
  readonly clock: Clock
  readonly logger: Logger
}

interface MarkedRow {
  readonly table: CapturedTable
  readonly values: readonly ConnectValue[]
}

/** The table that is being read. */
interface OpenTable {
  readonly table: CapturedTable
  readonly select: SnapshotSelect
  readonly stream: RowStream
  readonly startMs: number
  rows: number
}

/** Reads all rows of the tables, one table after the other, a batch a call. */
export class TableRows {
  readonly #options: TableRowsOptions
  readonly #markers: RowMarkers<MarkedRow>
  /** The origin of the row before: nearly always that of the next one too. */
  #source: { readonly table: CapturedTable; readonly marker: SnapshotMarker; readonly struct: Struct } | null = null
  #out: SourceRecord[] = []
  #next = 0
  #current: OpenTable | null = null
  #total = 0

  constructor(options: TableRowsOptions) {
    this.#options = options
    this.#markers = new RowMarkers((row, marker) => this.#emit(row, marker))
  }

  /** Rows given so far. */
  get total(): number {
    return this.#total
  }

  /** The next rows; null when all have been given. */
  async read(signal: AbortSignal): Promise<readonly SourceRecord[] | null> {
    this.#out = []
    while (this.#out.length < this.#options.batchRowsMax) {
      this.#current ??= await this.#openNext(signal)
      if (this.#current === null) {
        this.#markers.end()
        break
      }
      if (this.#takeArrived(this.#current)) continue
      // What there is goes out before anything is waited for.
      if (this.#out.length > 0) break
      await this.#current.stream.wait(signal)
    }
    return this.#out.length === 0 && this.#isDone ? null : this.#out
  }

  get #isDone(): boolean {
    return this.#current === null && this.#next >= this.#options.tables.length
  }

  async #openNext(signal: AbortSignal): Promise<OpenTable | null> {
    const { tables, compiler, connection, clock, logger } = this.#options
    const definition = tables[this.#next]
    if (definition === undefined) return null
    this.#next += 1
    // Not all at once: there may be many.
    const table = compiler.compileOnce(definition)
    const select = snapshotSelect(table)
    const name = table.table.id.toString()
    logger.info(`Exporting data from table '${name}' (${this.#next} of ${tables.length} tables)`)
    const stream = await RowStream.open(connection, select.sql, `reading the rows of ${name}`, signal)
    this.#markers.beginTable()
    return { table, select, stream, startMs: clock.now(), rows: 0 }
  }

  /** Takes rows that have arrived, to the end of the batch or of the table; false when more has to arrive first. */
  #takeArrived(current: OpenTable): boolean {
    const { table, select, stream } = current
    while (this.#out.length < this.#options.batchRowsMax) {
      const values = stream.next(select.codec)
      if (values === null) {
        if (!stream.isDone) return false
        this.#endTable(current)
        return true
      }
      current.rows += 1
      this.#markers.push({ table, values })
    }
    return true
  }

  #endTable({ table, rows, startMs }: OpenTable): void {
    const { clock, logger } = this.#options
    this.#markers.endTable()
    this.#current = null
    logger.info(
      `Finished exporting ${rows} records for table '${table.table.id.toString()}' in ${clock.now() - startMs} ms`,
    )
  }

  #emit({ table, values }: MarkedRow, marker: SnapshotMarker): void {
    const { records, offset } = this.#options
    this.#total += 1
    const origin = { table: table.schema, source: this.#sourceOf(table, marker), offsetBefore: offset, offset }
    records.read(origin, values, this.#out)
  }

  /** Rows of one table differ in their origin only by the marker. */
  #sourceOf(table: CapturedTable, marker: SnapshotMarker): Struct {
    const known = this.#source
    if (known !== null && known.table === table && known.marker === marker) return known.struct
    const { format, offset } = this.#options
    const { id } = table.table
    const struct = format.source({
      timestampSeconds: offset.origin.timestampSeconds,
      timestampMicros: offset.origin.timestampSeconds * 1e6,
      serverId: 0,
      gtid: null,
      file: offset.restart.file,
      position: offset.restart.position,
      row: 0,
      snapshot: marker,
      threadId: null,
      database: id.database,
      table: id.table,
    })
    this.#source = { table, marker, struct }
    return struct
  }
}
