import { Decimal, Schema, Struct } from '@tributary/connect-api'
import {
  BigInteger,
  FloatingNumber,
  HeaderValue,
  InterpolatedText,
  JavaDate,
  Matching,
  SchemaField,
  SmallInteger,
  type Value,
} from './values.ts'

/** What decides which methods and fields a value has. */
export type Kind =
  | 'null'
  | 'boolean'
  | 'number'
  | 'text'
  | 'bytes'
  | 'date'
  | 'list'
  | 'map'
  | 'struct'
  | 'schema'
  | 'field'
  | 'header'
  | 'matching'

export function kindOf(value: Value): Kind {
  switch (typeof value) {
    case 'undefined':
      return 'null'
    case 'boolean':
      return 'boolean'
    case 'string':
      return 'text'
    case 'number':
    case 'bigint':
      return 'number'
    default:
      return value === null ? 'null' : kindOfObject(value)
  }
}

function kindOfObject(value: object): Kind {
  if (value instanceof Struct) return 'struct'
  if (isNumberObject(value)) return 'number'
  if (value instanceof InterpolatedText) return 'text'
  if (value instanceof Uint8Array) return 'bytes'
  if (value instanceof JavaDate) return 'date'
  if (value instanceof Map) return 'map'
  if (value instanceof Schema) return 'schema'
  if (value instanceof SchemaField) return 'field'
  if (value instanceof HeaderValue) return 'header'
  return value instanceof Matching ? 'matching' : 'list'
}

function isNumberObject(value: object): boolean {
  return (
    value instanceof SmallInteger ||
    value instanceof FloatingNumber ||
    value instanceof BigInteger ||
    value instanceof Decimal
  )
}

/** With an article, for errors. */
export function describeKind(value: Value): string {
  return DESCRIPTIONS[kindOf(value)]
}

const DESCRIPTIONS: Readonly<Record<Kind, string>> = {
  null: 'null',
  boolean: 'a boolean',
  number: 'a number',
  text: 'a text',
  bytes: 'bytes',
  date: 'a date',
  list: 'a list',
  map: 'a map',
  struct: 'a struct',
  schema: 'a schema',
  field: 'a field of a schema',
  header: 'a header',
  matching: 'the result of a match',
}

/** The characters of a text; null: the value is no text. */
export function charactersOf(value: Value): string | null {
  if (typeof value === 'string') return value
  return value instanceof InterpolatedText ? value.text : null
}
