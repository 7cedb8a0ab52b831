import type { TableId } from '@tributary/connector-kit'
import type { Statement, TableName } from '@tributary/mysql'
import type { DdlSession } from './ddl-session.ts'

/**
 * Temporary tables of sessions in statement or mixed format, whose statements are in the binlog: ALTER TABLE and DROP
 * TABLE of such a table name a table of the session, not the one with the same name that all sessions see. The server
 * logs DROP TEMPORARY TABLE when a session ends.
 */
export class TemporaryTables {
  readonly #byThread = new Map<number, Set<TableId>>()
  readonly #flavor: 'mysql' | 'mariadb'

  constructor(flavor: 'mysql' | 'mariadb') {
    this.#flavor = flavor
  }

  /** Whether the name may be that of a temporary table of the session, which a record of the history does not contain. */
  mayBe(id: TableId, { threadId, isRecorded }: DdlSession): boolean {
    return isRecorded === true || (threadId !== undefined && this.#byThread.get(threadId)?.has(id) === true)
  }

  /**
   * The statement without what it does to temporary tables; null when nothing else remains.
   *
   * @param thread of the session
   */
  withoutOwn(statement: Statement, thread: number, idOf: (name: TableName) => TableId): Statement | null {
    if (statement.tag === 'createTable' && statement.isTemporary) this.#add(thread, idOf(statement.table))
    const own = this.#byThread.get(thread)
    if (own === undefined || own.size === 0) return statement
    switch (statement.tag) {
      case 'createIndex':
      case 'dropIndex':
      case 'truncateTable':
        return own.has(idOf(statement.table)) ? null : statement
      case 'alterTable': {
        const id = idOf(statement.table)
        if (!own.has(id)) return statement
        for (const action of statement.actions) if (action.tag === 'renameTable') this.#rename(own, id, idOf(action.to))
        return null
      }
      case 'dropTable': {
        const others = statement.tables.filter((name) => !own.delete(idOf(name)))
        if (own.size === 0) this.#byThread.delete(thread)
        return others.length === 0 ? null : { ...statement, tables: others }
      }
      case 'renameTable': {
        // MySQL renames the table that all sessions see.
        if (this.#flavor === 'mysql') return statement
        const others = statement.renames.filter(({ from, to }) => !this.#rename(own, idOf(from), idOf(to)))
        return others.length === 0 ? null : { ...statement, renames: others }
      }
      default:
        return statement
    }
  }

  /** For `restore`. */
  saved(): ReadonlyMap<number, ReadonlySet<TableId>> {
    return new Map(Array.from(this.#byThread, ([thread, own]) => [thread, new Set(own)]))
  }

  restore(saved: ReadonlyMap<number, ReadonlySet<TableId>>): void {
    this.#byThread.clear()
    for (const [thread, own] of saved) this.#byThread.set(thread, new Set(own))
  }

  /** The server was started: its sessions have ended, and later ones may have their numbers. */
  clear(): void {
    this.#byThread.clear()
  }

  #add(thread: number, id: TableId): void {
    const own = this.#byThread.get(thread) ?? new Set<TableId>()
    this.#byThread.set(thread, own.add(id))
  }

  #rename(own: Set<TableId>, from: TableId, to: TableId): boolean {
    if (!own.delete(from)) return false
    own.add(to)
    return true
  }
}
