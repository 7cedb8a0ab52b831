import type { ConnectValue, SchemaOptions, Schema } from '@tributary/connect-api'
import type { Column, TableId } from '@tributary/connector-kit'
import type { ColumnType } from '@tributary/mysql'
import type { ColumnMapping } from '../values/column-mapping.ts'

/** A column, and how it appears in events without converters. */
export interface ConvertibleColumn {
  readonly table: TableId
  readonly column: Column
  readonly type: ColumnType
  readonly plain: ColumnMapping
}

/**
 * `unconvertible`: the converter is for the column, but cannot convert its type without loss. The reason completes the
 * sentence "The column … keeps its form: …".
 */
export type Conversion =
  | { readonly tag: 'converted'; readonly mapping: ColumnMapping }
  | { readonly tag: 'unconvertible'; readonly reason: string }

/**
 * A converter of the property `converters`: another form for some columns. It is asked once per version of a table, so
 * that rows cost what their mapping costs.
 */
export interface ColumnConverter {
  /** Null: the converter is not for the column. */
  conversionOf(column: ConvertibleColumn): Conversion | null
}

/** `database.table.column`, which selectors are matched with. */
export function nameOf({ table, column }: ConvertibleColumn): string {
  return `${table.toString()}.${column.name}`
}

/** The options of a schema that a converter does not change, with another default; null: no default. */
export function commonOptions({ isOptional, doc }: Schema, defaultValue: ConnectValue): SchemaOptions {
  return {
    optional: isOptional,
    ...(doc === null ? {} : { doc }),
    ...(defaultValue === null ? {} : { defaultValue }),
  }
}
