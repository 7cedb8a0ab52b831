import type { SourceRecord } from '@tributary/connect-api'
import type { ChangedRows, DataChangeRecords, EventOrigin, TableId } from '@tributary/connector-kit'

/** A table that lost all its rows by TRUNCATE TABLE. */
export class TruncatedTable implements ChangedRows {
  readonly #origin: EventOrigin

  constructor(origin: EventOrigin) {
    this.#origin = origin
  }

  get table(): TableId {
    return this.#origin.table.id
  }

  produce(records: DataChangeRecords, out: SourceRecord[]): void {
    records.truncate(this.#origin, out)
  }
}
