import {
  type ConnectValue,
  type Header,
  type SourceOffset,
  type SourcePartition,
  type SourceRecord,
  Struct,
} from '@tributary/connect-api'
import { arrayOfLength, type Clock } from '@tributary/support'
import type { TableSchema } from '../schema/table-schema.ts'
import { isSameValue } from './same-value.ts'

/** Values of a row by position, as the decoders give them. */
export type Row = readonly ConnectValue[]

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
  /** `tombstones.on.delete` */
  readonly tombstonesOnDelete: boolean
  /** On every record. */
  readonly headers: readonly Header[]
  readonly clock: Clock
}

type Operation = 'r' | 'c' | 'u' | 'd'

/**
 * Makes the records of changed rows. When a row gives more than one record, only the last carries the position after it: a
 * stored offset between them would lose the rest (the reference gives all of them the later position).
 */
export class DataChangeRecords {
  readonly #options: DataChangeOptions

  constructor(options: DataChangeOptions) {
    this.#options = options
  }

  /** A row of a snapshot. */
  read(origin: EventOrigin, row: Row, out: SourceRecord[]): void {
    out.push(this.#record(origin, row, this.#envelope(origin, 'r', null, row), this.#options.headers))
  }

  create(origin: EventOrigin, after: Row, out: SourceRecord[]): void {
    out.push(this.#record(origin, after, this.#envelope(origin, 'c', null, after), this.#options.headers))
  }

  /** An update; one that changes the key is told as delete and create, so that each key has its own history. */
  update(origin: EventOrigin, before: Row, after: Row, out: SourceRecord[]): void {
    if (hasSameKey(origin.table, before, after)) {
      out.push(this.#record(origin, after, this.#envelope(origin, 'u', before, after), this.#options.headers))
      return
    }
    const { headers } = this.#options
    const newKey = [keyHeader(NEW_KEY, origin.table, after), ...headers]
    const oldKey = [keyHeader(OLD_KEY, origin.table, before), ...headers]
    const earlier = { ...origin, offset: origin.offsetBefore }
    out.push(this.#record(earlier, before, this.#envelope(origin, 'd', before, null), newKey))
    if (this.#options.tombstonesOnDelete) out.push(this.#record(earlier, before, null, newKey))
    out.push(this.#record(origin, after, this.#envelope(origin, 'c', null, after), oldKey))
  }

  delete(origin: EventOrigin, before: Row, out: SourceRecord[]): void {
    const envelope = this.#envelope(origin, 'd', before, null)
    // A tombstone without a key would mean nothing to anybody.
    if (!this.#options.tombstonesOnDelete || origin.table.keySchema === null) {
      out.push(this.#record(origin, before, envelope, this.#options.headers))
      return
    }
    out.push(this.#record({ ...origin, offset: origin.offsetBefore }, before, envelope, this.#options.headers))
    out.push(this.#record(origin, before, null, this.#options.headers))
  }

  #envelope({ table, source }: EventOrigin, op: Operation, before: Row | null, after: Row | null): Struct {
    const { clock, hasTransaction } = this.#options
    const micros = clock.nowMicros()
    const millis = Math.floor(micros / 1000)
    const nanos = BigInt(micros) * 1000n
    const [was, is] = [rowStruct(table, before), rowStruct(table, after)]
    // Literals have room for their values and no more; an array that grows takes three times as much.
    const values = hasTransaction
      ? [was, is, source, null, op, millis, micros, nanos]
      : [was, is, source, op, millis, micros, nanos]
    return new Struct(table.envelopeSchema, values)
  }

  /** `value` null: a tombstone. */
  #record({ table, offset }: EventOrigin, keyRow: Row, value: Struct | null, headers: readonly Header[]): SourceRecord {
    return {
      sourcePartition: this.#options.partition,
      sourceOffset: offset,
      topic: table.topic,
      partition: null,
      keySchema: table.keySchema,
      key: keyStruct(table, keyRow),
      valueSchema: value === null ? null : table.envelopeSchema,
      value,
      timestamp: null,
      headers,
    }
  }
}

const NEW_KEY = '__debezium.newkey'
const OLD_KEY = '__debezium.oldkey'

function rowStruct({ valueSchema, valueIndexes }: TableSchema, row: Row | null): Struct | null {
  if (row === null) return null
  return new Struct(valueSchema, valueIndexes === null ? row : valueIndexes.map((index) => row[index] ?? null))
}

function keyStruct({ keySchema, keyIndexes }: TableSchema, row: Row): Struct | null {
  if (keySchema === null) return null
  const { length } = keyIndexes
  if (length === 1) return new Struct(keySchema, [row[keyIndexes[0] as number] ?? null])
  const values = arrayOfLength<ConnectValue>(length)
  for (let i = 0; i < length; i++) values[i] = row[keyIndexes[i] as number] ?? null
  return new Struct(keySchema, values)
}

function hasSameKey({ keyIndexes }: TableSchema, before: Row, after: Row): boolean {
  for (let i = 0; i < keyIndexes.length; i++) {
    const index = keyIndexes[i] as number
    if (!isSameValue(before[index] ?? null, after[index] ?? null)) return false
  }
  return true
}

function keyHeader(key: string, table: TableSchema, row: Row): Header {
  return { key, schema: table.keySchema, value: keyStruct(table, row) }
}
