import type { SourceRecord, Struct } from '@tributary/connect-api'
import type { ChangedRows, DataChangeRecords, RecordFormat, RowImage, TableId } from '@tributary/connector-kit'
import type { RowsEvent } from '@tributary/mysql'
import { assert, present } from '@tributary/support'
import type { SourceInfo } from '../source/source-info.ts'
import type { BinlogCursor } from './binlog-cursor.ts'
import { type EventHeader, placeOf } from './event-place.ts'
import type { CapturedRows } from './row-binding.ts'
import type { RowPlaces } from './row-places.ts'
import type { CurrentChange } from './row-versions.ts'

export interface BinlogRowsOptions {
  readonly format: RecordFormat<SourceInfo>
  readonly places: RowPlaces
  /** Position and transaction of the event. */
  readonly cursor: BinlogCursor
  readonly header: EventHeader
}

/** How the rows of an event are numbered and named. */
export interface RowsToLoad {
  readonly threadId: number | null
  /** The statement that they are of; null when unknown. */
  readonly query: string | null
  readonly skippedRows: number
  readonly firstRow: number
}

/**
 * The rows of the current event of a connection. One object for all events of it, since each is used before the next is
 * read: this is the hot path of the connector.
 */
export class BinlogRows implements ChangedRows {
  readonly #options: BinlogRowsOptions
  #event: RowsEvent | null = null
  #binding: CapturedRows | null = null
  #threadId: number | null = null
  #query: string | null = null
  #skippedRows = 0
  #firstRow = 0

  constructor(options: BinlogRowsOptions) {
    this.#options = options
  }

  get table(): TableId {
    return present(this.#binding, 'rows of an event').captured.table.id
  }

  /**
   * The event whose rows `produce` makes records of, but for the first `skippedRows`. `firstRow`: the number of its first
   * row in the source block.
   */
  load(event: RowsEvent, binding: CapturedRows, { threadId, query, skippedRows, firstRow }: RowsToLoad): this {
    this.#event = event
    this.#binding = binding
    this.#threadId = threadId
    this.#query = query
    this.#skippedRows = skippedRows
    this.#firstRow = firstRow
    return this
  }

  produce(records: DataChangeRecords, out: SourceRecord[]): void {
    const event = this.#event
    const binding = this.#binding
    assert(event !== null && binding !== null, 'rows are produced after an event was loaded')
    const { format, places, cursor, header } = this.#options
    const { captured } = binding
    const { position } = cursor
    const skippedRows = this.#skippedRows
    const firstRow = this.#firstRow - 1
    let row = 0
    let source: Struct | null = null
    let offset = skippedRows === 0 ? position : position.afterRows(skippedRows)
    while (event.hasMore) {
      const { before, after, change } = event.isPartial
        ? binding.partial.read(event, header)
        : readWhole(event, binding, places)
      row += 1
      if (row <= skippedRows || change === 'none') continue
      const offsetBefore = offset
      offset = position.afterRows(row)
      source =
        source === null
          ? format.source(this.#sourceInfo(binding, firstRow + row))
          : format.sourceOfRow(source, firstRow + row)
      const origin = { table: captured.schema, source, offsetBefore, offset }
      if (before === null) records.create(origin, after as RowImage, out)
      else if (after === null || change === 'delete') records.delete(origin, before, out)
      else records.update(origin, before, after, out)
    }
    // The text is made only when it is needed: this runs for every event.
    if (!event.isConsumed) assert(false, `rows of ${event.table.table} at ${placeOf(header)} end before their event`)
  }

  /** The origin of a row of the event; that of its other rows differs in the number of the row only. */
  #sourceInfo({ captured }: CapturedRows, row: number): SourceInfo {
    const { cursor, header } = this.#options
    const { timestampSeconds, serverId, file, position } = header
    const { id } = captured.table
    return {
      timestampSeconds,
      timestampMicros: cursor.commitMicros ?? timestampSeconds * 1e6,
      serverId,
      gtid: cursor.transaction?.toString() ?? null,
      file,
      position,
      row,
      snapshot: 'false',
      threadId: this.#threadId,
      database: id.database,
      table: id.table,
      query: this.#query,
    }
  }
}

/** Not both null. */
interface RowImages {
  readonly before: RowImage | null
  readonly after: RowImage | null
  readonly change: CurrentChange
}

function readWhole(event: RowsEvent, { raw, versions }: CapturedRows, places: RowPlaces): RowImages {
  const before = event.kind === 'write' ? null : raw.read(event, places)
  const after = event.kind === 'delete' ? null : raw.read(event, places)
  return { before, after, change: versions === null ? 'change' : versions.ofRaw(before, after) }
}
