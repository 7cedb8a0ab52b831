import { Decimal, EncodedText, type Schema, Struct, type ConnectValue } from '@tributary/connect-api'
import type { SchemaNotation, ValueNotation } from './read-notation.ts'

/** A schema in the notation; the members are in the order in which the program in Java writes them. */
export function writeSchema(schema: Schema): SchemaNotation {
  const { type, isOptional, name, version, doc, parameters, defaultValue, keySchema, valueSchema, fields } = schema
  return {
    type,
    ...(isOptional ? { optional: true } : {}),
    ...(name === null ? {} : { name }),
    ...(version === null ? {} : { version }),
    ...(doc === null ? {} : { doc }),
    ...(parameters === null ? {} : { parameters }),
    ...(defaultValue === null ? {} : { default: notNull(writeValue(schema, defaultValue)) }),
    ...(keySchema === null ? {} : { keys: writeSchema(keySchema) }),
    ...(valueSchema === null ? {} : { values: writeSchema(valueSchema) }),
    ...(type === 'struct' ? { fields: fields.map((field) => [field.name, writeSchema(field.schema)] as const) } : {}),
  }
}

/**
 * A value in the notation. Without a schema a number has no type in JavaScript: an integer is written as `int`, any other
 * number as `double`.
 */
export function writeValue(schema: Schema | null, value: ConnectValue): ValueNotation | null {
  if (value === null) return null
  if (typeof value === 'boolean') return { boolean: value }
  if (typeof value === 'string') return { string: value }
  if (value instanceof EncodedText) return { string: value.toString() }
  if (value instanceof Decimal) return { decimal: [String(value.unscaled), value.scale] }
  if (value instanceof Uint8Array) return { bytes: Buffer.from(value).toString('hex') }
  if (typeof value === 'number' || typeof value === 'bigint') return writeNumber(schema, value)
  if (value instanceof Struct) {
    return { struct: value.schema.fields.map((field) => writeValue(field.schema, value.at(field.index))) }
  }
  const items = schema?.valueSchema ?? null
  if (value instanceof Map) {
    const keys = schema?.keySchema ?? null
    const entries: ReadonlyMap<ConnectValue, ConnectValue> = value
    return { map: Array.from(entries, ([key, item]) => [writeValue(keys, key), writeValue(items, item)] as const) }
  }
  return { array: (value as readonly ConnectValue[]).map((item) => writeValue(items, item)) }
}

function writeNumber(schema: Schema | null, value: number | bigint): ValueNotation {
  if (schema?.type === 'float') return { float: floatBits(Number(value)) }
  if (schema?.type === 'double' || (schema === null && !Number.isInteger(Number(value)))) {
    return { double: doubleBits(Number(value)) }
  }
  return { int: String(value) }
}

function floatBits(value: number): string {
  const bytes = Buffer.alloc(4)
  bytes.writeFloatBE(value)
  return bytes.toString('hex')
}

function doubleBits(value: number): string {
  const bytes = Buffer.alloc(8)
  bytes.writeDoubleBE(value)
  return bytes.toString('hex')
}

function notNull(value: ValueNotation | null): ValueNotation {
  if (value === null) throw new Error('a default is not null')
  return value
}
