import type { OffsetValue } from '@tributary/rest-api'
import { JsonReader } from './json-reader.ts'
import type { JsonToken } from './json-reader.ts'
import { mismatchError, readMap, readRecord } from './json-values.ts'

/** An object or array, which an offset cannot contain. Kafka Connect's errors name its kind. */
export interface NestedValue {
  readonly kind: 'MAP' | 'ARRAY'
}

export type OffsetProperties = ReadonlyMap<string, OffsetValue | NestedValue>

/** An item of the list. A missing property is null. */
export interface SentOffset {
  readonly partition: OffsetProperties | null
  readonly offset: OffsetProperties | null
}

/** The body of `PATCH …/offsets`. A missing list is null. */
export interface OffsetsDocument {
  readonly offsets: readonly (SentOffset | null)[] | null
}

const entities = 'org.apache.kafka.connect.runtime.rest.entities'

/** The Java classes that Kafka Connect reads the document into; errors name them. */
export const offsetsClass: string = `${entities}.ConnectorOffsets`
export const offsetClass: string = `${entities}.ConnectorOffset`

/** Null when the body is empty or `null`. */
export function readOffsetsDocument(body: Buffer): OffsetsDocument | null {
  const reader = new JsonReader(body)
  return reader.document(offsetsClass, (token) => {
    let offsets: OffsetsDocument['offsets'] = null
    readRecord(reader, { className: offsetsClass, properties: ['offsets'] }, token, (_name, value) => {
      offsets = readList(reader, value)
    })
    return { offsets }
  })
}

function readList(reader: JsonReader, token: JsonToken): OffsetsDocument['offsets'] {
  if (token === 'VALUE_NULL') return null
  if (token !== 'START_ARRAY') throw mismatchError(reader, `java.util.ArrayList<${offsetClass}>`, token)
  const list: (SentOffset | null)[] = []
  reader.array((item) => {
    const reference = `java.util.ArrayList[${list.length}]`
    list.push(reader.within(reference, () => (item === 'VALUE_NULL' ? null : readOffset(reader, item))))
  })
  return list
}

function readOffset(reader: JsonReader, token: JsonToken): SentOffset {
  let partition: OffsetProperties | null = null
  let offset: OffsetProperties | null = null
  const type = { className: offsetClass, properties: ['partition', 'offset'] }
  readRecord(reader, type, token, (name, value) => {
    const properties = readMap(reader, value, 'java.lang.Object', (_property, each) => readValue(reader, each))
    if (name === 'partition') partition = properties
    else offset = properties
  })
  return { partition, offset }
}

function readValue(reader: JsonReader, token: JsonToken): OffsetValue | NestedValue {
  switch (token) {
    case 'VALUE_NULL':
      return null
    case 'VALUE_STRING':
      return reader.string()
    case 'VALUE_TRUE':
      return true
    case 'VALUE_FALSE':
      return false
    case 'VALUE_NUMBER_FLOAT':
      return Number(reader.scalar())
    case 'VALUE_NUMBER_INT': {
      const number = Number(reader.scalar())
      return Number.isSafeInteger(number) ? number : BigInt(reader.scalar())
    }
    case 'START_ARRAY':
    case 'START_OBJECT':
      reader.skip(token)
      return { kind: token === 'START_ARRAY' ? 'ARRAY' : 'MAP' }
  }
}
