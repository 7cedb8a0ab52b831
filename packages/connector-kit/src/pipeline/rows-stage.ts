import type { DataChangeRecords } from '../events/data-change-records.ts'
import type { ChangeStage, Poll, RowsChange } from './change.ts'

/** Rows become records: the stage on the hot path. */
export class RowsStage implements ChangeStage {
  readonly #records: DataChangeRecords

  constructor(records: DataChangeRecords) {
    this.#records = records
  }

  rows({ rows }: RowsChange, poll: Poll): null {
    rows.produce(this.#records, poll.records)
    return null
  }

  time(poll: Poll): void {
    this.#records.handledAt(poll.nowMicros)
  }
}
