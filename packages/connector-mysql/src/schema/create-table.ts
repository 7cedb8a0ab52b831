import type { Column, TableId } from '@tributary/connector-kit'
import type { TableKey, MySqlTable, Versioning } from './mysql-table.ts'
import { charsetOfCollation, type CharsetOptions, type ColumnDefinition, type CreateTable } from '@tributary/mysql'
import { columnOf, type DefaultCharset, numberColumns, requiredColumn } from './column-model.ts'
import { schemaErrors } from './errors.ts'
import type { TableContext } from './table-context.ts'
import { addKeys, isSameName, rowIdentity, sortKeys, withFittingPrefixes, withVersionEnd } from './table-keys.ts'
import { hasImplicitDefault, promoteFirstTimestamp } from './timestamp-defaults.ts'

/**
 * The table that a statement with columns creates.
 *
 * @throws SCHEMA_UNDERIVABLE when it depends on an unknown charset
 */
export function createTable(statement: CreateTable, id: TableId, context: TableContext): MySqlTable {
  const { options, keys: keyDefinitions, periods } = statement
  const charset = charsetOf(options, context.databaseCharset) ?? context.databaseCharset
  const defaultCharset = requiredDefault(charset, id)
  const declared = makeColumns(statement.columns, defaultCharset, context)
  const required = requiredNames(statement)
  const columns = declared.map((column, index) => {
    // In a primary key, an explicit DEFAULT NULL counts as no default; an expression remains the default.
    const isExpression = statement.columns[index]?.defaultValue?.tag === 'expression'
    if (!required.has(column.name.toLowerCase())) return column
    return isExpression ? { ...column, optional: false } : requiredColumn(column, context)
  })
  const versioning = createdVersioning(statement)
  const unsorted = withVersionEnd(addKeys([], keyDefinitions, periods), versioning)
  const keys = sortKeys(withFittingPrefixes(unsorted, columns), columns, declared)
  return {
    id,
    columns,
    primaryKeyColumnNames: rowIdentity(keys, columns),
    defaultCharsetName: charset,
    comment: context.includesComments && options.comment !== '' ? options.comment : null,
    attributes: [],
    keys,
    periods: periods.filter(({ name }) => !isSameName(name, 'SYSTEM_TIME')),
    versioning,
  }
}

function makeColumns(
  definitions: readonly ColumnDefinition[],
  defaultCharset: DefaultCharset,
  context: TableContext,
): Column[] {
  const implicit = new Set<Column>()
  const columns = definitions.map((definition) => {
    const column = columnOf(definition, defaultCharset, context)
    if (hasImplicitDefault(definition)) implicit.add(column)
    return column
  })
  return numberColumns(context.hasExplicitTimestampDefaults ? columns : promoteFirstTimestamp(columns, implicit))
}

function createdVersioning({ options, columns }: CreateTable): Versioning {
  const end = columns.find(({ rowPeriodEdge }) => rowPeriodEdge === 'end')
  if (end !== undefined) return { tag: 'column', end: end.name }
  const isVersioned = options.isSystemVersioned || columns.some((column) => column.isSystemVersioned)
  return { tag: isVersioned ? 'hidden' : 'none' }
}

/** Names, in lower case, of the columns that the primary key or a period makes NOT NULL. */
function requiredNames({ keys, periods }: CreateTable): ReadonlySet<string> {
  const primary = keys.find(({ kind }) => kind === 'primary')?.parts ?? []
  const names = primary.flatMap((part) => (part.tag === 'column' ? [part.column] : []))
  for (const { start, end } of periods) names.push(start, end)
  return new Set(names.map((name) => name.toLowerCase()))
}

/**
 * The charset that options of a table or database specify; null when they specify none. DEFAULT is the charset of the
 * next higher level.
 */
export function charsetOf({ charset, collation }: CharsetOptions, higherDefault: string | null): string | null {
  if (charset !== null) return isSameName(charset, 'default') ? higherDefault : charset
  if (collation === null) return null
  return isSameName(collation, 'default') ? higherDefault : charsetOfCollation(collation)
}

/** Returns the default charset, which a column without a charset needs. */
export function requiredDefault(charset: string | null, id: TableId): DefaultCharset {
  return () => {
    if (charset !== null) return charset
    throw schemaErrors.SCHEMA_UNDERIVABLE({
      table: id.toString(),
      reason: 'the default character set of its database is not known',
    })
  }
}

/** CREATE TABLE … LIKE copies columns, keys and options, but no foreign keys, and on MariaDB no hidden row period. */
export function likeTable(source: MySqlTable, id: TableId): MySqlTable {
  // Without the foreign key, its index is one like others.
  return { ...source, id, keys: source.keys?.map(ownKey) ?? null }
}

function ownKey(key: TableKey): TableKey {
  return key.kind === 'foreign' ? { ...key, kind: 'index' } : key
}

/** The table of a CREATE TABLE, or why its columns do not follow from the statement. */
export type CreatedTable =
  | { readonly tag: 'table'; readonly table: MySqlTable }
  | { readonly tag: 'unclear'; readonly reason: string }
