import type { ConnectValue, Schema, SourceRecord } from '@tributary/connect-api'
import {
  readSchema,
  readValue,
  type SchemaNotation,
  type TextReader,
  type ValueNotation,
  writeSchema,
  writeValue,
} from '@tributary/testkit'

/** A key, value or header value with its schema. */
export interface PartNotation {
  readonly schema: SchemaNotation | null
  readonly value: ValueNotation | null
}

/** A record as TransformOracle.java reads and writes it. */
export interface RecordNotation {
  readonly topic: string
  readonly partition?: number
  readonly timestamp?: number
  readonly key: PartNotation
  readonly value: PartNotation
  readonly headers?: readonly { readonly name: string; readonly part: PartNotation }[]
}

/** Schemas of equal notation are one object, as those of a connector are. */
const schemas = new Map<string, Schema>()

export function internedSchema(notation: SchemaNotation | null): Schema | null {
  if (notation === null) return null
  const text = JSON.stringify(notation)
  let schema = schemas.get(text)
  if (schema === undefined) {
    schema = readSchema(notation)
    schemas.set(text, schema)
  }
  return schema
}

const sourcePartition = { server: 's' }
const sourceOffset = { toDocument: () => ({ pos: 4 }) }

/** `textOf`: the form in which the record has its texts. */
export function readRecord(notation: RecordNotation, textOf: TextReader): SourceRecord {
  const part = ({ schema: text, value }: PartNotation): { schema: Schema | null; value: ConnectValue } => {
    const schema = internedSchema(text)
    return { schema, value: readValue(schema, value, textOf) }
  }
  const key = part(notation.key)
  const value = part(notation.value)
  return {
    sourcePartition,
    sourceOffset,
    topic: notation.topic,
    partition: notation.partition ?? null,
    keySchema: key.schema,
    key: key.value,
    valueSchema: value.schema,
    value: value.value,
    timestamp: notation.timestamp ?? null,
    headers: (notation.headers ?? []).map((header) => ({ key: header.name, ...part(header.part) })),
  }
}

export function writeRecord(record: SourceRecord): RecordNotation {
  const { topic, partition, timestamp, keySchema, key, valueSchema, value, headers } = record
  return {
    topic,
    ...(partition === null ? {} : { partition }),
    ...(timestamp === null ? {} : { timestamp }),
    key: writePart(keySchema, key),
    value: writePart(valueSchema, value),
    ...(headers.length === 0
      ? {}
      : { headers: headers.map((header) => ({ name: header.key, part: writePart(header.schema, header.value) })) }),
  }
}

function writePart(schema: Schema | null, value: ConnectValue): PartNotation {
  return { schema: schema === null ? null : writeSchema(schema), value: writeValue(schema, value) }
}
