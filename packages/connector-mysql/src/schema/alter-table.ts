import type { Column } from '@tributary/connector-kit'
import type { MySqlTable, Versioning } from './mysql-table.ts'
import type { AlterAction } from '@tributary/mysql'
import { alterColumns, type AlteredColumns } from './alter-columns.ts'
import { alteredIdentity, alteredPeriods, alterKeyList, requiredColumns } from './alter-keys.ts'
import { numberColumns, requiredColumn } from './column-model.ts'
import { convertColumn, type DefinedNow } from './convert-column.ts'
import { charsetOf, requiredDefault } from './create-table.ts'
import { schemaErrors } from './errors.ts'
import type { TableContext } from './table-context.ts'
import { withVersionEnd } from './table-keys.ts'

/**
 * The table after the actions of an ALTER TABLE. Its id does not change: the caller applies RENAME.
 *
 * As on the server, the actions are simultaneous: their names are those before the statement, except the name after
 * AFTER, and the default charset is the one after the statement.
 *
 * @throws SCHEMA_UNDERIVABLE when the actions do not fit the table, or depend on unknown facts about it
 */
export function alterTable(table: MySqlTable, actions: readonly AlterAction[], context: TableContext): MySqlTable {
  const defaultCharsetName = alteredCharset(table, actions, context)
  const altered = alterColumns({ table, actions, defaultCharsetName, context })
  const converted = convertedCharset(table, actions, context)
  const versioning = alteredVersioning(table, actions, altered.renames)
  const keyList = alterKeyList(table, actions, altered)
  const keys = keyList === null ? null : withVersionEnd(keyList, versioning)
  const periods = alteredPeriods(table, actions, altered)
  const required = requiredColumns(keys, actions, periods)
  const columns = numberColumns(
    altered.columns.map((column) => {
      const definition = definitionOf(column, altered, context)
      const inCharset = converted === null ? column : convertColumn(column, converted, definition)
      if (inCharset === null) throw unknownMembers(table, column.name, converted ?? '')
      return required.has(column.name.toLowerCase()) ? requiredColumn(inCharset, context) : inCharset
    }),
  )
  return {
    ...table,
    columns,
    ...alteredIdentity(table, actions, {
      columns,
      declared: altered.columns,
      renames: altered.renames,
      keys,
      flavor: context.flavor,
    }),
    defaultCharsetName,
    comment: alteredComment(table, actions, context),
    versioning,
    periods,
  }
}

/** How the statement defines a column that it also converts; null when it only converts it. */
function definitionOf({ name }: Column, { defined }: AlteredColumns, { flavor }: TableContext): DefinedNow | null {
  const before = defined.get(name.toLowerCase())
  return before === undefined ? null : { before, isMySql: flavor === 'mysql' }
}

function unknownMembers({ id }: MySqlTable, column: string, charset: string): Error {
  return schemaErrors.SCHEMA_UNDERIVABLE({
    table: id.toString(),
    reason: `the server takes the bytes of the members of ${column} for another text in ${charset}`,
  })
}

/** An option takes precedence over a conversion in the same statement; only MariaDB accepts both. */
function alteredCharset(table: MySqlTable, actions: readonly AlterAction[], context: TableContext): string | null {
  let converted: string | null = null
  let chosen: string | null = null
  for (const action of actions) {
    if (action.tag === 'tableOptions') chosen = charsetOf(action.options, context.databaseCharset) ?? chosen
    if (action.tag === 'convertToCharset') converted = charsetOf(action, context.conversionCharset) ?? converted
  }
  return chosen ?? converted ?? table.defaultCharsetName
}

/** The charset that CONVERT TO CHARACTER SET converts all columns to; null without it. */
function convertedCharset(table: MySqlTable, actions: readonly AlterAction[], context: TableContext): string | null {
  const action = actions.findLast(({ tag }) => tag === 'convertToCharset')
  if (action?.tag !== 'convertToCharset') return null
  return requiredDefault(charsetOf(action, context.conversionCharset), table.id)()
}

function alteredComment(
  table: MySqlTable,
  actions: readonly AlterAction[],
  { includesComments }: TableContext,
): string | null {
  let { comment } = table
  for (const action of actions) {
    if (!includesComments || action.tag !== 'tableOptions' || action.options.comment === null) continue
    comment = action.options.comment === '' ? null : action.options.comment
  }
  return comment
}

function alteredVersioning(
  { versioning }: MySqlTable,
  actions: readonly AlterAction[],
  renames: AlteredColumns['renames'],
): Versioning {
  const action = actions.findLast(({ tag }) => tag === 'setSystemVersioning')
  if (action?.tag === 'setSystemVersioning') {
    if (!action.isOn) return { tag: 'none' }
    for (const { tag, column } of actions.filter((other) => other.tag === 'addColumn')) {
      if (tag === 'addColumn' && column.rowPeriodEdge === 'end') return { tag: 'column', end: column.name }
    }
    return { tag: 'hidden' }
  }
  if (versioning.tag !== 'column') return versioning
  const end = renames.get(versioning.end.toLowerCase()) ?? versioning.end
  return { tag: 'column', end }
}
