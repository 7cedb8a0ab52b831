import type { TableId } from '@tributary/connector-kit'
import type { Statement, TableName } from '@tributary/mysql'
import { unreachable } from '@tributary/support'
import { wordsOf } from './words.ts'

/** The tables whose definitions a statement may have changed. */
export type StatementTargets =
  /** `created`: a table, unless it existed before: CREATE TABLE IF NOT EXISTS. */
  | { readonly tag: 'none'; readonly created?: TableId }
  | { readonly tag: 'tables'; readonly tables: readonly TableId[] }
  /** In order. The definitions do not change. */
  | { readonly tag: 'renames'; readonly renames: readonly (readonly [from: TableId, to: TableId])[] }
  /** Each table of that database. */
  | { readonly tag: 'database'; readonly database: string }
  /** No table, but the defaults of later ones in that database. */
  | { readonly tag: 'database defaults'; readonly database: string }
  | UnclearTargets

/** The parser does not understand the statement. */
export interface UnclearTargets {
  readonly tag: 'unclear'
  /** Tables that the parser has found up to there. */
  readonly tables: readonly TableId[]
  /** Of the session, empty when unknown: a name without a database belongs to it. */
  readonly database: string
  /** The words of the statement, in lower case: parts of names among them. */
  readonly words: ReadonlySet<string>
}

const NONE: StatementTargets = { tag: 'none' }

/**
 * The targets of a statement that the server has executed.
 *
 * @param database that of the session
 */
export function statementTargets(
  statement: Statement,
  idOf: (name: TableName) => TableId,
  database: string,
): StatementTargets {
  const changed = (...names: readonly TableName[]): StatementTargets => ({
    tag: 'tables',
    tables: names.map((name) => idOf(name)),
  })
  switch (statement.tag) {
    case 'createTable':
      if (statement.isTemporary) return NONE
      // IF NOT EXISTS does not change an existing table, and most requests are about existing ones.
      return statement.isIfNotExists ? { tag: 'none', created: idOf(statement.table) } : changed(statement.table)
    case 'alterTable': {
      const { actions, table } = statement
      if (actions.length === 0) return NONE
      const renames = actions.flatMap((action) => (action.tag === 'renameTable' ? [action.to] : []))
      const [to] = renames
      if (to !== undefined && actions.length === 1) return { tag: 'renames', renames: [[idOf(table), idOf(to)]] }
      const others = actions.flatMap((action) =>
        action.tag === 'partitionToTable' ? [action.to] : action.tag === 'tableToPartition' ? [action.from] : [],
      )
      return changed(table, ...renames, ...others)
    }
    case 'createIndex':
    case 'dropIndex':
      return changed(statement.table)
    case 'dropTable':
      return statement.isTemporary ? NONE : changed(...statement.tables)
    case 'renameTable':
      return { tag: 'renames', renames: statement.renames.map(({ from, to }) => [idOf(from), idOf(to)] as const) }
    case 'dropDatabase':
      return { tag: 'database', database: statement.database ?? database }
    case 'createDatabase':
      return { tag: statement.isReplacing ? 'database' : 'database defaults', database: statement.database ?? database }
    case 'alterDatabase':
      return { tag: 'database defaults', database: statement.database ?? database }
    default:
      return NONE
  }
}

/** The tables that there may be since the statement. */
export function mayCreate(targets: StatementTargets): readonly TableId[] {
  switch (targets.tag) {
    case 'none':
      return targets.created === undefined ? [] : [targets.created]
    case 'tables':
    case 'unclear':
      return targets.tables
    case 'renames':
      return targets.renames.map(([, to]) => to)
    case 'database':
    case 'database defaults':
      return []
    default:
      return unreachable(targets)
  }
}

/** Whether the statement may have changed the definition of the table, or renamed another table to its name. */
export function concernsTable(targets: StatementTargets, id: TableId, isSame: SameTable): boolean {
  switch (targets.tag) {
    case 'none':
    case 'database defaults':
      return false
    case 'tables':
      return targets.tables.some((other) => isSame(other, id))
    case 'renames':
      return targets.renames.some(([from, to]) => isSame(from, id) || isSame(to, id))
    case 'database':
      return targets.database.toLowerCase() === id.database.toLowerCase()
    case 'unclear':
      return targets.tables.some((other) => isSame(other, id)) || mayName(targets, id)
    default:
      return unreachable(targets)
  }
}

/** Whether the statement contains all words of the name of the table, and of its database if that is another one. */
function mayName({ words, database }: UnclearTargets, id: TableId): boolean {
  const isOwn = database === '' || database.toLowerCase() === id.database.toLowerCase()
  return wordsOf(id.table).isSubsetOf(words) && (isOwn || wordsOf(id.database).isSubsetOf(words))
}

/** Compares names as the server does (lower_case_table_names). */
export type SameTable = (a: TableId, b: TableId) => boolean

export function sameTableOn({ lowerCaseTableNames }: { readonly lowerCaseTableNames: number }): SameTable {
  return lowerCaseTableNames === 0 ? (a, b) => a === b : (a, b) => a.toLowerCase() === b.toLowerCase()
}

/** The name of the table after the renames. */
export function renamedBy(
  renames: readonly (readonly [from: TableId, to: TableId])[],
  id: TableId,
  isSame: SameTable,
): TableId {
  let name = id
  for (const [from, to] of renames) if (isSame(from, name)) name = to
  return name
}
