import type { Column } from '@tributary/connector-kit'
import {
  charsetOfCollation,
  type ColumnDefinition,
  type ColumnType,
  type DefaultValue,
  escapeString,
  hasCharset,
  storedText,
  withCharset,
} from '@tributary/mysql'
import { defaultExpression } from './default-expression.ts'
import { schemaErrors } from './errors.ts'
import { jdbcTypeOf } from './jdbc-type.ts'
import type { TableContext } from './table-context.ts'
import { withZeroTimestamp } from './timestamp-defaults.ts'
import { defaultInUtc } from './timestamp-literal.ts'

/** Returns the charset for columns without one of their own. @throws SCHEMA_UNDERIVABLE when it is unknown */
export type DefaultCharset = () => string

/** The column of a definition. Its position is that in the statement; `numberColumns` sets it again. */
export function columnOf(written: ColumnDefinition, defaultCharset: DefaultCharset, context: TableContext): Column {
  const definition = context.hasExplicitTimestampDefaults ? written : withZeroTimestamp(written)
  const type = resolveCharset(definition.type, defaultCharset)
  // CHAR with the charset binary is BINARY: the spelling of the statement no longer applies.
  const typeName = type.name === definition.type.name ? definition.typeSpelling : type.name
  const isTimestamp = type.name === 'TIMESTAMP' && !context.hasExplicitTimestampDefaults
  const optional =
    definition.isNullable ?? !(definition.isAutoIncrement || definition.rowPeriodEdge !== null || isTimestamp)
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
    comment: context.includesComments ? storedComment(definition.comment) : null,
    ...defaultOf(definition.defaultValue, { type, optional, context }),
    enumValues: membersOf(type),
  }
}

/** Comments are in utf8mb3. */
function storedComment(comment: string | null): string | null {
  return comment === null || comment === '' ? null : storedText(comment, 'utf8mb3')
}

function membersOf({ members, charset }: ColumnType): readonly string[] {
  if (members.length === 0) return NO_MEMBERS
  return members.map((member) => `'${escapeString(storedText(member, charset ?? 'utf8mb4'))}'`)
}

/** Shared, since nearly all columns have no members. */
const NO_MEMBERS: readonly string[] = []

/**
 * The charset of a column: its own, else that of its collation, else that of the table. A collation of several charsets
 * (MariaDB's uca1400_…) does not determine one.
 */
function resolveCharset(type: ColumnType, defaultCharset: DefaultCharset): ColumnType {
  if (!hasCharset(type.name)) return type
  const ofCollation = type.collation === null ? null : charsetOfCollation(type.collation)
  return withCharset(type, type.charset ?? ofCollation ?? defaultCharset())
}

type Size = Pick<Column, 'length' | 'scale'>

/** Length and scale as records contain them, which for some types differ from those in the statement. */
function sizeOf({ name, length, scale, members }: ColumnType): Size {
  switch (name) {
    case 'ENUM':
      return { length: 1, scale: null }
    case 'SET':
      // One character per member, and the commas between them.
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

export interface DefaultOwner {
  readonly type: ColumnType
  readonly optional: boolean
  readonly context: TableContext
}

/**
 * A nullable column without a default has the default NULL.
 *
 * @throws SCHEMA_UNDERIVABLE for a TIMESTAMP whose default is in a time zone that is not known
 */
export function defaultOf(written: DefaultValue | null, { type, optional, context }: DefaultOwner): Default {
  const inUtc = defaultInUtc(written, type, context.timeZone)
  if (inUtc.tag === 'unclear') {
    throw schemaErrors.SCHEMA_UNDERIVABLE({ table: context.tableName, reason: inUtc.reason })
  }
  const { value } = inUtc
  if (value === null || value.tag === 'null') return { hasDefaultValue: optional, defaultValueExpression: null }
  return { hasDefaultValue: true, defaultValueExpression: defaultExpression(value, type) }
}

/** The column as NOT NULL, which a primary key requires, without the default NULL. */
export function requiredColumn(column: Column): Column {
  if (!column.optional) return column
  return { ...column, optional: false, hasDefaultValue: column.defaultValueExpression !== null }
}

/** The columns with positions from 1. */
export function numberColumns(columns: readonly Column[]): Column[] {
  return columns.map((column, index) => (column.position === index + 1 ? column : { ...column, position: index + 1 }))
}
