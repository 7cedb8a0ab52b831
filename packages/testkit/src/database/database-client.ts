import { createConnection } from 'mysql2/promise'
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

/** The accounts of every server of the tests; `debezium` has the privileges of change data capture only. */
export const databaseAccounts: Readonly<Record<'root' | 'debezium' | 'mysqluser', DatabaseAccount>> = {
  root: { user: 'root', password: '' },
  debezium: { user: 'debezium', password: 'dbz' },
  mysqluser: { user: 'mysqluser', password: 'mysqlpw' },
}

export type DatabaseUser = keyof typeof databaseAccounts | DatabaseAccount

/** Queries and the client programs of one server, which somebody else starts and stops. */
export class DatabaseClient {
  readonly #programs: DatabasePrograms
  readonly #port: number
  readonly #kept = new Map<string, KeptConnection>()

  constructor(programs: DatabasePrograms, port: number) {
    this.#programs = programs
    this.#port = port
  }

  /**
   * The rows of the last of the statements that gives any; none when none does. One kept connection per user, so session
   * state (`USE`, `SET`, an open transaction) stays; an idle one does not keep the process alive.
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

  /** A connection of the caller's own; it ends it. For sessions that run beside each other. */
  connect(user: DatabaseUser = 'root', options: ConnectionOptions = {}): Promise<Connection> {
    return createConnection({ ...this.#options(accountOf(user)), ...options })
  }

  /** Runs the server's own client program as root. A later `-u` in the arguments wins. */
  cli(args: readonly string[], options: RunOptions = {}): Promise<ProgramResult> {
    return run(this.clientCommand(args), options)
  }

  /** How `cli` calls the client program, for a person who wants to. */
  clientCommand(args: readonly string[]): Command {
    return this.#programs.client([...this.#connectionArgs(), '--default-character-set=utf8mb4', ...args])
  }

  /** Runs the server's own binlog printer, on files or with `--read-from-remote-server` on what the server holds. */
  mysqlbinlog(args: readonly string[], options: RunOptions = {}): Promise<ProgramResult> {
    const isRemote = args.some((arg) => arg === '-R' || arg.startsWith('--read-from-remote'))
    return run(this.#programs.binlogPrinter([...(isRemote ? this.#connectionArgs() : []), ...args]), options)
  }

  /** Ends the kept connections; the next query opens new ones. */
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
