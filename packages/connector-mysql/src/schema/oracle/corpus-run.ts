import { isDeepStrictEqual } from 'node:util'
import { tableChangesFromJson, tableChangesToJson, type TableId } from '@tributary/connector-kit'
import { recordedTable, type MySqlTable } from '../mysql-table.ts'
import { DdlInterpreter } from '../ddl-interpreter.ts'
import type { DdlInterpreterOptions } from '../ddl-interpreter-options.ts'
import type { DdlSession } from '../ddl-session.ts'
import type { DdlOutcome } from '../schema-change.ts'
import { catalogueFacts, catalogueTables, type Query } from './catalogue.ts'
import { modelFacts } from './table-facts.ts'

/** A statement as the server wrote it to its binlog. */
export interface LoggedStatement {
  readonly sql: string
  readonly session: DdlSession
}

export interface CorpusServer {
  readonly flavor: 'mysql' | 'mariadb'
  readonly version: string
  /** As root, in a session of its own. */
  readonly query: Query
  /** In the session of the script; rejects when the server refuses the statement. */
  readonly run: (sql: string) => Promise<void>
  /** The statements in the binlog since the last call. */
  readonly logged: () => Promise<readonly LoggedStatement[]>
  readonly lowerCaseTableNames: 0 | 1 | 2
  readonly charset: string
  /** The variable system_time_zone. */
  readonly systemTimeZone: string
}

export interface CorpusResult {
  readonly accepted: number
  readonly refused: number
  /** Definitions compared with the catalogue. */
  readonly compared: number
  /** Tables that had to be read again, as `table: reason`. */
  readonly gaps: readonly string[]
  /** Differences between model and catalogue, and statements that the parser does not understand. */
  readonly differences: readonly string[]
}

/**
 * Runs statements on a server, feeds what it writes to its binlog to an interpreter, and compares each table that a
 * statement was about with information_schema.
 */
export class CorpusRun {
  readonly #server: CorpusServer
  readonly #interpreter: DdlInterpreter
  readonly #gaps: string[] = []
  readonly #differences: string[] = []
  #accepted = 0
  #refused = 0
  #compared = 0
  #interpreted = 0

  constructor(server: CorpusServer) {
    this.#server = server
    this.#interpreter = new DdlInterpreter(interpreterOptions(server))
  }

  /** Statements of the binlog that the model has read. */
  get interpreted(): number {
    return this.#interpreted
  }

  /** The model so far. */
  get interpreter(): DdlInterpreter {
    return this.#interpreter
  }

  /** Runs the statements and compares the names of all tables at the end. */
  async run(statements: readonly string[]): Promise<CorpusResult> {
    for (const sql of statements) await this.step(sql)
    await this.#compareNames()
    return this.result
  }

  /** Runs a statement and compares the tables that it is about. Returns false when the server refuses it. */
  async step(sql: string, isCounted = true): Promise<boolean> {
    let isAccepted = true
    try {
      await this.#server.run(sql)
    } catch {
      // Scripts contain statements for the other server, and some with intended errors.
      isAccepted = false
    }
    if (isAccepted && isCounted) this.#accepted++
    else if (isCounted) this.#refused++
    // A refused statement may have had an effect: MariaDB drops those of several tables that exist.
    await this.follow(sql)
    return isAccepted
  }

  get result(): CorpusResult {
    const { length } = this.#differences
    return {
      accepted: this.#accepted,
      refused: this.#refused,
      compared: this.#compared,
      gaps: this.#gaps,
      differences: length > 20 ? [...this.#differences.slice(0, 20), `and ${length - 20} more`] : this.#differences,
    }
  }

  /** All of them. */
  get differences(): readonly string[] {
    return this.#differences
  }

  /** Interprets what the binlog has since the last call and compares the tables that it is about. */
  async follow(sql = ''): Promise<void> {
    const ids = new Set<TableId>()
    for (const logged of await this.#server.logged()) {
      this.#interpreted++
      const outcome = this.#interpreter.interpret(logged.sql, logged.session)
      if (outcome.error !== null) this.#differences.push(`not understood: ${outcome.error.message}`)
      await this.#fillGaps(outcome)
      for (const { tables } of outcome.events) for (const id of tables) ids.add(id)
    }
    for (const id of ids) await this.#compare(id, sql)
  }

  /** Compares all tables of model and server. */
  async compareAll(): Promise<void> {
    for (const { id } of this.#interpreter.tables) await this.#compare(id, 'all statements')
    await this.#compareNames()
  }

  async #fillGaps({ needsSchema }: DdlOutcome): Promise<void> {
    for (const { id, reason } of needsSchema) {
      this.#gaps.push(`${id.toString()}: ${reason}`)
      this.#interpreter.adopt(id, await this.#showCreate(id))
    }
  }

  /** Null when there is no such table. */
  async #showCreate(id: TableId): Promise<string | null> {
    try {
      const [row] = await this.#server.query(`SHOW CREATE TABLE ${backquoted(id)}`)
      const text = row?.['Create Table']
      return typeof text === 'string' ? text : null
    } catch {
      return null
    }
  }

  async #compare(id: TableId, sql: string): Promise<void> {
    const model = this.#interpreter.tables.get(id)
    const found = await catalogueFacts(this.#server.query, id, this.#server.flavor)
    if (model === undefined || found === null) {
      if ((model === undefined) !== (found === null)) this.#report(id, sql, 'exists only in one of model and server')
      return
    }
    this.#compared++
    const { generated, ...facts } = found
    this.#reportFacts(id, sql, modelFacts(model, generated), facts)
    const createSql = await this.#showCreate(id)
    if (createSql === null) return
    const snapshot = new DdlInterpreter(interpreterOptions(this.#server)).adopt(id, createSql)?.table
    if (snapshot === null || snapshot === undefined) return
    this.#reportFacts(id, createSql, modelFacts(snapshot, generated), facts)
    this.#reportSnapshot(id, sql, model, snapshot)
  }

  /** Compares facts of stream and snapshot that no catalogue has, and checks that history records lose none. */
  #reportSnapshot(id: TableId, sql: string, model: MySqlTable, snapshot: MySqlTable): void {
    const [streamed, read] = [model, snapshot].map((table) => table.primaryKeyColumnNames.join(', '))
    if (streamed !== read) this.#report(id, sql, `identity ${streamed}, in a snapshot ${read}`)
    if (!isDeepStrictEqual(model.versioning, snapshot.versioning)) this.#report(id, sql, 'system versioning')
    const json: unknown = JSON.parse(
      JSON.stringify(tableChangesToJson([{ type: 'CREATE', id, previousId: null, table: snapshot }])),
    )
    const back = tableChangesFromJson(json)?.[0]?.table ?? null
    if (back === null || !isDeepStrictEqual(recordedTable(back, 'mysql'), recordedTable(snapshot, 'mysql'))) {
      this.#report(id, sql, 'a record changes it')
    }
  }

  #reportFacts(id: TableId, sql: string, ours: object, theirs: object): void {
    const [a, b] = [ours, theirs].map((facts) => JSON.stringify(facts, null, 1).split('\n'))
    for (const [index, line] of (a ?? []).entries()) {
      if (line !== b?.[index]) this.#report(id, sql, `model ${line.trim()}, server ${b?.[index]?.trim() ?? 'nothing'}`)
    }
    if ((a?.length ?? 0) < (b?.length ?? 0)) this.#report(id, sql, 'the server has more')
  }

  #report(id: TableId, sql: string, what: string): void {
    this.#differences.push(`${id.toString()} after ${sql.slice(0, 200)}: ${what}`)
  }

  /** Checks that model and server have the same tables at the end. */
  async #compareNames(): Promise<void> {
    const names = [...this.#interpreter.tables].map(({ id }) => id.toString())
    const databases = await this.#server.query('SHOW DATABASES')
    const own = databases.map((row) => String(row['Database'])).filter((name) => !SYSTEM.has(name))
    const there = own.length === 0 ? [] : await catalogueTables(this.#server.query, own)
    for (const name of names) if (!there.includes(name)) this.#differences.push(`${name} is only in the model`)
    for (const name of there) if (!names.includes(name)) this.#differences.push(`${name} is only on the server`)
  }
}

const SYSTEM: ReadonlySet<string> = new Set(['information_schema', 'mysql', 'performance_schema', 'sys', 'test'])

function interpreterOptions(server: CorpusServer): DdlInterpreterOptions {
  const { flavor, version, lowerCaseTableNames, charset, systemTimeZone } = server
  const [major = 0, minor = 0, patch = 0] = version.split(/[.-]/).map(Number)
  return {
    flavor,
    serverVersion: major * 10_000 + minor * 100 + patch,
    lowerCaseTableNames,
    serverCharset: charset,
    systemTimeZone,
    includesComments: true,
  }
}

function backquoted({ database, table }: TableId): string {
  return `\`${database.replaceAll('`', '``')}\`.\`${table.replaceAll('`', '``')}\``
}
