import { EncodedText } from './encoded-text.ts'
import type { Header, SourceRecord } from './record.ts'
import { type ConnectValue, Struct } from './data.ts'

/**
 * Returns a copy of the record that stays valid. The values of a polled record live until the next poll: they may refer
 * to memory that the source reuses. A stage or plug-in that keeps a record longer (to join it with a later one, to
 * send it again) keeps the detached one instead.
 *
 * In the copy each struct is a plain `Struct` with the same schema, texts are strings, and bytes are copied. The
 * copy encodes to the same bytes. Schemas, partition and offset are shared: they never change.
 */
export function detach(record: SourceRecord): SourceRecord {
  const { sourcePartition, sourceOffset, topic, partition, keySchema, valueSchema, timestamp } = record
  return {
    sourcePartition,
    sourceOffset,
    topic,
    partition,
    keySchema,
    key: detachValue(record.key),
    valueSchema,
    value: detachValue(record.value),
    timestamp,
    headers: record.headers.map(detachHeader),
  }
}

function detachHeader({ key, schema, value }: Header): Header {
  return { key, schema, value: detachValue(value) }
}

/** Returns a copy of a value, as `detach` copies the values of a record. */
export function detachValue(value: ConnectValue): ConnectValue {
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof EncodedText) return value.toString()
  if (value instanceof Struct) {
    return new Struct(
      value.schema,
      value.schema.fields.map(({ index }) => detachValue(value.at(index))),
    )
  }
  if (value instanceof Uint8Array) return Uint8Array.from(value)
  if (value instanceof Map) return detachMap(value)
  // A Decimal never changes.
  return Array.isArray(value) ? value.map(detachValue) : value
}

function detachMap(map: ReadonlyMap<ConnectValue, ConnectValue>): ReadonlyMap<ConnectValue, ConnectValue> {
  return new Map(Array.from(map, ([key, value]) => [detachValue(key), detachValue(value)] as const))
}
