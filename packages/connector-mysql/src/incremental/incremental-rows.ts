import type { ConnectValue, SourceOffset, SourceRecord, Struct } from '@tributary/connect-api'
import { type ChangedRows, type DataChangeRecords, DecodedRow, type TableId } from '@tributary/connector-kit'
import type { CapturedTable } from '../tables/captured-table.ts'

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
