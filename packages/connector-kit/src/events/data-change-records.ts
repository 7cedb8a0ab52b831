import {
  type Header,
  type Schema,
  type SourceOffset,
  type SourcePartition,
  type SourceRecord,
  type Struct,
  StructTemplate,
  TemplateStruct,
} from '@tributary/connect-api'
import { type EventCounts, noEvents, type OperationCounts } from '../metrics/event-counts.ts'
import type { TableSchema } from '../schema/table-schema.ts'
import type { RowImage } from './row-image.ts'
import type { TransactionCounter } from './transaction-counter.ts'

/** What the records of one changed row have in common. */
export interface EventOrigin {
  readonly table: TableSchema
  readonly source: Struct
  /** Position before the row. */
  readonly offsetBefore: SourceOffset
  /** Position after the row. */
  readonly offset: SourceOffset
}

export interface DataChangeOptions {
  readonly partition: SourcePartition
  /** The envelope has a `transaction` block. */
  readonly hasTransaction: boolean
  /** Fills that block, and adds its counts to the offsets; default: the block is null. */
  readonly transactions?: TransactionCounter | null
  /** `tombstones.on.delete` */
  readonly tombstonesOnDelete: boolean
  readonly skips: ChangesToSkip
  /** On every record. */
  readonly headers: readonly Header[]
  /** Counts the events; default: nobody reads the counts. */
  readonly counts?: EventCounts
}

/** Changes that yield no record. */
export interface ChangesToSkip {
  /** `skipped.operations`: `c`, `u`, `d`; and `t` for a truncated table. */
  readonly operations: ReadonlySet<string>
  /** `skip.messages.without.change`: updates that leave the columns of events as they were. */
  readonly unchangedRows: boolean
}

type Operation = 'r' | 'c' | 'u' | 'd' | 't'

/**
 * Makes the records of changed rows. When a row yields more than one record, only the last carries the position after
 * it: a stored offset between them would lose the rest. (Debezium puts the later position into all of them.)
 */
export class DataChangeRecords {
  readonly #options: DataChangeOptions
  readonly #transactions: TransactionCounter | null
  readonly #skipsCreates: boolean
  readonly #skipsUpdates: boolean
  readonly #skipsDeletes: boolean
  /** When the events are handled, in three units. */
  #millis = 0
  #micros = 0
  #nanos = 0n
  #templatesByTable = new Map<Schema, Partial<Record<Operation, StructTemplate>>>()
  /** The envelope schema of the previous record, and its templates. */
  #templatesOf: Schema | null = null
  #templates: Partial<Record<Operation, StructTemplate>> = {}
  /** The table of the previous event, and its counts: an event costs a comparison and an addition. */
  #countedTable: TableSchema | null = null
  #counts: OperationCounts = noEvents()

  constructor(options: DataChangeOptions) {
    this.#options = options
    this.#transactions = options.transactions ?? null
    const { operations } = options.skips
    this.#skipsCreates = operations.has('c')
    this.#skipsUpdates = operations.has('u')
    this.#skipsDeletes = operations.has('d')
  }

  /**
   * Sets the time of handling of the following records, in microseconds since 1970. Called once for all records that
   * are made together: these then share a template, which converters write once.
   */
  handledAt(nowMicros: number): void {
    this.#micros = nowMicros
    this.#millis = Math.floor(nowMicros / 1000)
    this.#nanos = BigInt(nowMicros) * 1000n
    this.#templatesOf = null
    // A new Map instead of `clear`: one of the old generation would allocate the hash tables that it grows into there
    // too, in each poll.
    if (this.#templatesByTable.size > 0) this.#templatesByTable = new Map()
  }

  /** A row of a snapshot. */
  read(origin: EventOrigin, row: RowImage, out: SourceRecord[]): void {
    this.#countsOf(origin.table).r += 1
    out.push(this.#record(origin, row, this.#envelope(origin, 'r', null, row), this.#options.headers))
  }

  create(origin: EventOrigin, after: RowImage, out: SourceRecord[]): void {
    if (this.#skipsCreates) return
    this.#countsOf(origin.table).c += 1
    this.#transactions?.sync()
    out.push(this.#record(origin, after, this.#envelope(origin, 'c', null, after), this.#options.headers))
  }

  /** An update. One that changes the key becomes a delete and a create, so that each key has its own history. */
  update(origin: EventOrigin, before: RowImage, after: RowImage, out: SourceRecord[]): void {
    if (this.#skipsUpdates) return
    if (this.#options.skips.unchangedRows && before.hasSameValue(after)) return
    this.#transactions?.sync()
    const counts = this.#countsOf(origin.table)
    if (before.hasSameKey(after)) {
      counts.u += 1
      out.push(this.#record(origin, after, this.#envelope(origin, 'u', before, after), this.#options.headers))
      return
    }
    counts.d += 1
    counts.c += 1
    const { headers } = this.#options
    const newKey = [keyHeader(NEW_KEY, origin.table, after), ...headers]
    const oldKey = [keyHeader(OLD_KEY, origin.table, before), ...headers]
    const earlier = this.#earlier(origin)
    out.push(this.#record(earlier, before, this.#envelope(origin, 'd', before, null), newKey))
    if (this.#options.tombstonesOnDelete) out.push(this.#record(earlier, before, null, newKey))
    out.push(this.#record(origin, after, this.#envelope(origin, 'c', null, after), oldKey))
  }

  delete(origin: EventOrigin, before: RowImage, out: SourceRecord[]): void {
    if (this.#skipsDeletes) return
    this.#countsOf(origin.table).d += 1
    this.#transactions?.sync()
    const earlier = this.#earlier(origin)
    const envelope = this.#envelope(origin, 'd', before, null)
    // A tombstone without a key deletes nothing.
    if (!this.#options.tombstonesOnDelete || origin.table.keySchema === null) {
      out.push(this.#record(origin, before, envelope, this.#options.headers))
      return
    }
    out.push(this.#record(earlier, before, envelope, this.#options.headers))
    out.push(this.#record(origin, before, null, this.#options.headers))
  }

  /** All rows of a table are gone. The event has no key and no image. */
  truncate(origin: EventOrigin, out: SourceRecord[]): void {
    this.#countsOf(origin.table).t += 1
    const value = this.#envelope(origin, 't', null, null)
    const { headers } = this.#options
    const { table, offset } = origin
    out.push(this.#recordOf({ keySchema: null, key: null, table, offset, value, headers }))
  }

  /** With the position before the row, and the counts before it. */
  #earlier(origin: EventOrigin): EventOrigin {
    const { offsetBefore } = origin
    return { ...origin, offset: this.#transactions?.offsetOf(offsetBefore) ?? offsetBefore }
  }

  #envelope({ table, source }: EventOrigin, op: Operation, before: RowImage | null, after: RowImage | null): Struct {
    const was = before === null ? null : before.value()
    const is = after === null ? null : after.value()
    const template = this.#templateOf(table, op)
    const transactions = this.#transactions
    if (transactions === null) return new TemplateStruct(template, [was, is, source])
    return new TemplateStruct(template, [was, is, source, transactions.countEvent(table.id)])
  }

  #countsOf(table: TableSchema): OperationCounts {
    if (table === this.#countedTable) return this.#counts
    this.#countedTable = table
    this.#counts = this.#options.counts?.of(table.id.toString()) ?? noEvents()
    return this.#counts
  }

  /** What events of one operation that are handled together share: operation and times. */
  #templateOf({ envelopeSchema }: TableSchema, op: Operation): StructTemplate {
    if (envelopeSchema !== this.#templatesOf) {
      this.#templatesOf = envelopeSchema
      this.#templates = this.#templatesByTable.get(envelopeSchema) ?? {}
      this.#templatesByTable.set(envelopeSchema, this.#templates)
    }
    return (this.#templates[op] ??= this.#makeTemplate(envelopeSchema, op))
  }

  #makeTemplate(schema: Schema, op: Operation): StructTemplate {
    const times = [op, this.#millis, this.#micros, this.#nanos]
    const values = this.#options.hasTransaction ? [null, null, null, null, ...times] : [null, null, null, ...times]
    return new StructTemplate(schema, values, this.#transactions === null ? IMAGES_AND_SOURCE : WITH_TRANSACTION)
  }

  /** `value` null: a tombstone. */
  #record(
    { table, offset }: EventOrigin,
    keyRow: RowImage,
    value: Struct | null,
    headers: readonly Header[],
  ): SourceRecord {
    return this.#recordOf({ keySchema: table.keySchema, key: keyOf(table, keyRow), table, offset, value, headers })
  }

  #recordOf({ keySchema, key, table, offset, value, headers }: RecordParts): SourceRecord {
    const transactions = this.#transactions
    return {
      sourcePartition: this.#options.partition,
      sourceOffset: transactions === null ? offset : transactions.offsetOf(offset),
      topic: table.topic,
      partition: null,
      keySchema,
      key,
      valueSchema: value === null ? null : table.envelopeSchema,
      value,
      timestamp: null,
      headers,
    }
  }
}

interface RecordParts {
  readonly keySchema: Schema | null
  readonly key: Struct | null
  readonly table: TableSchema
  readonly offset: SourceOffset
  readonly value: Struct | null
  readonly headers: readonly Header[]
}

/** The first fields of every envelope: before, after, source. */
const IMAGES_AND_SOURCE: readonly number[] = [0, 1, 2]
/** And the field after them. */
const WITH_TRANSACTION: readonly number[] = [0, 1, 2, 3]
const NEW_KEY = '__debezium.newkey'
const OLD_KEY = '__debezium.oldkey'

function keyHeader(key: string, table: TableSchema, row: RowImage): Header {
  return { key, schema: table.keySchema, value: keyOf(table, row) }
}

function keyOf({ keyExtension }: TableSchema, row: RowImage): Struct | null {
  const columns = row.key()
  return keyExtension === null ? columns : keyExtension.extend(columns)
}
