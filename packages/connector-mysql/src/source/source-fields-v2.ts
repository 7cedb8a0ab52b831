import { Schema, Schemas } from '@tributary/connect-api'
import type { SourceField } from './source-field.ts'

/** Null without `include.query`. */
export const QUERY_FIELD: SourceField = {
  name: 'query',
  schema: Schemas.optionalString,
  value: ({ query }) => query,
}

const snapshotSchema = Schema.of('string', {
  name: 'io.debezium.data.Enum',
  version: 1,
  optional: true,
  parameters: { allowed: 'true,first,first_in_data_collection,last_in_data_collection,last,false,incremental' },
  defaultValue: 'false',
})

/** The source struct of Debezium 3.1 to 3.6, field by field in its order. */
export const SOURCE_FIELDS_V2: readonly SourceField[] = [
  { name: 'version', schema: Schemas.string, value: (_, { version }) => version },
  { name: 'connector', schema: Schemas.string, value: (_, { connectorType }) => connectorType },
  { name: 'name', schema: Schemas.string, value: (_, { name }) => name },
  { name: 'ts_ms', schema: Schemas.int64, value: ({ timestampMicros }) => Math.floor(timestampMicros / 1000) },
  // Null in the stream: the default of the schema is `false`, and not every reader replaces a null with it.
  { name: 'snapshot', schema: snapshotSchema, value: ({ snapshot }) => (snapshot === 'false' ? null : snapshot) },
  { name: 'db', schema: Schemas.string, value: ({ database }) => database },
  // Filled by connectors of other databases only.
  { name: 'sequence', schema: Schemas.optionalString, value: () => null },
  { name: 'ts_us', schema: Schemas.optionalInt64, value: ({ timestampMicros }) => timestampMicros },
  { name: 'ts_ns', schema: Schemas.optionalInt64, value: ({ timestampMicros }) => BigInt(timestampMicros) * 1000n },
  {
    name: 'table',
    schema: Schemas.optionalString,
    // Empty for a statement in the stream that changes no table, null for one in a snapshot.
    value: ({ table, snapshot }) => table ?? (snapshot === 'false' ? '' : null),
  },
  { name: 'server_id', schema: Schemas.int64, value: ({ serverId }) => serverId },
  { name: 'gtid', schema: Schemas.optionalString, value: ({ gtid }) => gtid },
  { name: 'file', schema: Schemas.string, value: ({ file }) => file },
  { name: 'pos', schema: Schemas.int64, value: ({ position }) => position, isOfRow: true },
  { name: 'row', schema: Schemas.int32, value: ({ row }) => row, isOfRow: true },
  { name: 'thread', schema: Schemas.optionalInt64, value: ({ threadId }) => threadId },
  QUERY_FIELD,
]
