import type { TransactionCounter } from '../events/transaction-counter.ts'
import type { TransactionRecords } from '../events/transaction-records.ts'
import type { BeginChange, ChangePosition, ChangeStage, EndChange, Poll } from './change.ts'

export interface TransactionStageOptions {
  readonly counter: TransactionCounter
  readonly records: TransactionRecords
  /** The name of the transaction in records. */
  readonly nameOf: (change: BeginChange) => string
}

/**
 * Writes a record at the begin and at the end of each transaction, whether or not it changes captured tables, and starts
 * the count of its events. Before the stages that make records of a transaction.
 */
export class TransactionStage implements ChangeStage {
  readonly #options: TransactionStageOptions
  /** Of the current transaction, in milliseconds since 1970; null when the server reports no such time. */
  #committedMs: number | null = null

  constructor(options: TransactionStageOptions) {
    this.#options = options
  }

  begin(change: BeginChange, poll: Poll): null {
    const { counter, records, nameOf } = this.#options
    const { transaction, position } = change
    const micros = transaction?.committedMicros ?? null
    this.#committedMs = micros === null ? null : Math.floor(micros / 1000)
    const id = nameOf(change)
    if (!counter.begin(id)) return null
    const timestampMs = this.#timeOf(position, poll)
    poll.records.push(
      records.record({ status: 'BEGIN', id, timestampMs, offset: counter.offsetOf(position), progress: null }),
    )
    return null
  }

  end({ position }: EndChange, poll: Poll): null {
    const { counter, records } = this.#options
    const progress = counter.end()
    if (progress === null) return null
    const timestampMs = this.#timeOf(position, poll)
    // The position after the end: a restart there does not repeat the record.
    poll.records.push(records.record({ status: 'END', id: progress.id, timestampMs, offset: position, progress }))
    return null
  }

  time(poll: Poll): void {
    this.#options.counter.beginPoll(poll.records)
  }

  #timeOf(position: ChangePosition, poll: Poll): number {
    return this.#committedMs ?? position.changedAtMs ?? Math.floor(poll.nowMicros / 1000)
  }
}
