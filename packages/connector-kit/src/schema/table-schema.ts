import { type NameAdjuster, Schema, type SchemaOptions, Schemas } from '@tributary/connect-api'
import type { TableId } from '../relational/table-id.ts'
import { KeyExtension } from './key-extension.ts'
import { type ColumnMask, RowMask } from './row-mask.ts'
import type { TableKeyField } from './topic-naming.ts'

/** A column of keys. */
export interface KeyField {
  readonly name: string
  readonly schema: Schema
  /** Index of its value in a row, from 0. */
  readonly rowIndex: number
}

/** A column of values. Its schema may differ from that in the key. */
export interface ValueField extends KeyField {
  /** Null: events have the value itself. */
  readonly mask: ColumnMask | null
}

/**
 * The schemas of one version of a table: made once and shared by all its events, so that converters find what they have
 * compiled for them by identity.
 */
export interface TableSchema {
  readonly id: TableId
  readonly topic: string
  /** Of the keys of events. Null: they have none. */
  readonly keySchema: Schema | null
  /** Of the key's columns alone, which a row has; null without such columns. */
  readonly keyColumnsSchema: Schema | null
  /** What keys of events have after their columns; null: nothing, so that both schemas are one. */
  readonly keyExtension: KeyExtension | null
  /** Indexes of the key's values in a row, in key order. */
  readonly keyIndexes: readonly number[]
  readonly valueSchema: Schema
  /**
   * Indexes of the values of the value schema's fields in a row; null when a row is exactly these values in this order.
   */
  readonly valueIndexes: readonly number[] | null
  /** Null: events have the values of rows. */
  readonly mask: RowMask | null
  readonly envelopeSchema: Schema
}

export interface TableSchemaParts {
  readonly id: TableId
  readonly topic: string
  /** Number of values in a row. */
  readonly rowWidth: number
  readonly columns: readonly ValueField[]
  /** In key order; empty: rows have no key. */
  readonly keyColumns: readonly KeyField[]
  /** Default: keys consist of columns. */
  readonly keyField?: TableKeyField | null
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
  keyColumns,
  keyField = null,
  envelope,
  adjustSchemaName = (name) => name,
}: TableSchemaParts): TableSchema {
  const valueSchema = structOf(columns, { name: adjustSchemaName(`${topic}.Value`), optional: true })
  const keyName = adjustSchemaName(`${topic}.Key`)
  const keyColumnsSchema = keyColumns.length === 0 ? null : structOf(keyColumns, { name: keyName })
  const extended = keyField === null ? null : extendedKeySchema(keyColumns, keyField, keyName)
  const isWhole = columns.length === rowWidth && columns.every(({ rowIndex }, i) => rowIndex === i)
  return {
    id,
    topic,
    keySchema: extended ?? keyColumnsSchema,
    keyColumnsSchema,
    keyExtension: extended === null || keyField === null ? null : new KeyExtension(extended, keyField.value),
    keyIndexes: keyColumns.map(({ rowIndex }) => rowIndex),
    valueSchema,
    valueIndexes: isWhole ? null : columns.map(({ rowIndex }) => rowIndex),
    mask: columns.some(({ mask }) => mask !== null)
      ? new RowMask(
          valueSchema,
          columns.map(({ mask }) => mask),
        )
      : null,
    envelopeSchema: envelopeSchema(adjustSchemaName(`${topic}.Envelope`), valueSchema, envelope),
  }
}

function structOf(columns: readonly KeyField[], options: SchemaOptions): Schema {
  return Schema.struct(
    columns.map(({ name, schema }) => [name, schema] as const),
    options,
  )
}

function extendedKeySchema(columns: readonly KeyField[], { name: field }: TableKeyField, name: string): Schema {
  const fields = columns.map(({ name: column, schema }) => [column, schema] as const)
  return Schema.struct([...fields, [field, Schemas.string]], { name })
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
