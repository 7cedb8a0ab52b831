import { type Table, type TableChange, tableChangesFromJson, type TableId, type Tables } from '@tributary/connector-kit'
import type { MySqlTable } from '../schema/mysql-table.ts'
import { definitionDifference } from '../tables/definition-difference.ts'
import { parsedJson } from '../signals/signal.ts'

/** What a signal `schema-changes` is about. */
export type SchemaChanges =
  /** Its definitions are those that are known. */
  | { readonly tag: 'known'; readonly tables: readonly TableId[] }
  /** `reason`: the end of a sentence that begins with the signal. */
  | { readonly tag: 'invalid'; readonly reason: string }

/**
 * Compares the definitions of a signal `schema-changes` with those at the position of the stream, to which the binlog has
 * led. Debezium replaces them: rows that were written under another definition then have values under wrong names. Here
 * a signal that agrees is accepted, and any other is refused with the first difference.
 *
 * @param data `{"database": "shop", "changes": [{"type": "ALTER", "id": "\"shop\".\"t\"", "table": {…}}]}`, as the schema
 *   history has table changes
 */
export function parseSchemaChanges(data: string, tables: Pick<Tables<MySqlTable>, 'get'>): SchemaChanges {
  const parsed = parsedJson(data)
  const members = typeof parsed === 'object' && parsed !== null ? (parsed as Readonly<Record<string, unknown>>) : {}
  const changes = tableChangesFromJson(members['changes'])
  if (changes === null)
    return invalid('has changes that are not a list of table changes, as the schema history has them')
  if (typeof members['database'] !== 'string' || changes.length === 0) return invalid('has no database, or no changes')
  for (const change of changes) {
    const reason = differenceOf(change, tables)
    if (reason !== null) return invalid(`${reason}. ${RULE}`)
  }
  return { tag: 'known', tables: changes.map(({ id }) => id) }
}

/** Null: the change has been made already. */
function differenceOf({ id, previousId, table }: TableChange, tables: Pick<Tables<MySqlTable>, 'get'>): string | null {
  const known = tables.get(id)
  if (previousId !== null && tables.get(previousId) !== undefined)
    return `would rename ${previousId.toString()}, which is known under that name`
  if (table === null) return known === undefined ? null : `would drop ${id.toString()}, which the binlog does not`
  if (known === undefined) return `has a definition of ${id.toString()}, of which none is known`
  const difference = definitionDifference(known, withUnrecorded(table, known))
  if (difference.tag === 'same') return null
  const what = 'what' in difference ? difference.what : 'its ENUM or SET has more members'
  return `has another definition of ${id.toString()} than that to which the binlog leads: ${what}`
}

/** Table changes do not contain these. */
function withUnrecorded(table: Table, { keys, periods, versioning }: MySqlTable): MySqlTable {
  return { ...table, keys, periods, versioning }
}

function invalid(reason: string): SchemaChanges {
  return { tag: 'invalid', reason }
}

const RULE =
  'Rows are read only by definitions to which the binlog leads: others could put values under wrong names. A table that is stopped is continued by ALTER TABLE without a change; snapshot.mode=recovery rebuilds a schema history'
