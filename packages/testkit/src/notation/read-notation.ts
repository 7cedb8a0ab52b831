import { Decimal, EncodedText, Schema, Struct, type ConnectValue, type SchemaType } from '@tributary/connect-api'
import { present } from '@tributary/support'

/**
 * Schemas and values of Connect as JSON without loss, which a program in Java can write and read too: the notation of
 * the files that record what Kafka's and Debezium's own classes do. `packages/converters/fixtures/README.md` describes
 * it.
 */
export interface SchemaNotation {
  readonly type: SchemaType
  readonly optional?: boolean
  readonly name?: string
  readonly version?: number
  readonly doc?: string
  readonly parameters?: Readonly<Record<string, string>>
  readonly default?: ValueNotation
  readonly keys?: SchemaNotation
  readonly values?: SchemaNotation
  readonly fields?: readonly (readonly [name: string, schema: SchemaNotation])[]
}

export interface ValueNotation {
  readonly int?: string
  readonly float?: string
  readonly double?: string
  readonly boolean?: boolean
  readonly string?: string
  readonly bytes?: string
  readonly decimal?: readonly [unscaled: string, scale: number]
  readonly array?: readonly (ValueNotation | null)[]
  readonly map?: readonly (readonly [ValueNotation | null, ValueNotation | null])[]
  readonly struct?: readonly (ValueNotation | null)[]
}

export function floatOfBits(hex: string): number {
  return Buffer.from(hex, 'hex').readFloatBE()
}

export function doubleOfBits(hex: string): number {
  return Buffer.from(hex, 'hex').readDoubleBE()
}

export function readSchema(notation: SchemaNotation): Schema {
  const { type, optional = false, name, version, doc, parameters, keys, values, fields = [] } = notation
  const options = {
    optional,
    ...(name === undefined ? {} : { name }),
    ...(version === undefined ? {} : { version }),
    ...(doc === undefined ? {} : { doc }),
    ...(parameters === undefined ? {} : { parameters }),
  }
  const schema =
    type === 'struct'
      ? Schema.struct(
          fields.map(([field, inner]) => [field, readSchema(inner)]),
          options,
        )
      : type === 'map'
        ? Schema.map(readSchema(present(keys, 'keys')), readSchema(present(values, 'values')), options)
        : type === 'array'
          ? Schema.array(readSchema(present(values, 'values')), options)
          : Schema.of(type, options)
  if (notation.default === undefined) return schema
  const defaultValue = readValue(schema, notation.default, plainText)
  return defaultValue === null ? schema : schema.with({ defaultValue })
}

/** Makes the value of a text: a string, or EncodedText. */
export type TextReader = (text: string) => string | EncodedText

export const plainText: TextReader = (text) => text

/** UTF-8 bytes within a larger buffer. A text with an unpaired surrogate cannot be encoded and stays a string. */
export const encodedText: TextReader = (text) => {
  if (!text.isWellFormed()) return text
  const bytes = Buffer.from(`left${text}right`)
  return new EncodedText(bytes, 4, bytes.length - 5, {
    isAsciiCompatible: true,
    isUtf8: true,
    decode: (source, start, end) => source.toString('utf8', start, end),
  })
}

/** Latin-1 bytes within a larger buffer. A text with other characters stays a string. */
export const latin1Text: TextReader = (text) => {
  if (!/^[\0-\xff]*$/.test(text)) return text
  const bytes = Buffer.from(`left${text}right`, 'latin1')
  return new EncodedText(bytes, 4, bytes.length - 5, {
    isAsciiCompatible: true,
    isUtf8: false,
    decode: (source, start, end) => source.toString('latin1', start, end),
  })
}

/** UTF-16 bytes: a charset whose bytes below 0x80 are not ASCII characters. */
export const utf16Text: TextReader = (text) => {
  const bytes = Buffer.from(`left${text}right`, 'utf16le')
  return new EncodedText(bytes, 8, bytes.length - 10, {
    isAsciiCompatible: false,
    isUtf8: false,
    decode: (source, start, end) => source.toString('utf16le', start, end),
  })
}

export function readValue(schema: Schema | null, notation: ValueNotation | null, textOf: TextReader): ConnectValue {
  if (notation === null) return null
  const { int, float, double, boolean, string, bytes, decimal, array, map, struct } = notation
  if (int !== undefined) return readInteger(int)
  if (float !== undefined) return floatOfBits(float)
  if (double !== undefined) return doubleOfBits(double)
  if (boolean !== undefined) return boolean
  if (string !== undefined) return textOf(string)
  if (bytes !== undefined) return Buffer.from(bytes, 'hex')
  if (decimal !== undefined) return new Decimal(readInteger(decimal[0]), decimal[1])
  const valueSchema = schema?.valueSchema ?? null
  if (array !== undefined) return array.map((item) => readValue(valueSchema, item, textOf))
  if (map !== undefined) {
    const keySchema = schema?.keySchema ?? null
    return new Map(
      map.map(([key, value]) => [readValue(keySchema, key, plainText), readValue(valueSchema, value, textOf)]),
    )
  }
  return readStruct(present(schema, 'schema'), present(struct, 'struct'), textOf)
}

function readStruct(schema: Schema, values: readonly (ValueNotation | null)[], textOf: TextReader): Struct {
  return new Struct(
    schema,
    schema.fields.map((field) => readValue(field.schema, values[field.index] ?? null, textOf)),
  )
}

function readInteger(digits: string): number | bigint {
  const value = Number(digits)
  return Number.isSafeInteger(value) ? value : BigInt(digits)
}
