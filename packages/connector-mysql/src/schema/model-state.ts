import { TableId } from '@tributary/connector-kit'
import type { MySqlTable } from './mysql-table.ts'
import type { Column } from '@tributary/connector-kit'

/** All that a `DdlInterpreter` knows: the definitions of tables, and what later statements depend on. */
export interface ModelState {
  readonly tables: readonly MySqlTable[]
  /** Tables that exist and whose definitions are unknown. */
  readonly undefinedTables: readonly TableId[]
  readonly serverCharset: string | null
  readonly databaseCharsets: readonly (readonly [database: string, charset: string])[]
  /** Columns whose types Debezium names otherwise than the server. */
  readonly namedTypes: readonly (readonly [table: TableId, columns: readonly Column[]])[]
  /** Of the last USE. */
  readonly usedDatabase: string | null
}

export const EMPTY_STATE: ModelState = {
  tables: [],
  undefinedTables: [],
  serverCharset: null,
  databaseCharsets: [],
  namedTypes: [],
  usedDatabase: null,
}

/**
 * The form of the entries, and of the definitions in them. To be increased with each change of `MySqlTable` or `Column`:
 * a checkpoint of another form is ignored.
 */
export const STATE_FORM = 2

type IdParts = readonly [database: string, table: string]

/** The state as JSON documents: one for each table, after one for all else. */
export function* stateEntries(state: ModelState): Iterable<string> {
  const { tables, undefinedTables, namedTypes, ...others } = state
  yield JSON.stringify({
    ...others,
    undefinedTables: undefinedTables.map(partsOf),
    namedTypes: namedTypes.map(([id, columns]) => [partsOf(id), columns]),
  })
  for (const table of tables) yield JSON.stringify({ ...table, id: partsOf(table.id) })
}

/** The state of such documents, of the current form. */
export function stateOfEntries(entries: Iterable<string>): ModelState {
  const tables: MySqlTable[] = []
  let others: Omit<ModelState, 'tables'> = EMPTY_STATE
  let isFirst = true
  for (const entry of entries) {
    if (isFirst) others = othersOf(JSON.parse(entry) as OtherDocument)
    else tables.push(tableOf(JSON.parse(entry) as TableDocument))
    isFirst = false
  }
  return { ...others, tables }
}

type TableDocument = Omit<MySqlTable, 'id'> & { readonly id: IdParts }

type OtherDocument = Omit<ModelState, 'tables' | 'undefinedTables' | 'namedTypes'> & {
  readonly undefinedTables: readonly IdParts[]
  readonly namedTypes: readonly (readonly [IdParts, readonly Column[]])[]
}

function tableOf({ id, ...table }: TableDocument): MySqlTable {
  return { id: TableId.of(...id), ...table }
}

function othersOf({ undefinedTables, namedTypes, ...others }: OtherDocument): Omit<ModelState, 'tables'> {
  return {
    ...others,
    undefinedTables: undefinedTables.map((id) => TableId.of(...id)),
    namedTypes: namedTypes.map(([id, columns]) => [TableId.of(...id), columns]),
  }
}

function partsOf({ database, table }: TableId): IdParts {
  return [database, table]
}
