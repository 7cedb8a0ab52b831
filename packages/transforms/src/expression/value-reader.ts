import { type ConnectValue, Decimal, EncodedText, type Schema, Struct } from '@tributary/connect-api'
import type { Language } from './language.ts'
import type { Scope } from './scope.ts'
import { FloatingNumber, JavaDate, SmallInteger, type Value } from './values.ts'

/** Makes the value of an expression of a value of a record. */
export type ValueReader = (value: ConnectValue, scope: Scope) => Value

const readers: Readonly<Record<Language, WeakMap<Schema, ValueReader>>> = {
  groovy: new WeakMap(),
  javascript: new WeakMap(),
}

/** The reader for values of a schema; it has Java's types in Groovy. A default does not replace null. */
export function readerOf(schema: Schema | null, language: Language): ValueReader {
  if (schema === null) return language === 'groovy' ? readUntyped : readUntypedNumber
  let reader = readers[language].get(schema)
  if (reader === undefined) {
    reader = orNull(makeReader(schema, language))
    readers[language].set(schema, reader)
  }
  return reader
}

function orNull(reader: ValueReader): ValueReader {
  return (value, scope) => (value === null ? null : reader(value, scope))
}

function makeReader(schema: Schema, language: Language): ValueReader {
  const millisecondsPerUnit = DATES.get(schema.name ?? '')
  if (millisecondsPerUnit !== undefined) return (value) => new JavaDate(Number(value) * millisecondsPerUnit)
  switch (schema.type) {
    case 'int8':
    case 'int16': {
      const bits = schema.type === 'int8' ? 8 : 16
      return language === 'groovy' ? (value) => new SmallInteger(Number(value), bits) : readPlain
    }
    case 'int64':
      return language === 'groovy' ? (value) => BigInt(value as number | bigint) : readPlain
    case 'float':
    case 'double': {
      const bits = schema.type === 'float' ? 32 : 64
      return language === 'groovy' ? (value) => new FloatingNumber(Number(value), bits) : readPlain
    }
    case 'array':
      return readList(readerOf(schema.valueSchema, language))
    case 'map':
      return readMap(readerOf(schema.keySchema, language), readerOf(schema.valueSchema, language))
    default:
      return readPlain
  }
}

/** Connect's types whose values are dates in Java, with the milliseconds of their unit. */
const DATES: ReadonlyMap<string, number> = new Map([
  ['org.apache.kafka.connect.data.Date', 86_400_000],
  ['org.apache.kafka.connect.data.Time', 1],
  ['org.apache.kafka.connect.data.Timestamp', 1],
])

/** A value that is the same in an expression. */
function readPlain(value: ConnectValue, scope: Scope): Value {
  if (typeof value === 'string') {
    scope.charge(value.length)
    return value
  }
  if (value instanceof EncodedText) {
    scope.charge(value.end - value.start)
    return value.toString()
  }
  // Lists and maps have readers of their own; everything else is a value of expressions too.
  return value as Value
}

function readList(item: ValueReader): ValueReader {
  return (value, scope) => {
    const items = value as readonly ConnectValue[]
    scope.charge(items.length)
    return items.map((each) => item(each, scope))
  }
}

function readMap(key: ValueReader, item: ValueReader): ValueReader {
  return (value, scope) => {
    const entries = value as ReadonlyMap<ConnectValue, ConnectValue>
    scope.charge(entries.size)
    return new Map(Array.from(entries, ([k, v]) => [key(k, scope), item(v, scope)] as const))
  }
}

/** Without a schema, whole numbers are Longs and others Doubles, as the JSON converter of Connect makes them. */
function readUntyped(value: ConnectValue, scope: Scope): Value {
  if (typeof value !== 'number') return readUntypedObject(value, scope, readUntyped)
  return Number.isInteger(value) ? BigInt(value) : new FloatingNumber(value, 64)
}

function readUntypedNumber(value: ConnectValue, scope: Scope): Value {
  return readUntypedObject(value, scope, readUntypedNumber)
}

function readUntypedObject(value: ConnectValue, scope: Scope, item: ValueReader): Value {
  if (Array.isArray(value)) return readList(item)(value, scope)
  if (value instanceof Map) return readMap(item, item)(value as ReadonlyMap<ConnectValue, ConnectValue>, scope)
  if (value instanceof Struct || value instanceof Decimal) return value
  return readPlain(value, scope)
}
