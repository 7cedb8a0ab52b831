import { type Schema, type SourceRecord, Struct } from '@tributary/connect-api'

/** Whether a schema is that of a change event, as Debezium decides it: by the end of its name. */
export function isEnvelopeSchema(schema: Schema | null): schema is Schema {
  return schema?.name?.endsWith('.Envelope') === true
}

/** The change event of a record; null for any other record. */
export function envelopeOf({ valueSchema, value }: SourceRecord): Struct | null {
  return isEnvelopeSchema(valueSchema) && value instanceof Struct ? value : null
}
