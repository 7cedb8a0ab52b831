import { type ConnectValue, Schema, Schemas, Struct } from '@tributary/connect-api'
import type { RecordFormat } from '@tributary/connector-kit'
import { arrayOfLength } from '@tributary/support'
import type { SourceInfo } from './source-info.ts'

interface SourceField {
  readonly name: string
  readonly schema: Schema
  readonly value: (info: SourceInfo, constants: SourceConstants) => ConnectValue
}

export interface SourceConstants {
  /** Version of the connector. */
  readonly version: string
  /** `topic.prefix` */
  readonly name: string
}

/** The source struct of SPEC.md, field by field in its order. */
const FIELDS: readonly SourceField[] = [
  { name: 'version', schema: Schemas.optionalString, value: (_, { version }) => version },
  { name: 'name', schema: Schemas.string, value: (_, { name }) => name },
  { name: 'server_id', schema: Schemas.int64, value: ({ serverId }) => serverId },
  {
    name: 'ts_sec',
    schema: Schemas.int64,
    value: ({ timestampSeconds, snapshot }) => (snapshot === 'false' ? timestampSeconds : 0),
  },
  { name: 'gtid', schema: Schemas.optionalString, value: ({ gtid }) => gtid },
  { name: 'file', schema: Schemas.string, value: ({ file }) => file },
  { name: 'pos', schema: Schemas.int64, value: ({ position }) => position },
  { name: 'row', schema: Schemas.int32, value: ({ row }) => row },
  { name: 'snapshot', schema: Schemas.optionalBoolean, value: ({ snapshot }) => (snapshot === 'false' ? null : true) },
  { name: 'thread', schema: Schemas.optionalInt64, value: ({ threadId }) => threadId },
  { name: 'db', schema: Schemas.optionalString, value: ({ database }) => database },
  { name: 'table', schema: Schemas.optionalString, value: ({ table }) => table },
]

/** Record format v1: exactly what SPEC.md says. */
export function recordFormatV1(sourceSchemaName: string, constants: SourceConstants): RecordFormat<SourceInfo> {
  const sourceSchema = Schema.struct(
    FIELDS.map(({ name, schema }) => [name, schema] as const),
    { name: sourceSchemaName },
  )
  return {
    name: 'v1',
    sourceSchema,
    envelope: { version: 1, sourceSchema, transactionSchema: null },
    source: (info) => {
      const values = arrayOfLength<ConnectValue>(FIELDS.length)
      for (let i = 0; i < FIELDS.length; i++) values[i] = (FIELDS[i] as SourceField).value(info, constants)
      return new Struct(sourceSchema, values)
    },
  }
}
