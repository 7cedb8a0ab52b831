import type { Column } from '@tributary/connector-kit'
import {
  charsetOfCollation,
  type ColumnDefinition,
  type ColumnType,
  type DefaultValue,
  escapeString,
  fittingType,
  hasCharset,
  storedText,
  withCharset,
} from '@tributary/mysql'
import { defaultExpression } from './default-expression.ts'
import { schemaErrors } from './errors.ts'
import { jdbcTypeOf } from './jdbc-type.ts'
import type { TableContext } from './table-context.ts'
import { bytesOfHex, textOfBytes } from './text-of-bytes.ts'
import { isStorable } from './stored-default.ts'
import { withZeroTimestamp } from './timestamp-defaults.ts'
import { defaultInUtc } from './timestamp-literal.ts'

/** Returns the charset for columns without one of their own. @throws SCHEMA_UNDERIVABLE when it is unknown */
export type DefaultCharset = () => string

/** The column of a definition. Its position is that in the statement; `numberColumns` sets it again. */
export function columnOf(written: ColumnDefinition, defaultCharset: DefaultCharset, context: TableContext): Column {
  const definition = context.hasExplicitTimestampDefaults ? written : withZeroTimestamp(written)
  const type = storedType(fittingType(resolveCharset(definition.type, defaultCharset)), definition, context)
  // CHAR with the charset binary is BINARY: the spelling of the statement no longer applies.
  const typeName = type.name === definition.type.name ? definition.typeSpelling : type.name
  const isTimestamp = type.name === 'TIMESTAMP' && !context.hasExplicitTimestampDefaults
  const optional =
    definition.isNullable ??
    !((definition.isAutoIncrement && !context.isPrinted) || definition.rowPeriodEdge !== null || isTimestamp)
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
    ...defaultOf(storedDefault(definition, type, optional, context), { type, optional, context }),
    enumValues: quotedMembers(type),
  }
}

/** Comments are in utf8mb3. */
function storedComment(comment: string | null): string | null {
  return comment === null || comment === '' ? null : storedText(comment, 'utf8mb3')
}

function quotedMembers({ members }: ColumnType): readonly string[] {
  return members.length === 0 ? NO_MEMBERS : members.map((member) => `'${escapeString(member)}'`)
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

/** The type with the members as the charset of the column has them; some the statement contains as bytes. */
function storedType(
  type: ColumnType,
  { name, byteMembers }: ColumnDefinition,
  { tableName }: TableContext,
): ColumnType {
  const { charset } = type
  if (type.members.length === 0 || charset === null) return type
  const members = type.members.map((member) => storedText(member, charset))
  for (const { index, hex } of byteMembers) {
    const text = textOfBytes(bytesOfHex(hex), charset)
    if (text === null) {
      const reason = `its column ${name} has a member in bytes that are no text in ${charset}`
      throw schemaErrors.SCHEMA_UNDERIVABLE({ table: tableName, reason })
    }
    members[index] = text.replace(/ +$/, '')
  }
  return { ...type, members }
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
      return { length: length === null || length === 0 ? 1 : length, scale: null }
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

/** The default of a definition but for what a server adds or omits. */
function storedDefault(
  { defaultValue, isAutoIncrement, isCompressed, isUpdatedAutomatically }: ColumnDefinition,
  type: ColumnType,
  optional: boolean,
  { flavor, isPrinted }: TableContext,
): DefaultValue | null {
  // The servers accept a default and ignore it.
  if (isAutoIncrement) return null
  if (flavor === 'mysql') {
    // A session that is not strict may write an empty default for a long type, which has none.
    return defaultValue?.tag === 'string' && /TEXT$|BLOB$/.test(type.name) ? null : defaultValue
  }
  // What the server prints has all defaults.
  if (isPrinted || optional || !(defaultValue === null || defaultValue.tag === 'null')) return defaultValue
  if (isUpdatedAutomatically) return ZERO_TIME
  return isCompressed ? EMPTY : defaultValue
}

/** What MariaDB stores for a NOT NULL column without a default that it compresses, or sets at each change. */
const EMPTY: DefaultValue = { tag: 'string', value: '' }
const ZERO_TIME = { tag: 'string', value: '0000-00-00 00:00:00' } as const

type Default = Pick<Column, 'hasDefaultValue' | 'defaultValueExpression'>

export interface DefaultOwner {
  readonly type: ColumnType
  readonly optional: boolean
  readonly context: TableContext
}

/**
 * A nullable column without a default has the default NULL.
 *
 * @throws SCHEMA_UNDERIVABLE for a TIMESTAMP whose default is in a time zone that is not known, and for a number that a
 * session which is not strict writes as another one
 */
export function defaultOf(written: DefaultValue | null, { type, optional, context }: DefaultOwner): Default {
  const inUtc = defaultInUtc(written, type, context.timeZone)
  if (inUtc.tag === 'unclear') {
    throw schemaErrors.SCHEMA_UNDERIVABLE({ table: context.tableName, reason: inUtc.reason })
  }
  const { value } = inUtc
  if (value?.tag === 'string' && !isStorable(value.value, type)) {
    const reason = `the server makes another number of the default '${value.value.slice(0, SHOWN_MAX)}'`
    throw schemaErrors.SCHEMA_UNDERIVABLE({ table: context.tableName, reason })
  }
  if (value === null || value.tag === 'null') return { hasDefaultValue: optional, defaultValueExpression: null }
  return { hasDefaultValue: true, defaultValueExpression: defaultExpression(value, type) }
}

const SHOWN_MAX = 40

/** The column as NOT NULL, which a primary key requires, without the default NULL. */
export function requiredColumn(column: Column, { flavor }: Pick<TableContext, 'flavor'>): Column {
  if (!column.optional) return column
  const isTimed = column.autoIncremented && /^(TIMESTAMP|DATETIME)/.test(column.typeName)
  const isZero = flavor === 'mariadb' && isTimed && column.defaultValueExpression === null
  const defaultValueExpression = isZero ? ZERO_TIME.value : column.defaultValueExpression
  return { ...column, optional: false, hasDefaultValue: defaultValueExpression !== null, defaultValueExpression }
}

/** The columns with positions from 1. */
export function numberColumns(columns: readonly Column[]): Column[] {
  return columns.map((column, index) => (column.position === index + 1 ? column : { ...column, position: index + 1 }))
}
