import type { Database, DatabaseConnection } from '@tributary/testkit'
import { imagesBetween, type Row, type RowImage } from './row-image.ts'
import { type Step, TRANSACTION_SQL } from './steps.ts'

export const SESSIONS = 3

/** The table whose rows say how far a task must read. */
export const MARKER_TABLE = 'marker'

/**
 * Runs the statements of a history and records what they change, as the server itself returns it: the rows of a table
 * before and after each statement, with the names that the columns have at that moment. Changes are in the order of the
 * binlog: those of a transaction at its commit.
 */
export class Truth implements AsyncDisposable {
  /** All changes in the order of the binlog, without those of the marker table. */
  readonly images: RowImage[] = []
  /** Statements that the server refused. */
  refused = 0
  executed = 0
  /** Histories (`h12`) with a table that was changed by a statement that is not in the binlog. */
  readonly unlogged: Set<string> = new Set()
  readonly #sessions: readonly Session[]
  #markers = 0

  private constructor(sessions: readonly Session[]) {
    this.#sessions = sessions
  }

  static async open(database: Database, schema: string): Promise<Truth> {
    const sessions: Session[] = []
    for (let i = 0; i < SESSIONS; i++) {
      const connection = await database.connect()
      await connection.query(`USE ${schema}`)
      await connection.query('SET SESSION lock_wait_timeout = 1, innodb_lock_wait_timeout = 1')
      await connection.query('SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED')
      sessions.push({ connection, pending: null, savepoint: 0 })
    }
    return new Truth(sessions)
  }

  /** Runs the statement of a step. Returns whether the server accepted it. */
  async run(step: Step): Promise<boolean> {
    try {
      await this.#run(step)
      this.executed += 1
      return true
    } catch (error) {
      if (!isRefusal(error)) throw error
      this.refused += 1
      return false
    }
  }

  /** Commits all transactions and writes the next marker; returns its id. */
  async mark(): Promise<number> {
    await this.#commitAll()
    this.#markers += 1
    await this.#session(0).connection.query(`INSERT INTO ${MARKER_TABLE} VALUES (${this.#markers})`)
    return this.#markers
  }

  async #run(step: Step): Promise<void> {
    switch (step.kind) {
      case 'begin':
        return this.#begin(this.#session(step.session))
      case 'commit':
        return this.#commit(this.#session(step.session))
      case 'rollback':
        return this.#rollback(this.#session(step.session))
      case 'savepoint':
      case 'rollbackTo':
        return this.#savepoint(this.#session(step.session), step.kind)
      case 'dml':
        return this.#change(step)
      case 'ddl':
        return this.#define(step)
      case 'global':
        await this.#session(0).connection.query(step.sql)
        return
      case 'read':
      case 'restart':
        return
    }
  }

  async #begin(session: Session): Promise<void> {
    if (session.pending !== null) await this.#commit(session)
    await session.connection.query(TRANSACTION_SQL.begin)
    session.pending = []
    session.savepoint = 0
  }

  async #commit(session: Session): Promise<void> {
    await session.connection.query('COMMIT')
    this.images.push(...(session.pending ?? []))
    session.pending = null
  }

  async #rollback(session: Session): Promise<void> {
    await session.connection.query('ROLLBACK')
    session.pending = null
  }

  async #savepoint(session: Session, kind: 'savepoint' | 'rollbackTo'): Promise<void> {
    if (session.pending === null) return
    await session.connection.query(TRANSACTION_SQL[kind])
    if (kind === 'savepoint') session.savepoint = session.pending.length
    else session.pending.length = session.savepoint
  }

  async #commitAll(): Promise<void> {
    for (const session of this.#sessions) if (session.pending !== null) await this.#commit(session)
  }

  async #change({ session: number, table, sql }: Step & { kind: 'dml' }): Promise<void> {
    const session = this.#session(number)
    const before = await rowsOf(session.connection, table)
    await session.connection.query(sql)
    const images = imagesBetween(table, before, await rowsOf(session.connection, table))
    const isAtOnce = session.pending === null || !isTransactional(table)
    if (isAtOnce) this.images.push(...images)
    else session.pending?.push(...images)
  }

  async #define({ session: number, sql, isLogged, fills }: Step & { kind: 'ddl' }): Promise<void> {
    // A definition waits for the transactions that use the table.
    await this.#commitAll()
    const { connection } = this.#session(number)
    await connection.query(`SET SESSION sql_log_bin = ${isLogged ? 1 : 0}`)
    try {
      await connection.query(sql)
    } finally {
      await connection.query('SET SESSION sql_log_bin = 1')
    }
    if (!isLogged) for (const [history] of sql.matchAll(/\bh\d+(?=[am]\d)/g)) this.unlogged.add(history)
    if (!isLogged || fills === undefined) return
    const rows = await rowsOf(connection, fills)
    this.images.push(...rows.map((row): RowImage => ({ verb: 'INSERT', table: fills, before: null, after: row })))
  }

  #session(number: number): Session {
    return this.#sessions[number % SESSIONS] as Session
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { connection } of this.#sessions) await connection.end()
  }
}

interface Session {
  readonly connection: DatabaseConnection
  /** Changes of the open transaction; null: there is none. */
  pending: RowImage[] | null
  /** Number of the pending changes before the last savepoint. */
  savepoint: number
}

/** Tables of the other engine are named `h12m1`. Their changes are in the binlog at once, and no rollback undoes them. */
export function isTransactional(table: string): boolean {
  return !/^h\d+m/.test(table)
}

async function rowsOf(connection: DatabaseConnection, table: string): Promise<readonly Row[]> {
  const [rows] = await connection.query(`SELECT * FROM ${table} ORDER BY id`)
  return (rows as Record<string, unknown>[]).map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [name, String(value)])),
  )
}

/** An error that the server answered with, which left the session usable. */
function isRefusal(error: unknown): boolean {
  return error instanceof Error && 'sqlState' in error && !('fatal' in error && error.fatal === true)
}
