import type { TableId } from '@tributary/connector-kit'
import { type BinlogEvent, transactionControl } from '@tributary/mysql'
import type { DdlInterpreter } from '../schema/ddl-interpreter.ts'
import { concernsTable, type SameTable, type UnclearTargets } from '../schema/statement-targets.ts'
import { wordsOf } from '../schema/words.ts'

/**
 * The tables whose definitions a part of the binlog may have changed: the definition at its end need not be that of its
 * beginning.
 */
export class ChangedTables {
  readonly #interpreter: Pick<DdlInterpreter, 'sessionOf' | 'targetsOf'>
  readonly #isSame: SameTable
  /** The first statement about each table. */
  readonly #tables = new Map<TableId, string>()
  /** The first statement about each database as a whole. */
  readonly #databases = new Map<string, string>()
  readonly #unclear: Unclear[] = []
  /** Why all tables may have been changed; null: they were not. */
  #everything: string | null = null
  #hasDatabaseStatements = false
  /** The first statement about the defaults of each database. */
  readonly #defaults = new Map<string, string>()

  constructor(interpreter: Pick<DdlInterpreter, 'sessionOf' | 'targetsOf'>, isSame: SameTable) {
    this.#interpreter = interpreter
    this.#isSame = isSame
  }

  /** True: a statement may have changed the default charset of a database. */
  get hasDatabaseStatements(): boolean {
    return this.#hasDatabaseStatements
  }

  /** @param place of the event */
  observe(event: BinlogEvent, place: string): void {
    if (event.tag !== 'query' || transactionControl(event.sql) !== null) return
    const targets = this.#interpreter.targetsOf(event.sql, this.#interpreter.sessionOf(event))
    const what = `'${event.sql.slice(0, STATEMENT_CHARACTERS_MAX)}' at ${place}`
    switch (targets.tag) {
      case 'tables':
        for (const id of targets.tables) this.#add(id, what)
        return
      case 'renames':
        for (const id of targets.renames.flat()) this.#add(id, what)
        return
      case 'database defaults':
        this.#hasDatabaseStatements = true
        if (!this.#defaults.has(targets.database)) this.#defaults.set(targets.database, what)
        return
      case 'database': {
        this.#hasDatabaseStatements = true
        const name = targets.database.toLowerCase()
        if (!this.#databases.has(name)) this.#databases.set(name, what)
        return
      }
      case 'unclear':
        this.#hasDatabaseStatements = true
        if (this.#unclear.length < UNCLEAR_MAX) this.#unclear.push({ targets, what })
        else this.#everything ??= `more than ${UNCLEAR_MAX} statements are not understood`
        return
      case 'none':
        return undefined
    }
  }

  /** That nothing is known, for that reason. */
  addAll(reason: string): void {
    this.#everything ??= reason
  }

  #add(id: TableId, what: string): void {
    const key = this.#key(id)
    if (!this.#tables.has(key)) this.#tables.set(key, what)
  }

  /** The statement that may have changed the table, for messages; null when there is none. */
  whyChanged(id: TableId): string | null {
    const unclear = this.#unclear.find(({ targets }) => concernsTable(targets, id, this.#isSame))
    const database = this.#databases.get(id.database.toLowerCase())
    return this.#everything ?? this.#tables.get(this.#key(id)) ?? database ?? unclear?.what ?? null
  }

  /**
   * A statement that may have changed which of these tables and databases there are, or a definition; null when there is
   * none. Also about tables that were dropped since. A statement that is not understood may be about any table of its
   * session's database, and of those that it names.
   *
   * @param databases that the server has, of those of `isDatabase`
   */
  whyAnyChanged(
    isConcerned: (id: TableId) => boolean,
    isDatabase: (name: string) => boolean,
    databases: readonly string[],
  ): string | null {
    for (const [id, what] of this.#tables) if (isConcerned(id)) return what
    for (const [name, what] of this.#databases) if (isDatabase(name)) return what
    for (const [name, what] of this.#defaults) if (name === '' || isDatabase(name)) return what
    const isUnclear = ({ targets: { database, words } }: Unclear): boolean =>
      database === '' || isDatabase(database) || databases.some((name) => wordsOf(name).isSubsetOf(words))
    return this.#everything ?? this.#unclear.find(isUnclear)?.what ?? null
  }

  /** Servers that ignore case compare the names in lower case. */
  #key(id: TableId): TableId {
    const lower = id.toLowerCase()
    return this.#isSame(id, lower) ? lower : id
  }
}

interface Unclear {
  readonly targets: UnclearTargets
  readonly what: string
}

/** As many statements of a later server are not to be expected. */
const UNCLEAR_MAX = 1_000
const STATEMENT_CHARACTERS_MAX = 200
