import type { Column } from '@tributary/connector-kit'
import {
  charsetOfCollation,
  type ColumnDefinition,
  type ColumnType,
  type DefaultValue,
  escapeString,
  hasCharset,
  withCharset,
} from '@tributary/mysql'
import { defaultExpression } from './default-expression.ts'
import { jdbcTypeOf } from './jdbc-type.ts'
import type { TableContext } from './table-context.ts'
import { withZeroTimestamp } from './timestamp-defaults.ts'

/** Asked for when a column has no charset of its own. @throws SCHEMA_UNDERIVABLE when nobody knows it */
export type DefaultCharset = () => string

/** A column as its definition says; the position is that in the statement and is set again by `numberColumns`. */
export function columnOf(written: ColumnDefinition, defaultCharset: DefaultCharset, context: TableContext): Column {
  const definition = context.hasExplicitTimestampDefaults ? written : withZeroTimestamp(written)
  const type = resolveCharset(definition.type, defaultCharset)
  // CHAR in the charset binary is BINARY: the spelling no longer fits.
  const typeName = type.name === definition.type.name ? definition.typeSpelling : type.name
  const isTimestamp = type.name === 'TIMESTAMP' && !context.hasExplicitTimestampDefaults
  const optional = definition.isNullable ?? !(definition.isAutoIncrement || definition.isRowPeriodEdge || isTimestamp)
  const isSelfSet = definition.isAutoIncrement || definition.isUpdatedAutomatically
  return {
    name: definition.name,
    jdbcType: jdbcTypeOf(type, typeName),
    nativeType: null,
    typeName,
    typeExpression: typeName,
    charsetName: hasCharset(type.name) ? type.charset : null,
    ...sizeOf(type),
    position: 0,
    optional,
    autoIncremented: isSelfSet,
    generated: isSelfSet,
    comment: context.includesComments && definition.comment !== '' ? definition.comment : null,
    ...defaultOf(definition.defaultValue, type, optional),
    enumValues: type.members.length === 0 ? NO_MEMBERS : type.members.map((member) => `'${escapeString(member)}'`),
  }
}

/** One for all: there are as many columns without members as columns. */
const NO_MEMBERS: readonly string[] = []

/**
 * The charset of a column: its own, that of its collation, that of the table. A collation that fits several charsets
 * (MariaDB's uca1400_…) decides nothing.
 */
function resolveCharset(type: ColumnType, defaultCharset: DefaultCharset): ColumnType {
  if (!hasCharset(type.name)) return type
  const ofCollation = type.collation === null ? null : charsetOfCollation(type.collation)
  return withCharset(type, type.charset ?? ofCollation ?? defaultCharset())
}

type Size = Pick<Column, 'length' | 'scale'>

/** Length and scale as records have them, which is not for each type what the statement says. */
function sizeOf({ name, length, scale, members }: ColumnType): Size {
  switch (name) {
    case 'ENUM':
      return { length: 1, scale: null }
    case 'SET':
      // Room for one character a member and the commas between.
      return { length: Math.max(1, members.length * 2 - 1), scale: null }
    case 'BIT':
      return { length: length ?? 1, scale: null }
    case 'DECIMAL':
      return { length: length === null || length === 0 ? 10 : length, scale: scale ?? 0 }
    case 'TIME':
    case 'DATETIME':
    case 'TIMESTAMP':
      return { length: length === 0 ? null : length, scale: null }
    default:
      return { length, scale }
  }
}

type Default = Pick<Column, 'hasDefaultValue' | 'defaultValueExpression'>

/** A nullable column without a default has the default NULL. */
export function defaultOf(value: DefaultValue | null, type: ColumnType, optional: boolean): Default {
  if (value === null || value.tag === 'null') return { hasDefaultValue: optional, defaultValueExpression: null }
  return { hasDefaultValue: true, defaultValueExpression: defaultExpression(value, type) }
}

/** The column with NULL no longer allowed, as a primary key demands; the default NULL goes with it. */
export function requiredColumn(column: Column): Column {
  if (!column.optional) return column
  return { ...column, optional: false, hasDefaultValue: column.defaultValueExpression !== null }
}

/** The columns with their positions from 1. */
export function numberColumns(columns: readonly Column[]): Column[] {
  return columns.map((column, index) => (column.position === index + 1 ? column : { ...column, position: index + 1 }))
}
