import type { ConnectValue, SourceOffset, SourceRecord, Struct } from '@tributary/connect-api'
import {
  type ChangedRows,
  type DataChangeRecords,
  DecodedRow,
  type RecordFormat,
  type TableId,
} from '@tributary/connector-kit'
import type { StreamPosition } from '../offset/stream-position.ts'
import type { SourceInfo } from '../source/source-info.ts'
import type { CapturedTable } from '../tables/captured-table.ts'
import type { Chunk } from './chunk-reader.ts'

export interface IncrementalRowsParts {
  readonly table: CapturedTable
  readonly rows: readonly (readonly ConnectValue[])[]
  readonly source: Struct
  /** Before the last row, from which the chunk is read again. */
  readonly offsetBefore: SourceOffset
  /** After the last row. */
  readonly offset: SourceOffset
}

/** Rows of a chunk. */
export class IncrementalRows implements ChangedRows {
  readonly #parts: IncrementalRowsParts

  constructor(parts: IncrementalRowsParts) {
    this.#parts = parts
  }

  get table(): TableId {
    return this.#parts.table.table.id
  }

  produce(records: DataChangeRecords, out: SourceRecord[]): void {
    const { table, rows, source, offsetBefore, offset: after } = this.#parts
    for (const [i, row] of rows.entries()) {
      // A stored offset after an earlier row would lose the following ones.
      const offset = i === rows.length - 1 ? after : offsetBefore
      records.read({ table: table.schema, source, offsetBefore, offset }, new DecodedRow(table.schema, row), out)
    }
  }
}

export interface ChunkOrigin {
  readonly id: TableId
  readonly chunk: Pick<Chunk, 'threadId'>
  readonly position: StreamPosition
  readonly nowMicros: number
}

/** The source block of rows of a chunk. Of the last transaction, with the current time: as in Debezium. */
export function chunkSource(format: RecordFormat<SourceInfo>, origin: ChunkOrigin): Struct {
  const { id, chunk, position, nowMicros } = origin
  return format.source({
    timestampSeconds: Math.floor(nowMicros / 1e6),
    timestampMicros: nowMicros,
    serverId: position.serverId,
    gtid: position.lastTransaction,
    file: position.file,
    position: position.position,
    row: 0,
    snapshot: 'incremental',
    threadId: chunk.threadId,
    query: null,
    database: id.database,
    table: id.table,
  })
}
