import type { Connection, ConnectionOptions } from 'mysql2/promise'
import { KeptConnection } from './kept-connection.ts'
import type { Row } from './kept-connection.ts'
import { runProgram } from '../process/run-program.ts'
import type { ProgramResult, RunOptions } from '../process/run-program.ts'
import type { Command, DatabasePrograms } from './database-programs.ts'

export interface DatabaseAccount {
  readonly user: string
  readonly password: string
}

/** The accounts of every test server; `debezium` has only the privileges for change data capture. */
export const databaseAccounts: Readonly<Record<'root' | 'debezium' | 'mysqluser', DatabaseAccount>> = {
  root: { user: 'root', password: '' },
  debezium: { user: 'debezium', password: 'dbz' },
  mysqluser: { user: 'mysqluser', password: 'mysqlpw' },
}

export type DatabaseUser = keyof typeof databaseAccounts | DatabaseAccount

/** Queries and client programs for a running server. */
export class DatabaseClient {
  readonly #programs: DatabasePrograms
  readonly #port: number
  readonly #kept = new Map<string, KeptConnection>()

  constructor(programs: DatabasePrograms, port: number) {
    this.#programs = programs
    this.#port = port
  }

  /**
   * Runs the statements and returns the rows of the last one that has a result set; an empty array if there is none.
   * There is one connection per user, so session state (`USE`, `SET`, an open transaction) lasts from query to query.
   * An idle connection does not keep the process alive.
   */
  async query(sql: string, user: DatabaseUser = 'root'): Promise<Row[]> {
    const account = accountOf(user)
    const key = `${account.user} ${account.password}`
    let connection = this.#kept.get(key)
    if (connection?.isOpen !== true) {
      connection = await KeptConnection.open(this.#options(account))
      this.#kept.set(key, connection)
    }
    return connection.query(sql)
  }

  /** Opens a new connection, which the caller must end: for concurrent sessions. */
  async connect(user: DatabaseUser = 'root', options: ConnectionOptions = {}): Promise<Connection> {
    const { createConnection } = await import('mysql2/promise')
    return createConnection({ ...this.#options(accountOf(user)), ...options })
  }

  /** Runs the server's own client program as root; a `-u` in the arguments overrides the user. */
  cli(args: readonly string[], options: RunOptions = {}): Promise<ProgramResult> {
    return run(this.clientCommand(args), options)
  }

  /** The command that `cli` runs, to be shown to a user. */
  clientCommand(args: readonly string[]): Command {
    return this.#programs.client([...this.#connectionArgs(), '--default-character-set=utf8mb4', ...args])
  }

  /** Runs the server's own binlog printer, on files, or on the server's binlogs with `--read-from-remote-server`. */
  mysqlbinlog(args: readonly string[], options: RunOptions = {}): Promise<ProgramResult> {
    const isRemote = args.some((arg) => arg === '-R' || arg.startsWith('--read-from-remote'))
    return run(this.#programs.binlogPrinter([...(isRemote ? this.#connectionArgs() : []), ...args]), options)
  }

  /** Closes the connections of `query`; the next query opens a new one. */
  disconnect(): void {
    for (const connection of this.#kept.values()) connection.close()
    this.#kept.clear()
  }

  #connectionArgs(): string[] {
    return [`--host=${HOST}`, `--port=${this.#port}`, '--user=root']
  }

  #options(account: DatabaseAccount): ConnectionOptions {
    const values = { charset: 'utf8mb4', supportBigNumbers: true, dateStrings: true }
    return { host: HOST, port: this.#port, ...account, ...values, multipleStatements: true }
  }
}

const HOST = '127.0.0.1'

function accountOf(user: DatabaseUser): DatabaseAccount {
  return typeof user === 'string' ? databaseAccounts[user] : user
}

function run({ program, args }: Command, options: RunOptions): Promise<ProgramResult> {
  return runProgram(program, args, options)
}
