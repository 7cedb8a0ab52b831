import {
  Decimal,
  EncodedText,
  Struct,
  type ConnectValue,
  type Schema,
  doubleText,
  floatText,
} from '@tributary/connect-api'
import { assert, present, unreachable } from '@tributary/support'
import { jsonQuoted } from '../text/json-quoted.ts'
import { avroFieldName } from './avro-names.ts'
import type { AvroOptions } from './avro-options.ts'
import { isStringMap } from './avro-shape.ts'

/** Returns a default as an Avro schema contains it: JSON, with bytes as text of one character per byte. */
export function avroDefaultText(schema: Schema, value: ConnectValue, options: AvroOptions): string {
  if (value === null) return 'null'
  const { type } = schema
  switch (type) {
    case 'int8':
    case 'int16':
    case 'int32':
    case 'int64':
    case 'boolean':
      return plainText(value)
    case 'float':
      return floatText(Number(value))
    case 'double':
      return doubleText(Number(value))
    case 'string':
      return jsonQuoted(plainText(value))
    case 'bytes':
      return jsonQuoted(bytesOf(value).toString('latin1'))
    case 'array':
    case 'map':
    case 'struct':
      return containerText(schema, value, options)
    default:
      return unreachable(type)
  }
}

function bytesOf(value: ConnectValue): Buffer {
  if (value instanceof Decimal) return Buffer.from(value.toBytes())
  assert(value instanceof Uint8Array, IS_OF_SCHEMA)
  return Buffer.from(value)
}

/** The schema checked its default when it was created. */
const IS_OF_SCHEMA = 'a default is a value of its schema'

function plainText(value: ConnectValue): string {
  if (value instanceof EncodedText) return value.toString()
  assert(typeof value !== 'object', IS_OF_SCHEMA)
  return String(value)
}

function containerText(schema: Schema, value: ConnectValue, options: AvroOptions): string {
  if (value instanceof Struct) return structText(value, options)
  const valueSchema = present(schema.valueSchema, 'schema of the items')
  const textOf = (item: ConnectValue): string => avroDefaultText(valueSchema, item, options)
  if (Array.isArray(value)) return `[${value.map((item: ConnectValue) => textOf(item)).join(',')}]`
  assert(value instanceof Map, IS_OF_SCHEMA)
  const entries: readonly (readonly [ConnectValue, ConnectValue])[] = [...value]
  if (isStringMap(schema, options)) {
    return `{${entries.map(([key, item]) => `${jsonQuoted(plainText(key))}:${textOf(item)}`).join(',')}}`
  }
  const keySchema = present(schema.keySchema, 'schema of the keys')
  return `[${entries.map(([key, item]) => `[${avroDefaultText(keySchema, key, options)},${textOf(item)}]`).join(',')}]`
}

function structText(struct: Struct, options: AvroOptions): string {
  const members = struct.schema.fields.map(({ name, index, schema }) => {
    const text = avroDefaultText(schema, struct.at(index) ?? schema.defaultValue, options)
    return `${jsonQuoted(avroFieldName(name, options.scrubInvalidNames))}:${text}`
  })
  return `{${members.join(',')}}`
}
