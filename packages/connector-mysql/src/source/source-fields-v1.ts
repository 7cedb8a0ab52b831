import { Schemas } from '@tributary/connect-api'
import type { SourceField } from './source-field.ts'

/** The source struct of docs/reference/record-format-v1.md, field by field in its order. */
export const SOURCE_FIELDS_V1: readonly SourceField[] = [
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
  { name: 'pos', schema: Schemas.int64, value: ({ position }) => position, isOfRow: true },
  { name: 'row', schema: Schemas.int32, value: ({ row }) => row, isOfRow: true },
  { name: 'snapshot', schema: Schemas.optionalBoolean, value: ({ snapshot }) => (snapshot === 'false' ? null : true) },
  { name: 'thread', schema: Schemas.optionalInt64, value: ({ threadId }) => threadId },
  { name: 'db', schema: Schemas.optionalString, value: ({ database }) => database },
  { name: 'table', schema: Schemas.optionalString, value: ({ table }) => table },
]
