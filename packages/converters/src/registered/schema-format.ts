import type { Schema } from '@tributary/connect-api'
import type { RegisteredSchema } from '../registry/schema-registry.ts'
import type { ValueWriter } from '../writers/value-writer.ts'

/** What a converter with a registry has compiled for one Connect schema. */
export interface CompiledFormat {
  /** Appends what follows the id. */
  readonly write: ValueWriter
  /** Bytes between the id and the value. */
  readonly lead?: Uint8Array
  /** Null is written as a value, with its id; otherwise it is Kafka's null. */
  readonly writesNull?: boolean
}

/** A format whose schemas are in a registry, as the options of a converter configure it. */
export interface SchemaFormat {
  /** @throws CodedError that names the field when the schema has no form in the format */
  compile(schema: Schema): CompiledFormat
  /** The schema as it is registered. */
  registered(schema: Schema): RegisteredSchema
  /** The name of the record in the registered schema, for names of subjects; null for other types. */
  recordName(schema: Schema): string | null
  /** The error for a value without a schema. */
  noSchema(): Error
}
