import type { OffsetValue } from '@tributary/rest-api'
import type { JsonError } from './json-error.ts'
import { expectEnd, mismatchError, noMapError, noRecordError } from './json-mapping.ts'
import type { JsonToken } from './json-token.ts'
import type { JsonTokenizer } from './json-tokenizer.ts'

/** An object or array where only a value can be stored, by the name that Kafka Connect's errors give it. */
export interface NestedValue {
  readonly kind: 'MAP' | 'ARRAY'
}

export type OffsetProperties = ReadonlyMap<string, OffsetValue | NestedValue>

/** An offset as it was sent. What is missing and what is null is the same. */
export interface SentOffset {
  readonly partition: OffsetProperties | null
  readonly offset: OffsetProperties | null
}

/** The body of `PATCH …/offsets`. */
export interface OffsetsDocument {
  readonly offsets: readonly (SentOffset | null)[] | null
}

const entities = 'org.apache.kafka.connect.runtime.rest.entities'

/** The classes that the document is read into: errors name them. */
export const offsetsClass: string = `${entities}.ConnectorOffsets`
export const offsetClass: string = `${entities}.ConnectorOffset`

/** Null where there is none: white space alone, or `null`. */
export function readOffsetsDocument(tokenizer: JsonTokenizer): OffsetsDocument | null {
  const first = tokenizer.next()
  if (first === null) return null
  const document = first === 'VALUE_NULL' ? null : readOffsets(tokenizer, first)
  expectEnd(tokenizer, offsetsClass)
  return document
}

function readOffsets(tokenizer: JsonTokenizer, first: JsonToken): OffsetsDocument {
  let offsets: OffsetsDocument['offsets'] = null
  const record = { className: offsetsClass, properties: ['offsets'] }
  readRecord(tokenizer, record, first, (_name, token) => {
    offsets = readList(tokenizer, token)
  })
  return { offsets }
}

function readList(tokenizer: JsonTokenizer, first: JsonToken): OffsetsDocument['offsets'] {
  if (first === 'VALUE_NULL') return null
  if (first !== 'START_ARRAY') throw mismatchError(tokenizer, `java.util.ArrayList<${offsetClass}>`, first)
  const { references } = tokenizer.input
  const list: (SentOffset | null)[] = []
  for (let token = tokenizer.next(); token !== null && token !== 'END_ARRAY'; token = tokenizer.next()) {
    references.push(`java.util.ArrayList[${list.length}]`)
    list.push(token === 'VALUE_NULL' ? null : readOffset(tokenizer, token))
    references.pop()
  }
  return list
}

function readOffset(tokenizer: JsonTokenizer, first: JsonToken): SentOffset {
  let [partition, offset]: (OffsetProperties | null)[] = [null, null]
  const record = { className: offsetClass, properties: ['partition', 'offset'] }
  readRecord(tokenizer, record, first, (name, token) => {
    const properties = readProperties(tokenizer, token)
    if (name === 'partition') partition = properties
    else offset = properties
  })
  return { partition: partition ?? null, offset: offset ?? null }
}

function readProperties(tokenizer: JsonTokenizer, first: JsonToken): OffsetProperties | null {
  if (first === 'VALUE_NULL') return null
  if (first !== 'START_OBJECT') throw noMapError(tokenizer, 'java.lang.Object', first)
  const properties = new Map<string, OffsetValue | NestedValue>()
  while (tokenizer.next() === 'FIELD_NAME') {
    const { name } = tokenizer
    const value = tokenizer.next()
    if (value !== null) properties.set(name, readValue(tokenizer, value))
  }
  return properties
}

function readValue(tokenizer: JsonTokenizer, token: JsonToken): OffsetValue | NestedValue {
  switch (token) {
    case 'VALUE_NULL':
      return null
    case 'VALUE_STRING':
      return tokenizer.string()
    case 'VALUE_TRUE':
      return true
    case 'VALUE_FALSE':
      return false
    case 'VALUE_NUMBER_FLOAT':
      return Number(tokenizer.scalar())
    case 'VALUE_NUMBER_INT': {
      const number = Number(tokenizer.scalar())
      return Number.isSafeInteger(number) ? number : BigInt(tokenizer.scalar())
    }
    default:
      tokenizer.readOver(token)
      return { kind: token === 'START_ARRAY' ? 'ARRAY' : 'MAP' }
  }
}

interface RecordType {
  readonly className: string
  readonly properties: readonly string[]
}

/**
 * Reads an object of known properties as Jackson fills a record: an unknown property is reported when all known ones have been
 * read, or else at the end of the object.
 */
function readRecord(
  tokenizer: JsonTokenizer,
  type: RecordType,
  first: JsonToken,
  readProperty: (name: string, token: JsonToken) => void,
): void {
  if (first !== 'START_OBJECT') throw noRecordError(tokenizer, type.className, first)
  const { references } = tokenizer.input
  const missing = new Set(type.properties)
  let unknown: string | null = null
  while (tokenizer.next() === 'FIELD_NAME') {
    const { name } = tokenizer
    const value = tokenizer.next()
    if (value === null) break
    if (type.properties.includes(name)) {
      references.push(`${type.className}["${name}"]`)
      readProperty(name, value)
      references.pop()
      missing.delete(name)
    } else {
      unknown ??= name
      if (missing.size > 0) tokenizer.readOver(value)
    }
    if (unknown !== null && missing.size === 0) throw unknownError(tokenizer, type, unknown)
  }
  if (unknown !== null) throw unknownError(tokenizer, type, unknown)
}

function unknownError(tokenizer: JsonTokenizer, { className, properties }: RecordType, name: string): JsonError {
  const { input } = tokenizer
  input.references.push(`${className}["${name}"]`)
  const count = properties.length === 1 ? 'one known property' : `${properties.length} known properties`
  const known = `${count}: ${properties.map((each) => `"${each}"`).join(', ')}`
  return input.error(
    `Unrecognized field "${name}" (class ${className}), not marked as ignorable (${known})`,
    input.position,
  )
}
