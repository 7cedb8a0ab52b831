import { type ConnectValue, Decimal, EncodedText, type Schema, type SourceRecord, Struct } from '@tributary/connect-api'
import { textOf } from '../stage/text-of.ts'

// Bytes that Debezium reckons with for objects of Java.
const STRUCT = 56
const STRING = 56
const BYTES = 24
const ARRAY = 64
const MAP = 88
const PRIMITIVE = 24
const REFERENCE = 8
const MAP_ENTRY_OF_RECORD = 100
const TIMESTAMP = 8

/** The size of a record in memory as Debezium estimates it (ApproximateStructSizeCalculator), in bytes. */
export function approximateSize(record: SourceRecord): number {
  const { sourcePartition, sourceOffset, headers, topic, key, keySchema, value, valueSchema } = record
  const entries = Object.keys(sourcePartition).length + Object.keys(sourceOffset.toDocument()).length + headers.length
  const parts = sizeOf(keySchema, key) + sizeOf(valueSchema, value)
  return entries * MAP_ENTRY_OF_RECORD + TIMESTAMP + parts + Buffer.byteLength(topic)
}

function sizeOf(schema: Schema | null, value: ConnectValue): number {
  switch (schema?.type) {
    case undefined:
      return 0
    case 'string':
      return value === null ? 0 : STRING + textBytes(value)
    case 'bytes':
      if (value instanceof Decimal) return BYTES + value.toBytes().length
      return value instanceof Uint8Array ? BYTES + value.length : 0
    case 'struct':
      return value instanceof Struct ? structSize(value) : 0
    case 'array':
      return Array.isArray(value) ? arraySize(schema.valueSchema, value as readonly ConnectValue[]) : 0
    case 'map':
      return value instanceof Map ? mapSize(schema, value as ReadonlyMap<ConnectValue, ConnectValue>) : 0
    case 'int8':
    case 'int16':
    case 'int32':
    case 'int64':
    case 'float':
    case 'double':
    case 'boolean':
      return PRIMITIVE
  }
}

function structSize(struct: Struct): number {
  let size = STRUCT
  for (const { index, schema } of struct.schema.fields) size += REFERENCE + sizeOf(schema, struct.at(index))
  return size
}

function arraySize(items: Schema | null, array: readonly ConnectValue[]): number {
  return array.reduce((size: number, item) => size + REFERENCE + sizeOf(items, item), ARRAY)
}

function mapSize({ keySchema, valueSchema }: Schema, map: ReadonlyMap<ConnectValue, ConnectValue>): number {
  let size = MAP
  for (const [key, value] of map) size += 2 * REFERENCE + sizeOf(keySchema, key) + sizeOf(valueSchema, value)
  return size
}

function textBytes(value: ConnectValue): number {
  if (value instanceof EncodedText && value.charset.isUtf8) return value.end - value.start
  return Buffer.byteLength(textOf(value) ?? '')
}
