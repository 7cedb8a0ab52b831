import type { ConnectValue, Field, Schema, Struct } from '@tributary/connect-api'
import { transformErrors } from '../../errors.ts'
import type { AdditionalField } from './additional-field.ts'

/** The columns of an outbox row that the options name. */
export interface ColumnNames {
  readonly id: string
  readonly key: string
  readonly payload: string
  /** Null: the time of the event. */
  readonly timestamp: string | null
  readonly topic: string
  /** Null: schemas have no version. */
  readonly version: string | null
  readonly additional: readonly AdditionalField[]
  readonly ignoresMissing: boolean
}

/** An additional column of rows that have it. */
export interface LocatedAddition extends AdditionalField {
  readonly field: Field
}

/** The same as fields of the rows of one schema. */
export interface Columns {
  readonly id: Field
  readonly key: Field
  readonly payload: Field
  readonly timestamp: { readonly field: Field; readonly unit: bigint | null } | null
  readonly topic: Field
  readonly version: Field | null
  readonly headers: readonly LocatedAddition[]
  readonly envelope: readonly LocatedAddition[]
  readonly partition: Field | null
}

/** @throws CodedError with Debezium’s text for a column that rows lack, or that has another type */
export function locateColumns(names: ColumnNames, row: Schema): Columns {
  const payload = row.field(names.payload)
  if (payload === null) throw transformErrors.OUTBOX_COLUMN_MISSING({ column: `payload field ${names.payload}` })
  const timestamp = names.timestamp === null ? null : timestampField(row, names.timestamp)
  const id = fieldOf(row, names.id)
  const version = names.version === null || !hasEnvelope(names) ? null : typedField(row, names.version, 'int32')
  const additional = names.additional.flatMap((addition): readonly LocatedAddition[] => {
    const field = row.field(addition.column)
    if (field !== null) return [{ ...addition, field }]
    if (names.ignoresMissing) return []
    if (addition.placement === 'envelope')
      throw transformErrors.OUTBOX_COLUMN_MISSING({ column: `field ${addition.column}` })
    throw transformErrors.NOT_A_FIELD({ name: addition.column })
  })
  const partition = additional.findLast(({ placement }) => placement === 'partition')?.field ?? null
  return {
    id,
    key: fieldOf(row, names.key),
    payload,
    timestamp,
    topic: typedField(row, names.topic, 'string'),
    version,
    headers: additional.filter(({ placement }) => placement === 'header'),
    envelope: additional.filter(({ placement }) => placement === 'envelope'),
    partition: partition === null ? null : typedField(row, partition.name, 'int32'),
  }
}

/** Whether values are structs of the payload and additional columns, or the payload alone. */
export function hasEnvelope({ additional }: ColumnNames): boolean {
  return additional.some(({ placement }) => placement === 'envelope')
}

/** Parts of a millisecond of the types that a timestamp may have. */
const UNITS: ReadonlyMap<string, bigint> = new Map([
  ['io.debezium.time.Timestamp', 1n],
  ['io.debezium.time.MicroTimestamp', 1_000n],
  ['io.debezium.time.NanoTimestamp', 1_000_000n],
])

function timestampField(row: Schema, name: string): Columns['timestamp'] {
  if (row.field(name) === null) throw transformErrors.OUTBOX_COLUMN_MISSING({ column: `timestamp field ${name}` })
  const field = typedField(row, name, 'int64')
  return { field, unit: UNITS.get(field.schema.name ?? '') ?? null }
}

/** Milliseconds since 1970, rounded towards zero; null if the column is null. */
export function timestampOf({ timestamp }: Columns, row: Struct): number | null {
  const value = timestamp === null ? null : row.at(timestamp.field.index)
  if (timestamp === null || (typeof value !== 'number' && typeof value !== 'bigint')) return null
  const { field, unit } = timestamp
  if (unit === null) {
    throw transformErrors.OUTBOX_TIMESTAMP_TYPE({ type: field.schema.name ?? 'INT64 (without logical schema name)' })
  }
  return Number(BigInt(value) / unit)
}

/** What Struct.get of Connect returns: the default instead of null. */
export function valueOrDefault(row: Struct, { index, schema }: Field): ConnectValue {
  return row.at(index) ?? schema.defaultValue
}

function fieldOf(row: Schema, name: string): Field {
  const field = row.field(name)
  if (field === null) throw transformErrors.NOT_A_FIELD({ name })
  return field
}

function typedField(row: Schema, name: string, type: 'string' | 'int32' | 'int64'): Field {
  const field = fieldOf(row, name)
  if (field.schema.type !== type) throw transformErrors.FIELD_NOT_OF_TYPE({ name, type: type.toUpperCase() })
  return field
}
