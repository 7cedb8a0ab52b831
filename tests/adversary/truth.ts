import { present } from '@tributary/support'
import type { DatabaseConnection, DatabaseServer } from '@tributary/testkit'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { imagesBetween, type StatementChanges, type TableState } from './row-image.ts'
import { isRefusal, openConnection, openSession, type Session, SESSIONS } from './sessions.ts'
import { changeApart, changeTogether, queryWith, rowsOf } from './statements.ts'
import type { Step } from './steps.ts'
import { historyOf, isTransactional, MARKER_TABLE, quoted, tablesIn } from './table-names.ts'

type Statement<Kind extends Step['kind']> = Extract<Step, { readonly kind: Kind }>

/**
 * Runs the statements of a history and records what they change, as the server itself returns it: the rows of each table
 * before and after each statement, with the names that the columns have at that moment.
 */
export class Truth implements AsyncDisposable {
  /** Without the marker table, in the order of the events: those of a transaction at its commit. */
  readonly changes: StatementChanges[] = []
  /** In the order of the binlog, which has an XA transaction where it was prepared, even if it is rolled back. */
  readonly logged: StatementChanges[] = []
  /** Statements that the server refused. */
  refused = 0
  executed = 0
  /** Histories (`h12`) with a table that was changed by a statement that is not in the binlog. */
  readonly unlogged: Set<string> = new Set()
  readonly #database: DatabaseServer
  readonly #schema: string
  readonly #sessions: Session[] = []
  /** For statements between those of the sessions. */
  #control: DatabaseConnection
  readonly #prepared: Prepared[] = []
  readonly #keys = new Map<string, readonly string[]>()
  readonly #globals: string[]
  #markers = 0
  #xids = 0

  private constructor(
    { database, schema, globals }: { database: DatabaseServer; schema: string; globals: readonly string[] },
    control: DatabaseConnection,
  ) {
    this.#database = database
    this.#schema = schema
    this.#globals = [...globals]
    this.#control = control
  }

  /** @param globals statements that a server needs again after its restart */
  static async open(database: DatabaseServer, schema: string, globals: readonly string[]): Promise<Truth> {
    for (const sql of globals) await database.query(sql)
    const truth = new Truth({ database, schema, globals }, await openConnection(database, schema))
    for (let i = 0; i < SESSIONS; i++) truth.#sessions.push(await openSession(database, schema, i))
    return truth
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

  /** Commits all transactions but prepared ones and writes the next marker; returns its id. */
  async mark(): Promise<number> {
    for (const session of this.#sessions) await this.#commit(session)
    this.#markers += 1
    await this.#control.query(`INSERT INTO ${MARKER_TABLE} VALUES (${this.#markers})`)
    return this.#markers
  }

  /** Ends the prepared transactions. */
  async endPrepared(): Promise<void> {
    while (this.#prepared.length > 0) await this.#endPrepared(0, null)
  }

  /** Gives each row with a key another key, so that each gets an event. Returns the tables. */
  async moveAllRows(): Promise<readonly string[]> {
    const [rows] = await this.#control.query(
      `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = '${this.#schema}' AND table_name NOT IN
        (SELECT referenced_table_name FROM information_schema.referential_constraints
         WHERE constraint_schema = '${this.#schema}') ORDER BY 1`,
    )
    const moved: string[] = []
    for (const session of this.#sessions) await this.#commit(session)
    for (const row of rows as Record<string, unknown>[]) {
      const name = String(row['name'])
      if (name === MARKER_TABLE || !(await this.#keyOf(name)).includes('id')) continue
      const sql = `UPDATE ${quoted(name)} SET id = -id ORDER BY id`
      if (await this.run({ kind: 'dml', session: 0, tables: [name], sql })) moved.push(name)
    }
    return moved
  }

  async #run(step: Step): Promise<void> {
    switch (step.kind) {
      case 'begin':
      case 'xaBegin':
        return this.#begin(this.#session(step.session), step.kind)
      case 'commit':
        return this.#commit(this.#session(step.session))
      case 'rollback':
        return this.#rollback(this.#session(step.session))
      case 'savepoint':
      case 'rollbackTo':
        return this.#savepoint(this.#session(step.session), step.kind)
      case 'xaPrepare':
        return this.#prepare(step.session)
      case 'xaEnd':
        return this.#endPrepared(0, step.by)
      case 'dml':
        return this.#change(step)
      case 'ddl':
        return this.#define(step)
      case 'script':
        return this.#script(step)
      case 'global':
        if (step.sql.startsWith('SET GLOBAL')) this.#globals.push(step.sql)
        await this.#control.query(step.sql)
        return
      case 'server':
        return this.#restart(step.how)
      default:
        return
    }
  }

  // Transactions.

  async #begin(session: Session, kind: 'begin' | 'xaBegin'): Promise<void> {
    await this.#commit(session)
    if (kind === 'xaBegin') {
      this.#xids += 1
      const xid = `'${this.#schema}${this.#xids}'`
      await session.connection.query(`XA START ${xid}`)
      session.xid = xid
    } else await session.connection.query('START TRANSACTION')
    session.pending = []
    session.savepoint = 0
  }

  async #commit(session: Session): Promise<void> {
    const { connection, xid, pending } = session
    if (pending === null) return
    if (xid !== null) await connection.query(`XA END ${xid}`)
    await connection.query(xid === null ? 'COMMIT' : `XA COMMIT ${xid} ONE PHASE`)
    this.#record(pending)
    forget(session)
  }

  async #rollback(session: Session): Promise<void> {
    const { connection, xid } = session
    if (xid !== null) await connection.query(`XA END ${xid}`)
    await connection.query(xid === null ? 'ROLLBACK' : `XA ROLLBACK ${xid}`)
    forget(session)
  }

  async #savepoint(session: Session, kind: 'savepoint' | 'rollbackTo'): Promise<void> {
    if (session.pending === null || session.xid !== null) return
    await session.connection.query(kind === 'savepoint' ? 'SAVEPOINT s' : 'ROLLBACK TO SAVEPOINT s')
    if (kind === 'savepoint') session.savepoint = session.pending.length
    else session.pending.length = session.savepoint
  }

  async #prepare(number: number): Promise<void> {
    const session = this.#session(number)
    const { connection, xid, pending } = session
    if (xid === null || pending === null || pending.length === 0) return
    await connection.query(`XA END ${xid}`)
    await connection.query(`XA PREPARE ${xid}`)
    this.logged.push(...pending)
    this.#prepared.push({ xid, changes: pending, used: new Set(session.used) })
    // MariaDB leaves a prepared transaction to other sessions once its own has ended.
    await connection.end()
    this.#sessions[number % SESSIONS] = await openSession(this.#database, this.#schema, number % SESSIONS)
  }

  async #endPrepared(index: number, by: 'COMMIT' | 'ROLLBACK' | null): Promise<void> {
    const [prepared] = this.#prepared.splice(index, 1)
    if (prepared === undefined) return
    const action = by ?? (/[05]'$/.test(prepared.xid) ? 'ROLLBACK' : 'COMMIT')
    await this.#control.query(`XA ${action} ${prepared.xid}`)
    if (action === 'COMMIT') this.changes.push(...prepared.changes)
  }

  /** Ends what would make the statement wait for a lock. */
  async #release(tables: readonly string[], except: Session): Promise<void> {
    const uses = (used: ReadonlySet<string>): boolean => tables.some((table) => used.has(table))
    for (let i = this.#prepared.length - 1; i >= 0; i--)
      if (uses(this.#prepared[i]?.used ?? new Set())) await this.#endPrepared(i, null)
    for (const session of this.#sessions)
      if (session !== except && session.pending !== null && uses(session.used)) await this.#commit(session)
  }

  #record(changes: readonly StatementChanges[]): void {
    this.changes.push(...changes)
    this.logged.push(...changes)
  }

  // Statements.

  async #change({ session: number, tables, sql, set = {}, file }: Statement<'dml'>): Promise<void> {
    const session = this.#session(number)
    for (let i = this.#prepared.length - 1; i >= 0; i--)
      if (tables.some((table) => this.#prepared[i]?.used.has(table))) await this.#endPrepared(i, null)
    if (file !== undefined) await writeFile(join(this.#database.dataFolder, 'rows.txt'), file)
    for (const table of [...tables, ...tablesIn(sql)]) session.used.add(table)
    const keys: (readonly string[])[] = []
    for (const table of tables) keys.push(await this.#keyOf(table))
    const isAtOnce = session.pending === null || !tables.every(isTransactional)
    const isPartial = 'binlog_row_image' in set
    const run = tables.every(isTransactional) ? changeTogether : changeApart
    await run(session.connection, { tables, sql, set }, (before, after) => {
      const images = tables.flatMap((table, i) => {
        const state: TableState = { table, rows: before[i] ?? [], key: keys[i] ?? [] }
        return imagesBetween(state, after[i] ?? [], isPartial)
      })
      if (images.length > 0 && isAtOnce) this.#record([{ images }])
      else if (images.length > 0) session.pending?.push({ images })
    })
  }

  async #define({ session: number, sql, isLogged, fills, set = {} }: Statement<'ddl'>): Promise<void> {
    const session = this.#session(number)
    const { connection } = session
    const tables = tablesIn(sql)
    await this.#commit(session)
    await this.#release(tables, session)
    for (const table of tables) this.#keys.delete(table)
    await queryWith(connection, isLogged ? set : { ...set, sql_log_bin: '0' }, [sql])
    if (!isLogged) for (const table of tables) this.unlogged.add(historyOf(table))
    if (!isLogged || fills === undefined) return
    const key = await this.#keyOf(fills)
    const images = imagesBetween({ table: fills, rows: [], key }, await rowsOf(connection, fills))
    if (images.length > 0) this.#record([{ images }])
  }

  async #script({ session: number, statements }: Statement<'script'>): Promise<void> {
    const session = this.#session(number)
    await this.#commit(session)
    await this.#release(tablesIn(statements.join('; ')), session)
    const last = present(statements.at(-1), 'a script has statements')
    try {
      for (const sql of statements.slice(0, -1)) await session.connection.query(sql)
    } finally {
      await session.connection.query(last)
    }
  }

  /** Open transactions are lost, prepared ones remain. */
  async #restart(how: 'stop' | 'kill'): Promise<void> {
    for (const { connection } of this.#sessions) connection.destroy()
    this.#control.destroy()
    if (how === 'kill') await this.#database.kill('SIGKILL')
    else await this.#database.stop()
    await this.#database.start()
    for (const sql of this.#globals) await this.#database.query(sql)
    this.#control = await openConnection(this.#database, this.#schema)
    for (let i = 0; i < SESSIONS; i++) this.#sessions[i] = await openSession(this.#database, this.#schema, i)
  }

  /** Columns of the primary key, as the server returns them. */
  async #keyOf(table: string): Promise<readonly string[]> {
    const known = this.#keys.get(table)
    if (known !== undefined) return known
    const [rows] = await this.#control.query(`SHOW KEYS FROM ${quoted(table)} WHERE Key_name = 'PRIMARY'`)
    const key = (rows as Record<string, unknown>[])
      .map((row) => String(row['Column_name']))
      .filter((name) => name !== 'row_end')
    this.#keys.set(table, key)
    return key
  }

  #session(number: number): Session {
    return present(this.#sessions[number % SESSIONS], 'a session')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { connection } of this.#sessions) connection.destroy()
    this.#control.destroy()
    await Promise.resolve()
  }
}

/** An XA transaction between XA PREPARE and its end. */
interface Prepared {
  readonly xid: string
  readonly changes: readonly StatementChanges[]
  readonly used: ReadonlySet<string>
}

function forget(session: Session): void {
  session.pending = null
  session.xid = null
  session.used.clear()
}
