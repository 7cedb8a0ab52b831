import { applyTableChange, TableId, Tables } from '@tributary/connector-kit'
import type { MySqlTable, MySqlTableChange } from './mysql-table.ts'
import {
  type AlterAction,
  type AlterTable,
  type CreateTable,
  DdlSyntaxError,
  parseDdl,
  type QueryEvent,
  type RenameTable,
  type Statement,
  type TableName,
} from '@tributary/mysql'
import { CodedError, unreachable } from '@tributary/support'
import { alterTable } from './alter-table.ts'
import { type CreatedTable, createTable, likeTable } from './create-table.ts'
import { applyToDatabase, type DatabaseStatement } from './database-statement.ts'
import type { DdlInterpreterOptions } from './ddl-interpreter-options.ts'
import { DOUBTFUL_TEXTS, isDoubtful } from './doubtful-texts.ts'
import { withKnownKeys } from './known-keys.ts'
import { NamedTypes } from './named-types.ts'
import { type DdlSession, sessionOf } from './ddl-session.ts'
import { dependsOnSessionDatabase, parseRecorded, type RecoveredChange, recordedSession } from './recorded-statement.ts'
import type { ModelState } from './model-state.ts'
import {
  backquoted,
  type DdlOutcome,
  gapOutcome,
  outcomeOf,
  type SchemaChange,
  type SchemaGap,
  unreadOutcome,
} from './schema-change.ts'
import { ServerCharsets } from './server-charsets.ts'
import { splitTables } from './split-tables.ts'
import { concernsTable, type StatementTargets, statementTargets, type UnclearTargets } from './statement-targets.ts'
import type { TableContext } from './table-context.ts'
import { TemporaryTables } from './temporary-tables.ts'
import { UndefinedTables } from './undefined-tables.ts'
import { wordsOf } from './words.ts'

/**
 * Derives the table definitions of a server from its statements.
 *
 * A single caller passes the statements in the order of the binlog, each once:
 *
 *     snapshot:   interpret('USE …'), interpret(text of SHOW CREATE TABLE) …
 *     start:      recover(record) for each record of the history up to the offset
 *     streaming:  interpret(statement, its session) → record the events → adopt(…) the tables in `needsSchema`
 *
 * A table is in the model with its correct definition or not at all: a table that cannot be derived is removed and
 * reported in `needsSchema`, so that no row is ever read with a wrong definition. Nothing here waits or queries the
 * server.
 */
export class DdlInterpreter {
  readonly tables: Tables<MySqlTable>
  readonly #options: DdlInterpreterOptions
  readonly #charsets: ServerCharsets
  readonly #undefined = new UndefinedTables((id) => this.#key(id))
  readonly #temporary: TemporaryTables
  readonly #namedTypes = new NamedTypes((id) => this.#key(id))
  /** Of the last USE. */
  #usedDatabase: string | null = null

  constructor(options: DdlInterpreterOptions) {
    const isCaseInsensitive = options.lowerCaseTableNames !== 0
    this.#options = options
    this.#temporary = new TemporaryTables(options.flavor)
    this.tables = new Tables<MySqlTable>(isCaseInsensitive)
    this.#charsets = new ServerCharsets(options.serverCharset, isCaseInsensitive)
  }

  /** All that is known now. */
  get state(): ModelState {
    return {
      tables: [...this.tables],
      undefinedTables: this.#undefined.all,
      serverCharset: this.#charsets.server,
      databaseCharsets: this.#charsets.databases,
      namedTypes: this.#namedTypes.all,
      usedDatabase: this.#usedDatabase,
    }
  }

  /** Replaces all that is known. */
  restore(state: ModelState): void {
    this.tables.clear()
    for (const table of state.tables) this.tables.overwrite(table)
    this.#undefined.restore(state.undefinedTables)
    this.#charsets.restore(state.serverCharset ?? this.#options.serverCharset, state.databaseCharsets)
    this.#namedTypes.restore(state.namedTypes)
    this.#usedDatabase = state.usedDatabase
  }

  /** The default charsets of databases are unknown now. */
  forgetCharsets(): void {
    this.#charsets.restore(this.#charsets.server)
  }

  /** Sets the default charset of a database, as SHOW CREATE DATABASE prints it. */
  setDatabaseCharset(database: string, charset: string): void {
    this.#charsets.set(database, charset)
  }

  /** Changes the tables as the statement changed those of the server. A syntax error is in `error` of the outcome. */
  interpret(sql: string, session: DdlSession): DdlOutcome {
    try {
      return this.#noteUndefined(this.#apply(this.#parse(sql, session), session))
    } catch (thrown) {
      if (thrown instanceof DdlSyntaxError) return this.#noteUndefined(this.#unparseable(sql, session, thrown))
      throw thrown
    }
  }

  /** The session of a statement in the binlog. */
  sessionOf(query: QueryEvent): DdlSession {
    return sessionOf(query, this.#options.flavor)
  }

  /** The server was started: its earlier sessions and their temporary tables do not exist any more. */
  noteServerStart(): void {
    this.#temporary.clear()
  }

  /** Runs changes of the model as a unit: when `run` rejects, the model is as it was before. */
  async transact<T>(run: () => Promise<T>): Promise<T> {
    const undefinedBefore = this.#undefined.all
    const temporaryBefore = this.#temporary.saved()
    this.tables.track()
    try {
      const result = await run()
      this.tables.keep()
      return result
    } catch (error) {
      this.tables.undo()
      this.#temporary.restore(temporaryBefore)
      this.#undefined.restore(undefinedBefore)
      throw error
    }
  }

  /** The tables that the statement is about. Does not change the model. */
  targetsOf(sql: string, session: DdlSession): StatementTargets {
    const idOf = (name: TableName): TableId => this.#id(name, session)
    const database = this.#foldName(this.#currentDatabase(session) ?? '')
    try {
      return statementTargets(this.#parse(sql, session), idOf, database)
    } catch (thrown) {
      if (!(thrown instanceof DdlSyntaxError)) throw thrown
      return this.#unclear(sql, session, thrown.tables.map(idOf))
    }
  }

  /** The table exists, but its definition is unknown from now on. */
  forget(id: TableId): void {
    this.tables.remove(id)
    this.#undefined.add(id)
  }

  /**
   * Defines a table as the database has it now.
   *
   * @param createSql text of SHOW CREATE TABLE; null when the database has no such table
   * @returns the change for the event whose statement needed it; null when the table no longer exists
   * @throws DDL_SYNTAX, SCHEMA_UNDERIVABLE
   */
  adopt(id: TableId, createSql: string | null, type: 'CREATE' | 'ALTER' = 'ALTER'): MySqlTableChange | null {
    this.tables.remove(id)
    const table = createSql === null ? null : this.derive(id, createSql)
    return table === null ? null : this.define(table, type)
  }

  /**
   * The table that a text of SHOW CREATE TABLE defines; null for a view and for a sequence. Does not change the model.
   *
   * @throws DDL_SYNTAX, SCHEMA_UNDERIVABLE
   */
  derive(id: TableId, createSql: string): MySqlTable | null {
    const session: DdlSession = { database: id.database, isPrinted: true }
    const statement = this.#parse(createSql, session)
    if (statement.tag !== 'createTable' || statement.options.isSequence) return null
    return this.#namedTypes.restored(createTable(statement, id, this.#context(id, session)))
  }

  /** Puts a definition into the model. */
  define(table: MySqlTable, type: 'CREATE' | 'ALTER' = 'ALTER'): MySqlTableChange {
    this.#put(table)
    this.#undefined.delete(table.id)
    return { type, id: table.id, previousId: null, table }
  }

  /**
   * Applies a record of the schema history. Its table changes take precedence; keys and default charsets, which they do
   * not contain, are derived from its statement.
   *
   * @returns the outcome of the statement, for records without table changes; null when the statement was not needed
   */
  recover({ databaseName, ddl, changes }: RecoveredChange): DdlOutcome | null {
    const before = new Map(changes.map(({ id, previousId }) => [id, this.tables.get(previousId ?? id)]))
    const session = recordedSession(databaseName, changes.length === 0)
    const outcome = ddl === null ? null : this.#interpretRecovered(ddl, session)
    for (const change of changes) {
      // A statement that is not understood may have changed keys, too.
      const known = this.tables.get(change.id) ?? before.get(change.id)
      const derived = outcome?.error instanceof DdlSyntaxError ? undefined : known
      const table = change.table === null ? null : withKnownKeys(change.table, derived, this.#options.flavor)
      applyTableChange({ ...change, table }, this.tables)
      if (table !== null) this.#namedTypes.note(table)
      this.#undefined.delete(change.id)
    }
    return outcome
  }

  /** A record names the database of the resulting table, which is not always the current one of the session. */
  #interpretRecovered(sql: string, session: DdlSession): DdlOutcome | null {
    try {
      const statement = parseRecorded((mode) => this.#parse(sql, { ...session, ...mode }))
      return dependsOnSessionDatabase(statement) ? null : this.#noteUndefined(this.#apply(statement, session))
    } catch (thrown) {
      if (!(thrown instanceof DdlSyntaxError)) throw thrown
      // The record has the definitions of the tables that changed.
      if (session.isRecorded === false) return unreadOutcome(thrown)
      if (this.#options.skipsUnparseable === true) return null
      return this.#noteUndefined(this.#unparseable(sql, session, thrown))
    }
  }

  #parse(sql: string, session: DdlSession): Statement {
    return parseDdl(sql, { ansiQuotes: false, ...session, ...this.#options })
  }

  #apply(written: Statement, session: DdlSession): DdlOutcome {
    const { threadId } = session
    const idOf = (name: TableName): TableId => this.#key(this.#id(name, session))
    const statement = threadId === undefined ? written : this.#temporary.withoutOwn(written, threadId, idOf)
    if (statement === null) return outcomeOf(written, [])
    switch (statement.tag) {
      case 'createTable':
        return this.#createTable(statement, session)
      case 'alterTable':
        return this.#alterTable(statement, session)
      case 'createIndex': {
        const { table, key, isReplacing } = statement
        const drop: AlterAction = { tag: 'dropKey', name: key.name ?? '', isConstraint: false, isIfExists: true }
        const add: AlterAction = { tag: 'addKey', key, isConditional: false }
        return this.#alterIndex(statement, this.#id(table, session), isReplacing ? [drop, add] : [add], session)
      }
      case 'dropIndex': {
        const { table, name, isIfExists } = statement
        const drop: AlterAction = { tag: 'dropKey', name, isConstraint: false, isIfExists }
        return this.#alterIndex(statement, this.#id(table, session), [drop], session)
      }
      case 'dropTable':
        return outcomeOf(
          statement,
          statement.isTemporary ? [] : statement.tables.map((name) => this.#drop(statement, name, session)),
        )
      case 'renameTable':
        return this.#renameTables(statement, session)
      case 'createDatabase':
      case 'alterDatabase':
      case 'dropDatabase':
      case 'use':
      case 'setVariables':
        return this.#applyToDatabase(statement, session)
      case 'truncateTable':
        return { ...outcomeOf(statement, []), truncated: this.#id(statement.table, session) }
      case 'dml':
      case 'transaction':
      case 'ignored':
        return outcomeOf(statement, [])
      default:
        return unreachable(statement)
    }
  }

  #createTable(statement: CreateTable, session: DdlSession): DdlOutcome {
    if (statement.isTemporary || statement.options.isSequence) return outcomeOf(statement, [])
    const id = this.#id(statement.table, session)
    const event = { databaseName: id.database, ddl: statement.text, tables: new Set([id]) }
    if (statement.isIfNotExists && this.tables.has(id)) return outcomeOf(statement, [{ ...event, changes: [] }])
    // The server did not create it: its columns may differ from those of the statement.
    if (statement.isIfNotExists && this.#undefined.has(id))
      return gapOutcome(statement, [{ ...event, changes: [] }], { id, reason: 'it existed already' })
    this.tables.remove(id)
    if (isDoubtful(statement.text, session))
      return gapOutcome(statement, [{ ...event, changes: [] }], { id, reason: DOUBTFUL_TEXTS })
    return this.#deriving(statement, id, () => {
      const created = this.#createdTable(statement, id, session)
      if (created.tag === 'unclear')
        return gapOutcome(statement, [{ ...event, changes: [] }], { id, reason: created.reason })
      const { table } = created
      this.#put(table)
      return outcomeOf(statement, [{ ...event, changes: [{ type: 'CREATE', id, previousId: null, table }] }])
    })
  }

  #createdTable(statement: CreateTable, id: TableId, session: DdlSession): CreatedTable {
    if (statement.isFromQuery) return { tag: 'unclear', reason: 'a query adds its columns' }
    if (statement.like === null) {
      const made = createTable(statement, id, this.#context(id, session))
      return { tag: 'table', table: session.isReadFromServer === true ? this.#namedTypes.restored(made) : made }
    }
    const source = this.#id(statement.like, session)
    if (this.#temporary.mayBe(this.#key(source), session))
      return { tag: 'unclear', reason: 'it may be like a temporary table' }
    const table = this.tables.get(source)
    return table === undefined
      ? { tag: 'unclear', reason: `it is like ${source.toString()}, which is not known` }
      : { tag: 'table', table: likeTable(table, id) }
  }

  #alterTable(statement: AlterTable, session: DdlSession): DdlOutcome {
    const id = this.#id(statement.table, session)
    const rename = statement.actions.findLast(({ tag }) => tag === 'renameTable')
    const newId = rename?.tag === 'renameTable' ? this.#id(rename.to, session) : id
    const old = this.tables.remove(id)
    const event = { databaseName: newId.database, ddl: statement.text }
    const altered = { ...event, tables: new Set([id, newId]) }
    const { created, dropped } = splitTables(statement, (name) => this.#id(name, session))
    const droppings = dropped.map((gone): SchemaChange => {
      this.tables.remove(gone)
      return { ...event, tables: new Set([gone]), changes: [{ type: 'DROP', id: gone, previousId: null, table: null }] }
    })
    if (old === undefined) {
      const gaps = [newId, ...created].map((gap) => ({ id: gap, reason: 'it was not known before' }))
      const creations = created.map((part): SchemaChange => ({ ...event, tables: new Set([part]), changes: [] }))
      return {
        ...outcomeOf(statement, [{ ...altered, changes: [] }, ...creations, ...droppings]),
        needsSchema: gaps,
      }
    }
    return this.#deriving(statement, newId, () => {
      const table = { ...alterTable(old, statement.actions, this.#context(id, session)), id: newId }
      this.#put(table)
      const change: MySqlTableChange = { type: 'ALTER', id: newId, previousId: null, table }
      const creations = created.map((part): SchemaChange => {
        return { ...event, tables: new Set([part]), changes: [this.define(likeTable(table, part), 'CREATE')] }
      })
      return outcomeOf(statement, [{ ...altered, changes: [change] }, ...creations, ...droppings])
    })
  }

  /** CREATE and DROP INDEX change the table only if another key identifies its rows afterwards. */
  #alterIndex(statement: Statement, id: TableId, actions: readonly AlterAction[], session: DdlSession): DdlOutcome {
    const event = { databaseName: id.database, ddl: statement.text, tables: new Set([id]) }
    const old = this.tables.remove(id)
    if (old === undefined)
      return gapOutcome(statement, [{ ...event, changes: [] }], { id, reason: 'it was not known before' })
    return this.#deriving(statement, id, () => {
      const table = alterTable(old, actions, this.#context(id, session))
      this.#put(table)
      const isSame = table.primaryKeyColumnNames.join('\0') === old.primaryKeyColumnNames.join('\0')
      const change: MySqlTableChange = { type: 'ALTER', id, previousId: null, table }
      return outcomeOf(statement, [{ ...event, changes: isSame ? [] : [change] }])
    })
  }

  /** The part of DROP TABLE about one table. */
  #drop(statement: Statement & { readonly isIfExists: boolean }, name: TableName, session: DdlSession): SchemaChange {
    const id = this.#id(name, session)
    this.tables.remove(id)
    return {
      databaseName: id.database,
      ddl: `DROP TABLE ${statement.isIfExists ? 'IF EXISTS ' : ''}${backquoted(id)}`,
      changes: [{ type: 'DROP', id, previousId: null, table: null }],
      tables: new Set([id]),
    }
  }

  /**
   * One event per pair, like the reference connector. They contain the definitions after the whole statement, so the
   * event of a name that existed only between two pairs has no changes.
   */
  #renameTables(statement: RenameTable, session: DdlSession): DdlOutcome {
    const pairs = statement.renames.map(({ from, to, text }) => ({
      from: this.#id(from, session),
      to: this.#id(to, session),
      ddl: `${statement.prefix}${text}`,
    }))
    const gaps = new Map<TableId, SchemaGap>()
    for (const { from, to } of pairs) {
      const renamed = this.tables.rename(from, to)
      gaps.delete(from)
      if (renamed !== undefined) this.#namedTypes.note(renamed)
      else gaps.set(to, { id: to, reason: `it was ${from.toString()}, which was not known` })
    }
    const events = pairs.map(({ from, to, ddl }): SchemaChange => {
      const table = this.tables.get(to)
      const changes: MySqlTableChange[] =
        table === undefined ? [] : [{ type: 'ALTER', id: to, previousId: from, table }]
      return { databaseName: to.database, ddl, changes, tables: new Set([from, to]) }
    })
    return { statement, events, needsSchema: [...gaps.values()], truncated: null, error: null }
  }

  #applyToDatabase(
    statement: DatabaseStatement | Extract<Statement, { tag: 'use' | 'setVariables' }>,
    session: DdlSession,
  ): DdlOutcome {
    const event = (databaseName: string): DdlOutcome =>
      outcomeOf(statement, [{ databaseName, ddl: statement.text, changes: [], tables: new Set() }])
    if (statement.tag === 'setVariables') {
      const isAboutCharsets = this.#charsets.assign(statement.variables, this.#currentDatabase(session))
      return isAboutCharsets ? event(session.database ?? '') : outcomeOf(statement, [])
    }
    const database = this.#foldName(statement.database ?? this.#currentDatabase(session) ?? '')
    const serverCharset = session.serverCharset ?? null
    if (statement.tag === 'use') this.#usedDatabase = database
    else applyToDatabase(statement, database, { tables: this.tables, charsets: this.#charsets, serverCharset })
    return event(database)
  }

  #unparseable(sql: string, session: DdlSession, error: DdlSyntaxError): DdlOutcome {
    const ids = [
      ...new Set([...error.tables.map((name) => this.#id(name, session)), ...this.#mentionedIn(sql, session)]),
    ]
    const gaps = ids.map((id) => ({ id, reason: error.message, before: this.tables.remove(id) }))
    const databaseName = ids[0]?.database ?? this.#currentDatabase(session) ?? ''
    return {
      statement: null,
      events: [{ databaseName, ddl: sql.trim(), changes: [], tables: new Set(ids) }],
      needsSchema: gaps,
      truncated: null,
      error,
    }
  }

  #unclear(sql: string, session: DdlSession, tables: readonly TableId[]): UnclearTargets {
    return {
      tag: 'unclear',
      tables,
      database: this.#foldName(this.#currentDatabase(session) ?? ''),
      words: wordsOf(sql),
    }
  }

  #mentionedIn(sql: string, session: DdlSession): readonly TableId[] {
    const targets = this.#unclear(sql, session, [])
    return [...this.tables].map(({ id }) => id).filter((id) => concernsTable(targets, id, Object.is))
  }

  /** Records which tables exist without a definition in the model. */
  #noteUndefined(outcome: DdlOutcome): DdlOutcome {
    const { statement } = outcome
    if (statement?.tag === 'dropDatabase') this.#undefined.deleteDatabase(this.#foldName(statement.database ?? ''))
    this.#undefined.note(outcome)
    return outcome
  }

  #put(table: MySqlTable): void {
    this.tables.overwrite(table)
    this.#namedTypes.note(table)
  }

  #key(id: TableId): TableId {
    return this.#options.lowerCaseTableNames === 0 ? id : id.toLowerCase()
  }

  /** Runs the derivation of a table; a table that cannot be derived becomes a gap. */
  #deriving(statement: Statement, id: TableId, derive: () => DdlOutcome): DdlOutcome {
    try {
      return derive()
    } catch (thrown) {
      if (!(thrown instanceof CodedError && thrown.code === 'SCHEMA_UNDERIVABLE')) throw thrown
      const event = { databaseName: id.database, ddl: statement.text, changes: [], tables: new Set([id]) }
      return gapOutcome(statement, [event], { id, reason: thrown.message })
    }
  }

  #context(id: TableId, session: DdlSession): TableContext {
    const databaseCharset = this.#charsets.of(id.database)
    const ofSession = this.#charsets.of(this.#currentDatabase(session) ?? '')
    const { flavor, includesComments } = this.#options
    return {
      flavor,
      databaseCharset,
      conversionCharset: flavor === 'mysql' ? ofSession : databaseCharset,
      includesComments,
      hasExplicitTimestampDefaults: session.explicitTimestampDefaults ?? true,
      timeZone: session.timeZone === 'SYSTEM' ? (this.#options.systemTimeZone ?? 'SYSTEM') : (session.timeZone ?? null),
      tableName: id.toString(),
      isPrinted: session.isPrinted ?? false,
    }
  }

  #id({ database, table }: TableName, session: DdlSession): TableId {
    const of = database ?? this.#currentDatabase(session) ?? ''
    return TableId.of(this.#foldName(of), this.#foldName(table))
  }

  #currentDatabase(session: DdlSession): string | null {
    return session.database ?? this.#usedDatabase
  }

  /** With lower_case_table_names=1 the server stores all names in lower case. */
  #foldName(name: string): string {
    return this.#options.lowerCaseTableNames === 1 ? name.toLowerCase() : name
  }
}
