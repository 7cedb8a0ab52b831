import type { RegexList, TableId } from '@tributary/connector-kit'

interface FilterLists {
  readonly databaseInclude: RegexList
  readonly databaseExclude: RegexList
  readonly tableInclude: RegexList
  readonly tableExclude: RegexList
  /** Empty or absent: the rows of all captured tables. */
  readonly snapshotInclude?: RegexList
  /** `table.ignore.builtin`; default: true. */
  readonly ignoresBuiltIn?: boolean
  /** `signal.data.collection`, which is captured whatever the lists of tables are; absent or null: not set. */
  readonly signalTable?: string | null
}

/** The server's own databases. */
const BUILT_IN: ReadonlySet<string> = new Set(['mysql', 'sys'])
/** Those that are computed: the binlog has no changes of them. */
const VIRTUAL: ReadonlySet<string> = new Set(['performance_schema', 'information_schema'])

/** Which databases and tables are captured: the include and exclude lists. Results are cached. */
export class TableFilter {
  readonly #lists: FilterLists
  readonly #databases = new Map<string, boolean>()
  readonly #signalTable: string | null

  constructor(lists: FilterLists) {
    this.#lists = lists
    this.#signalTable = lists.signalTable?.toLowerCase() ?? null
  }

  includesDatabase(database: string): boolean {
    let isIncluded = this.#databases.get(database)
    if (isIncluded === undefined) {
      isIncluded = this.#decideDatabase(database)
      this.#databases.set(database, isIncluded)
    }
    return isIncluded
  }

  #decideDatabase(database: string): boolean {
    const { databaseInclude, databaseExclude, ignoresBuiltIn = true } = this.#lists
    const name = database.toLowerCase()
    if (VIRTUAL.has(name) || (ignoresBuiltIn && BUILT_IN.has(name))) return false
    if (!databaseInclude.isEmpty) return databaseInclude.matches(database)
    return !databaseExclude.matches(database)
  }

  includesTable(id: TableId): boolean {
    if (!this.includesDatabase(id.database)) return false
    if (this.#isSignalTable(id)) return true
    const { tableInclude, tableExclude } = this.#lists
    if (!tableInclude.isEmpty) return tableInclude.matches(id.toString())
    return !tableExclude.matches(id.toString())
  }

  #isSignalTable(id: TableId): boolean {
    return this.#signalTable !== null && id.toString().toLowerCase() === this.#signalTable
  }

  /** Whether a snapshot reads the rows of a captured table. */
  includesRows(id: TableId): boolean {
    if (this.#isSignalTable(id)) return false
    const { snapshotInclude: list } = this.#lists
    return list === undefined || list.isEmpty || list.matches(id.toString()) || list.matches(id.toQuotedString())
  }

  /** The position of the table in the include list: the snapshot reads tables in that order. */
  orderOf(id: TableId): number {
    return this.#lists.tableInclude.matching(id.toString())[0] ?? Number.MAX_SAFE_INTEGER
  }
}
