import { Schema, type SchemaType, Schemas } from '@tributary/connect-api'
import { converterErrors } from '../errors.ts'
import type { CloudEventsOptions } from './cloud-events-options.ts'

/** The schemas of the events that are made of records of one envelope. */
export interface EventSchemas {
  /** `mysql` or `mariadb`. */
  readonly connector: string
  readonly source: Schema
  /** The event without its data. */
  readonly attributes: Schema
  readonly data: Schema
  /** The positions of the fields of the data in the envelope. */
  readonly dataFields: readonly number[]
  readonly hasTransaction: boolean
}

/** True for records of row changes; all others have no event, and become Kafka's null as in Debezium. */
export function isEnvelope(schema: Schema | null): schema is Schema {
  return schema?.type === 'struct' && schema.name?.endsWith('.Envelope') === true
}

/** @throws CLOUD_EVENT_SOURCE when the envelope is not one of these connectors */
export function eventSchemas(envelope: Schema, options: CloudEventsOptions): EventSchemas {
  const source = envelope.field('source')?.schema ?? null
  const connector = /^io\.debezium\.connector\.(\w+)\.Source$/.exec(source?.name ?? '')?.[1]
  // As in Debezium the data of MySQL are the row before and after, those of MariaDB the whole envelope.
  const fields = envelope.fields.filter(({ name }) => connector === 'mariadb' || name === 'before' || name === 'after')
  if (source === null || connector === undefined || fields.length < 2)
    throw converterErrors.CLOUD_EVENT_SOURCE({ schema: envelope.name ?? '(none)' })
  return {
    connector,
    source,
    attributes: Schema.struct([...common(options), ...(options.hasExtensions ? extensions(source) : [])]),
    data: Schema.struct(
      fields.map(({ name, schema }) => [name, schema]),
      { name: `io.debezium.connector.${connector}.Data` },
    ),
    dataFields: fields.map(({ index }) => index),
    hasTransaction: envelope.field('transaction') !== null,
  }
}

/** The event as Avro contains it: with its data, which are bytes. */
export function wholeEvent(attributes: Schema, name: string): Schema {
  const fields = attributes.fields.map(({ name: field, schema }) => [field, schema] as const)
  return Schema.struct([...fields, ['data', Schema.of('bytes')]], { name })
}

type NamedSchema = readonly [name: string, schema: Schema]

function common({ data }: CloudEventsOptions): readonly NamedSchema[] {
  const names = ['id', 'source', 'specversion', 'type', 'time', 'datacontenttype']
  return [...names, ...(data === 'avro' ? ['dataschema'] : [])].map((name) => [name, Schemas.string])
}

/** The transaction block always has these fields, and attributes for them exist without one. */
export const TRANSACTION_FIELDS: readonly (readonly [name: string, type: 'string' | 'int64'])[] = [
  ['id', 'string'],
  ['total_order', 'int64'],
  ['data_collection_order', 'int64'],
]

function extensions(source: Schema): readonly NamedSchema[] {
  return [
    [attributeName('op'), Schemas.string],
    ...source.fields.map(({ name, schema }): NamedSchema => [
      attributeName(name),
      Schema.of(attributeType(schema.type, name), { optional: schema.isOptional }),
    ]),
    ...TRANSACTION_FIELDS.map(([name]): NamedSchema => [attributeName(`tx${name}`), Schemas.optionalString]),
  ]
}

/** Attributes consist of lower-case letters and digits. */
function attributeName(field: string): string {
  return `iodebezium${field.replaceAll(/[^a-z0-9]/g, '')}`
}

/** CloudEvents has no integers of 64 bits: they become text. */
function attributeType(type: SchemaType, field: string): 'boolean' | 'int32' | 'string' {
  switch (type) {
    case 'boolean':
      return 'boolean'
    case 'int8':
    case 'int16':
    case 'int32':
      return 'int32'
    case 'int64':
    case 'string':
      return 'string'
    default:
      throw converterErrors.CLOUD_EVENT_FIELD({ field, type })
  }
}
