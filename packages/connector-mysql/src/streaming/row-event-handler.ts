import type { ConnectValue, SourceRecord } from '@tributary/connect-api'
import { type DataChangeRecords, DecodedRow, type RecordFormat, type RowImage } from '@tributary/connector-kit'
import { ABSENT, RowCodec, type RowsEvent, type RowValue, type TableMap } from '@tributary/mysql'
import { connectorErrors } from '../errors.ts'
import type { SourceInfo } from '../source/source-info.ts'
import type { CapturedTable } from '../tables/captured-table.ts'
import type { BinlogCursor } from './binlog-cursor.ts'
import { RawRowReader } from './raw-row.ts'
import { RowPlaces } from './row-places.ts'

/** Where an event stands, as the reader says it. */
export interface EventPlace {
  readonly file: string
  readonly position: number
  readonly timestampSeconds: number
  readonly serverId: number
}

/** A captured table and the codec for its rows under one table map. */
export interface RowBinding {
  readonly captured: CapturedTable
  /** For images that have all columns. */
  readonly raw: RawRowReader
  /** For others. */
  readonly codec: RowCodec<ConnectValue>
}

export interface RowEventHandlerOptions {
  readonly format: RecordFormat<SourceInfo>
  readonly records: DataChangeRecords
}

/** Turns the rows of one event into records. The hot path of the connector. */
export class RowEventHandler {
  readonly #options: RowEventHandlerOptions
  readonly #places = new RowPlaces()

  constructor(options: RowEventHandlerOptions) {
    this.#options = options
  }

  /** The codec for rows of that map, or why the map does not fit the table. */
  static bind(captured: CapturedTable, map: TableMap): RowBinding | string {
    const codec = RowCodec.compile(map, captured.targets)
    return typeof codec === 'string' ? codec : { captured, codec, raw: new RawRowReader(captured, codec, map) }
  }

  /** Before the events that are handled together. The records of all rows so far are done with. */
  begin(): void {
    this.#places.reset()
    this.readClock()
  }

  /** After a wait in between. */
  readClock(): void {
    this.#options.records.readClock()
  }

  /**
   * Appends the records of the rows behind the first `skippedRows`.
   */
  handle(event: RowsEvent, context: RowContext, out: SourceRecord[]): void {
    const { binding, place, cursor, threadId } = context
    const { captured } = binding
    const { format, records } = this.#options
    const { position } = cursor
    const gtid = cursor.transaction?.toString() ?? null
    const timestampMicros = cursor.commitMicros ?? place.timestampSeconds * 1e6
    let row = 0
    let offset = context.skippedRows === 0 ? position : position.afterRows(context.skippedRows)
    while (event.hasMore) {
      const { before, after } = event.isPartial ? readPartial(event, context) : this.#read(event, binding)
      row += 1
      if (row <= context.skippedRows) continue
      const offsetBefore = offset
      offset = position.afterRows(row)
      const source = format.source({
        timestampSeconds: place.timestampSeconds,
        timestampMicros,
        serverId: place.serverId,
        gtid,
        file: place.file,
        position: place.position,
        row: row - 1,
        snapshot: 'false',
        threadId,
        database: captured.table.id.database,
        table: captured.table.id.table,
      })
      const origin = { table: captured.schema, source, offsetBefore, offset }
      if (before === null) records.create(origin, after as RowImage, out)
      else if (after === null) records.delete(origin, before, out)
      else records.update(origin, before, after, out)
    }
  }

  #read(event: RowsEvent, { raw }: RowBinding): RowImages {
    const before = event.kind === 'write' ? null : raw.read(event, this.#places)
    return { before, after: event.kind === 'delete' ? null : raw.read(event, this.#places) }
  }
}

/** Not both null. */
interface RowImages {
  readonly before: RowImage | null
  readonly after: RowImage | null
}

export interface RowContext {
  readonly binding: RowBinding
  readonly place: EventPlace
  readonly cursor: BinlogCursor
  readonly threadId: number | null
  readonly skippedRows: number
}

/** Rows under a smaller row image are rare enough to be made of values. */
function readPartial(event: RowsEvent, { binding, place }: RowContext): RowImages {
  const { codec, captured } = binding
  const before = event.kind === 'write' ? null : event.readBefore(codec)
  const after = event.kind === 'delete' ? null : event.readAfter(codec)
  completeRow(before, after, captured, place)
  const imageOf = (values: RowValue<ConnectValue>[] | null): RowImage | null =>
    values === null ? null : new DecodedRow(captured.schema, values as readonly ConnectValue[])
  return { before: imageOf(before), after: imageOf(after) }
}

/**
 * Fills in what a smaller row image leaves out as far as the event itself says it: a column that an update does not have in its
 * image after is unchanged. What stays unknown is an error: a null in its place would be a wrong value.
 */
function completeRow(
  before: RowValue<ConnectValue>[] | null,
  after: RowValue<ConnectValue>[] | null,
  captured: CapturedTable,
  place: EventPlace,
): void {
  if (before !== null && after !== null) {
    for (let i = 0; i < after.length; i++) if (after[i] === ABSENT) after[i] = before[i] ?? null
  }
  for (const image of [before, after]) {
    if (image === null) continue
    const missing = image.findIndex((value, i) => value === ABSENT && captured.targets[i] !== null)
    if (missing < 0) continue
    throw connectorErrors.ROW_PARTIAL({
      table: captured.table.id.toString(),
      position: `${place.file}:${place.position}`,
      column: captured.table.columns[missing]?.name ?? String(missing + 1),
      image: 'MINIMAL or NOBLOB',
    })
  }
}
