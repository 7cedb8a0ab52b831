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
  /** Null: events have the value itself. */
  readonly mask: ColumnMask | null
}

/** A column of values. Its schema and its mask may differ from those in the key. */
export type ValueField = KeyField

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
  /** Null: keys have the values of rows. */
  readonly keyMask: RowMask | null
  readonly valueSchema: Schema
  /**
   * Indexes of the values of the value schema's fields in a row; null when a row is exactly these values in this order.
   */
  readonly valueIndexes: readonly number[] | null
  /** Null: events have the values of rows. */
  readonly mask: RowMask | null
  /** Different values of a column may be equal in events. */
  readonly isLossy: boolean
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
  /** Whether a value of a row may have the same form in events as another one, without a mask. Default: false. */
  readonly isLossy?: boolean
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
  isLossy = false,
  adjustSchemaName = (name) => name,
}: TableSchemaParts): TableSchema {
  const valueSchema = structOf(columns, { name: adjustSchemaName(`${topic}.Value`), optional: true })
  const keyName = adjustSchemaName(`${topic}.Key`)
  const keyColumnsSchema = keyColumns.length === 0 ? null : structOf(keyColumns, { name: keyName })
  const extended = keyField === null ? null : extendedKeySchema(keyColumns, keyField, keyName)
  const mask = rowMask(valueSchema, columns)
  const isWhole = columns.length === rowWidth && columns.every(({ rowIndex }, i) => rowIndex === i)
  return {
    id,
    topic,
    keySchema: extended ?? keyColumnsSchema,
    keyColumnsSchema,
    keyExtension: extended === null || keyField === null ? null : new KeyExtension(extended, keyField.value),
    keyIndexes: keyColumns.map(({ rowIndex }) => rowIndex),
    keyMask: keyColumnsSchema === null ? null : rowMask(keyColumnsSchema, keyColumns),
    valueSchema,
    valueIndexes: isWhole ? null : columns.map(({ rowIndex }) => rowIndex),
    mask,
    isLossy: isLossy || mask !== null,
    envelopeSchema: envelopeSchema(adjustSchemaName(`${topic}.Envelope`), valueSchema, envelope),
  }
}

function rowMask(schema: Schema, columns: readonly KeyField[]): RowMask | null {
  if (columns.every(({ mask }) => mask === null)) return null
  return new RowMask(
    schema,
    columns.map(({ mask }) => mask),
  )
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
