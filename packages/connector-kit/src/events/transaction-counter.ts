import {
  type OffsetDocument,
  Schema,
  Schemas,
  type SourceOffset,
  type SourceRecord,
  type Struct,
  StructTemplate,
  TemplateStruct,
} from '@tributary/connect-api'
import type { TableId } from '../relational/table-id.ts'
import { TransactionOffset, TransactionProgress } from './transaction-progress.ts'

/** The block `transaction` of an event: as Debezium names and orders its fields. */
export const transactionBlockSchema: Schema = Schema.struct(
  [
    ['id', Schemas.string],
    ['total_order', Schemas.int64],
    ['data_collection_order', Schemas.int64],
  ],
  { name: 'event.block', version: 1, optional: true },
)

/**
 * Counts the events of the current transaction (`provide.transaction.metadata`).
 *
 * A source may drop the last records of a poll again: rows that were rolled back, or that cannot be read. So the state
 * is not kept beside the records, it is that of the last one: its offset contains the counts. A record therefore has to
 * follow each `begin` that returns true, and each `end`.
 */
export class TransactionCounter {
  #records: readonly SourceRecord[] = []
  /** Before the first record of the poll. */
  #beforePoll: TransactionProgress | null = null
  #current: TransactionProgress | null = null
  /** A transaction before the current one that has not ended: a server may send the rest of it later. */
  #interrupted: TransactionProgress | null = null
  #template: StructTemplate = templateOf('')
  #templateId = ''
  #table: TableId | null = null
  #tableName = ''

  /** Continues in the transaction of a stored offset. To be called before the first poll that reads the stream. */
  resume(stored: OffsetDocument): void {
    this.#beforePoll = TransactionProgress.parse(stored)
    this.#current = this.#beforePoll
  }

  /** The current transaction is read again from its begin. To be called while the poll has no records. */
  restart(): void {
    this.#records = []
    this.#beforePoll = null
    this.#current = null
  }

  /** The records of a poll; called again with the same list, it does nothing. */
  beginPoll(records: readonly SourceRecord[]): void {
    if (records === this.#records) return
    this.sync()
    this.#beforePoll = this.#current
    this.#records = records
  }

  /** To be called before the events of a row are counted, since records before it may have been dropped. */
  sync(): void {
    const last = this.#records.at(-1)
    if (last === undefined) this.#current = this.#beforePoll
    else this.#current = last.sourceOffset instanceof TransactionOffset ? last.sourceOffset.progress : null
  }

  /** A transaction begins. False when it is the current one, which is read again after a restart or a reconnect. */
  begin(id: string): boolean {
    this.sync()
    const current = this.#current
    if (current?.id === id) return false
    const interrupted = this.#interrupted
    if (current !== null) this.#interrupted = current
    this.#current = interrupted?.id === id ? interrupted : TransactionProgress.begin(id)
    return true
  }

  /** The transaction ends. Null: none has begun, or its begin was dropped. */
  end(): TransactionProgress | null {
    this.sync()
    const ended = this.#current
    this.#current = null
    if (ended !== null && this.#interrupted?.id === ended.id) this.#interrupted = null
    return ended
  }

  /** Counts an event. Returns its block; null outside of a transaction. */
  countEvent(table: TableId): Struct | null {
    if (this.#current === null) return null
    if (table !== this.#table) {
      this.#table = table
      this.#tableName = table.toString()
    }
    const progress = this.#current.with(this.#tableName)
    this.#current = progress
    if (progress.id !== this.#templateId) {
      this.#templateId = progress.id
      this.#template = templateOf(progress.id)
    }
    return new TemplateStruct(this.#template, [progress.total, progress.ofTable])
  }

  /** The offset of a record at that position that is not the event of a row. */
  offsetAt(position: SourceOffset): SourceOffset {
    this.sync()
    return this.offsetOf(position)
  }

  /** The position with the counts so far; the position itself outside of a transaction. */
  offsetOf(position: SourceOffset): SourceOffset {
    const progress = this.#current
    return progress === null || position instanceof TransactionOffset
      ? position
      : new TransactionOffset(position, progress)
  }
}

/** The events of a transaction share its name: by the identity of the template, a converter writes it once. */
function templateOf(id: string): StructTemplate {
  return new StructTemplate(transactionBlockSchema, [id, 0, 0], [1, 2])
}
