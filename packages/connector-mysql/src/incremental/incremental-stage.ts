import { EncodedText, type ConnectValue, type SourceRecord, Struct } from '@tributary/connect-api'
import { type ChangeStage, type Poll, type RowsChange, type TableId, TransactionOffset } from '@tributary/connector-kit'
import { type Logger, toError } from '@tributary/support'
import type { IncrementalProgress } from '../offset/incremental-progress.ts'
import { StreamPosition } from '../offset/stream-position.ts'
import type { IncrementalSnapshot } from './incremental-snapshot.ts'
import { IncrementalRows } from './incremental-rows.ts'
import type { SignalActions } from './signal-actions.ts'

export interface IncrementalStageOptions {
  /** The stage that makes records of rows. */
  readonly rows: ChangeStage
  readonly snapshot: Pick<IncrementalSnapshot, 'progress' | 'note' | 'isReading'>
  readonly actions: Pick<SignalActions, 'run'>
  /** `signal.data.collection`; null: rows of no table are signals. */
  readonly signalTable: TableId | null
  readonly logger: Logger
}

/**
 * Looks at the records of streamed rows: those of a table that is being copied, and those of the signal table. It
 * encloses the stage that makes them, since only a change that yields a record replaces a row of a chunk: one that
 * `skipped.operations` drops, or that changes nothing, does not.
 */
export class IncrementalStage implements ChangeStage {
  readonly #options: IncrementalStageOptions
  /** Whether offsets of the current transaction lack what a signal in it has changed. */
  #isBehind = false
  /** Of the current poll. */
  #records: readonly SourceRecord[] = []

  constructor(options: IncrementalStageOptions) {
    this.#options = options
  }

  time(poll: Poll): void {
    this.#options.rows.time?.(poll)
    if (poll.records === this.#records) return
    this.#records = poll.records
    // Positions of the next poll include what the signal has changed.
    this.#isBehind = false
  }

  rows(change: RowsChange, poll: Poll): Promise<void> | null {
    const { rows: inner, snapshot, signalTable } = this.#options
    // Most events are of a time in which no table is copied.
    if (signalTable === null && !snapshot.isReading) return inner.rows?.(change, poll) ?? null
    const first = poll.records.length
    const waiting = inner.rows?.(change, poll) ?? null
    if (waiting !== null) return waiting.then(() => this.#look(change, poll, first))
    this.#look(change, poll, first)
    return null
  }

  end(_change: unknown, poll: Poll): null {
    // The record of the end of the transaction.
    if (this.#isBehind) this.#bringUp(poll.records, Math.max(0, poll.records.length - 1))
    this.#isBehind = false
    return null
  }

  #look({ rows }: RowsChange, { records }: Poll, first: number): void {
    const { snapshot, signalTable } = this.#options
    if (records.length === first || rows instanceof IncrementalRows) return
    const { table } = rows
    snapshot.note(table, records, first)
    if (table === signalTable) {
      const before = snapshot.progress
      for (let i = first; i < records.length; i++) this.#takeSignal(records[i] as SourceRecord)
      if (snapshot.progress !== before) this.#isBehind = true
    }
    if (this.#isBehind) this.#bringUp(records, first)
  }

  /** A task that continues after the row does not read the signal again. */
  #bringUp(records: SourceRecord[], first: number): void {
    const { progress } = this.#options.snapshot
    for (let i = first; i < records.length; i++) {
      const record = records[i] as SourceRecord
      const sourceOffset = withProgress(record.sourceOffset, progress)
      if (sourceOffset !== record.sourceOffset) records[i] = { ...record, sourceOffset }
    }
  }

  #takeSignal(record: SourceRecord): void {
    try {
      this.#runSignal(record)
    } catch (thrown) {
      const error = toError(thrown)
      this.#options.logger.error('A row of the signal table cannot be read as a signal. It has no effect', { error })
    }
  }

  /** Of an inserted row, the first three columns are id, type and data of a signal. */
  #runSignal({ value }: SourceRecord): void {
    if (!(value instanceof Struct) || fieldOf(value, 'op') !== 'c') return
    const row = fieldOf(value, 'after')
    if (!(row instanceof Struct)) return
    const { length } = row.schema.fields
    if (length !== 3) {
      this.#options.logger.error(
        `A row of the signal table is not a signal: it has ${length} columns, and not the three columns id, type and data`,
      )
      return
    }
    const [id, type, data] = [textOf(row.at(0)), textOf(row.at(1)), textOf(row.at(2))]
    this.#options.actions.run({ id, type, data, channel: 'source' })
  }
}

function withProgress(
  offset: SourceRecord['sourceOffset'],
  progress: IncrementalProgress,
): SourceRecord['sourceOffset'] {
  if (offset instanceof StreamPosition) return offset.withIncremental(progress)
  if (!(offset instanceof TransactionOffset)) return offset
  return new TransactionOffset(withProgress(offset.position, progress), offset.progress)
}

function fieldOf(value: Struct, name: string): ConnectValue {
  const field = value.schema.field(name)
  return field === null ? null : value.at(field.index)
}

function textOf(value: ConnectValue): string {
  if (typeof value === 'string' || value instanceof EncodedText) return value.toString()
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : ''
}
