import type { ConnectValue, SourceRecord } from '@tributary/connect-api'
import {
  type ChangedRows,
  type DataChangeRecords,
  DecodedRow,
  type EventOrigin,
  type TableId,
} from '@tributary/connector-kit'

export type SnapshotRow = readonly ConnectValue[]

/** Rows of one table that have their source block in common: nearly always a whole batch. */
export class SnapshotRows implements ChangedRows {
  readonly origin: EventOrigin
  /** The offset of the last row, when it differs from that of the others. */
  lastOffset: EventOrigin['offset'] | null = null
  readonly rows: SnapshotRow[] = []

  constructor(origin: EventOrigin) {
    this.origin = origin
  }

  get table(): TableId {
    return this.origin.table.id
  }

  produce(records: DataChangeRecords, out: SourceRecord[]): void {
    const { origin, rows } = this
    const count = this.lastOffset === null ? rows.length : rows.length - 1
    for (let i = 0; i < count; i++) {
      records.read(origin, new DecodedRow(origin.table, rows[i] as SnapshotRow), out)
    }
    if (this.lastOffset === null) return
    const last = { ...origin, offset: this.lastOffset }
    records.read(last, new DecodedRow(origin.table, rows[count] as SnapshotRow), out)
  }
}
