import { Schema } from '@tributary/connect-api'
import type { TableId } from '../relational/table-id.ts'
import type { NameAdjuster } from './name-adjuster.ts'

/** A column of events. */
export interface ColumnField {
  readonly name: string
  readonly schema: Schema
  /** Index of its value in a row, from 0. */
  readonly rowIndex: number
}

/**
 * The schemas of one version of a table: made once and shared by all its events, so that converters find what they have
 * compiled for them by identity.
 */
export interface TableSchema {
  readonly id: TableId
  readonly topic: string
  /** Null when rows have no key: then events have none either. */
  readonly keySchema: Schema | null
  /** Indexes of the key's values in a row, in key order. */
  readonly keyIndexes: readonly number[]
  readonly valueSchema: Schema
  /**
   * Indexes of the values of the value schema's fields in a row; null when a row is exactly these values in this order.
   */
  readonly valueIndexes: readonly number[] | null
  readonly envelopeSchema: Schema
}

export interface TableSchemaParts {
  readonly id: TableId
  readonly topic: string
  /** Number of values in a row. */
  readonly rowWidth: number
  readonly columns: readonly ColumnField[]
  /** Names of the key's columns, in key order. */
  readonly keyColumnNames: readonly string[]
  readonly envelope: EnvelopeForm
  /** Default: names of schemas stay as they are. */
  readonly adjustSchemaName?: NameAdjuster
}

/** The parts of an envelope that depend on the record format. */
export interface EnvelopeForm {
  readonly version: number
  readonly sourceSchema: Schema
  /** Schema of the block `transaction` between `source` and `op`; null when the format has none. */
  readonly transactionSchema: Schema | null
}

/** Builds the schemas: `<topic>.Key`, `<topic>.Value`, `<topic>.Envelope`. */
export function buildTableSchema({
  id,
  topic,
  rowWidth,
  columns,
  keyColumnNames,
  envelope,
  adjustSchemaName = (name) => name,
}: TableSchemaParts): TableSchema {
  const fields = columns.map(({ name, schema }) => [name, schema] as const)
  const valueSchema = Schema.struct(fields, { name: adjustSchemaName(`${topic}.Value`), optional: true })
  const keyColumns = keyColumnNames.map((name) => columns.find((column) => column.name === name))
  // A key is left out when one of its columns is left out of events.
  const isKeyWhole = keyColumns.length > 0 && keyColumns.every((column) => column !== undefined)
  const key = isKeyWhole ? keyColumns.filter((column) => column !== undefined) : []
  const isWhole = columns.length === rowWidth && columns.every(({ rowIndex }, i) => rowIndex === i)
  return {
    id,
    topic,
    keySchema: isKeyWhole
      ? Schema.struct(
          key.map(({ name, schema }) => [name, schema] as const),
          { name: adjustSchemaName(`${topic}.Key`) },
        )
      : null,
    keyIndexes: key.map(({ rowIndex }) => rowIndex),
    valueSchema,
    valueIndexes: isWhole ? null : columns.map(({ rowIndex }) => rowIndex),
    envelopeSchema: envelopeSchema(adjustSchemaName(`${topic}.Envelope`), valueSchema, envelope),
  }
}

function envelopeSchema(name: string, valueSchema: Schema, form: EnvelopeForm): Schema {
  const optionalInt64 = Schema.of('int64', { optional: true })
  return Schema.struct(
    [
      ['before', valueSchema],
      ['after', valueSchema],
      ['source', form.sourceSchema],
      ...(form.transactionSchema === null ? [] : [['transaction', form.transactionSchema] as const]),
      ['op', Schema.of('string')],
      ['ts_ms', optionalInt64],
      ['ts_us', optionalInt64],
      ['ts_ns', optionalInt64],
    ],
    { name, version: form.version },
  )
}
