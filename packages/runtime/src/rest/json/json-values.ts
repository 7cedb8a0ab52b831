import type { JsonError } from './json-error.ts'
import { JsonReader } from './json-reader.ts'
import type { JsonToken } from './json-reader.ts'

/** Property names and values in the order of the document. As in Kafka Connect, a repeated name has its last value. */
export type TextMap = ReadonlyMap<string, string | null>

/** The Java class that Jackson reads maps into; errors name it. */
const mapClass = 'java.util.LinkedHashMap'

/** Reads a document that is one map of texts, such as a connector configuration. Null when it is empty or `null`. */
export function readTextMapDocument(body: Buffer): TextMap | null {
  const reader = new JsonReader(body)
  return reader.document('java.util.Map', (token) => readTextMap(reader, token))
}

export function readTextMap(reader: JsonReader, token: JsonToken): TextMap | null {
  return readMap(reader, token, 'java.lang.String', (name, member) => {
    const isNested = member === 'START_OBJECT' || member === 'START_ARRAY'
    // As in Kafka Connect, only an error about the kind of value names the property; a syntax error in a text does not.
    return isNested ? reader.within(`${mapClass}["${name}"]`, () => readText(reader, member)) : readText(reader, member)
  })
}

/** Reads an object into a map. Null for `null`. */
export function readMap<T>(
  reader: JsonReader,
  token: JsonToken,
  valueClass: string,
  readMember: (name: string, token: JsonToken) => T,
): ReadonlyMap<string, T> | null {
  if (token === 'VALUE_NULL') return null
  if (token === 'VALUE_STRING') throw noObjectError(reader, mapClass, token)
  if (token !== 'START_OBJECT') throw mismatchError(reader, `${mapClass}<java.lang.String,${valueClass}>`, token)
  const map = new Map<string, T>()
  reader.object((name, member) => {
    map.set(name, readMember(name, member))
    if (map.size > MEMBERS_MAX) throw reader.errorAtToken(`An object has more than ${MEMBERS_MAX} properties`)
  })
  return map
}

/** A connector has some hundred. The checks of a configuration take time for each. */
const MEMBERS_MAX = 10_000

/** Reads a text. Numbers and booleans become texts as the document has them, with all digits. */
export function readText(reader: JsonReader, token: JsonToken): string | null {
  if (token === 'VALUE_NULL') return null
  if (token === 'VALUE_STRING') return reader.string()
  if (token !== 'START_OBJECT' && token !== 'START_ARRAY') return reader.scalar()
  throw mismatchError(reader, 'java.lang.String', token)
}

/** A Java class with the properties that Jackson knows of it, in the order in which errors list them. */
export interface RecordType {
  readonly className: string
  readonly properties: readonly string[]
}

/**
 * Reads an object of known properties. As in Kafka Connect, a repeated property has its last value until all known ones
 * have been read; after that, a repetition is an error. An unknown property is reported when all known ones have been
 * read, or else at the end of the object.
 */
export function readRecord(
  reader: JsonReader,
  { className, properties }: RecordType,
  token: JsonToken,
  readProperty: (name: string, token: JsonToken) => void,
): void {
  if (token !== 'START_OBJECT') throw noObjectError(reader, className, token)
  const { cursor } = reader
  const missing = new Set(properties)
  let unknown: string | null = null
  const refuseUnknown = (): void => {
    if (unknown === null) return
    const count = properties.length === 1 ? 'one known property' : `${properties.length} known properties`
    const known = `${count}: ${properties.map((each) => `"${each}"`).join(', ')}`
    const problem = `Unrecognized field "${unknown}" (class ${className}), not marked as ignorable (${known})`
    throw reader.within(`${className}["${unknown}"]`, () => cursor.error(problem, cursor.position))
  }
  reader.object((name, member) => {
    if (!properties.includes(name)) {
      unknown ??= name
      reader.skip(member)
    } else if (missing.size === 0) {
      throw reader.errorAtToken(`Field "${name}" (class ${className}) has another value already`)
    } else {
      reader.within(`${className}["${name}"]`, () => readProperty(name, member))
      missing.delete(name)
    }
    if (missing.size === 0) refuseUnknown()
  })
  refuseUnknown()
}

/** The error about a value of the wrong kind. */
export function mismatchError(reader: JsonReader, target: string, token: JsonToken): JsonError {
  const found = `${kinds[token]} value (token \`JsonToken.${token}\`)`
  return reader.errorAtToken(`Cannot deserialize value of type \`${target}\` from ${found}`)
}

const kinds: Readonly<Record<JsonToken, string>> = {
  START_OBJECT: 'Object',
  START_ARRAY: 'Array',
  VALUE_STRING: 'String',
  VALUE_NUMBER_INT: 'Integer',
  VALUE_NUMBER_FLOAT: 'Floating-point',
  VALUE_TRUE: 'Boolean',
  VALUE_FALSE: 'Boolean',
  VALUE_NULL: 'Null',
}

/** The error about a value that is not an object where an object of a class is expected. */
function noObjectError(reader: JsonReader, className: string, token: JsonToken): JsonError {
  const creator = creators.get(token)
  if (creator === undefined) return mismatchError(reader, className, token)
  const isText = token === 'VALUE_STRING'
  const text = isText ? reader.string().trim() : reader.scalar()
  if (isText && text === '') {
    const hint = 'but could if coercion was enabled using `CoercionConfig`'
    return reader.errorAtToken(`Cannot coerce empty String ("") to element of \`${className}\` (${hint})`)
  }
  const found = `${creator.value} (${isText ? `'${text}'` : text})`
  const missing = `no ${creator.argument}-argument constructor/factory method to deserialize from ${found}`
  const problem = `Cannot construct instance of \`${className}\` (although at least one Creator exists): ${missing}`
  return reader.errorAtToken(problem)
}

/** How Jackson names the constructor that a class would need, and the value. */
const creators: ReadonlyMap<JsonToken, { readonly argument: string; readonly value: string }> = new Map([
  ['VALUE_STRING', { argument: 'String', value: 'String value' }],
  ['VALUE_NUMBER_INT', { argument: 'int/Int', value: 'Number value' }],
  ['VALUE_NUMBER_FLOAT', { argument: 'double/Double', value: 'Number value' }],
  ['VALUE_TRUE', { argument: 'boolean/Boolean', value: 'boolean value' }],
  ['VALUE_FALSE', { argument: 'boolean/Boolean', value: 'boolean value' }],
])
