import { join } from 'node:path'
import type { Connection, ConnectionOptions } from 'mysql2/promise'
import { testkitErrors } from '../errors.ts'
import { ServerProcess } from '../process/server-process.ts'
import type { ProgramResult, RunOptions } from '../process/run-program.ts'
import type { TemporaryFolder } from '../process/temporary-folder.ts'
import { DatabaseClient } from './database-client.ts'
import type { DatabaseUser } from './database-client.ts'
import type { Command, DatabasePrograms, Flavor } from './database-programs.ts'
import type { Row } from './kept-connection.ts'

/** A connection of mysql2, with promises. */
export type DatabaseConnection = Connection

/** A running database server, whoever started it. */
export interface Database {
  readonly flavor: Flavor
  readonly host: string
  readonly port: number
  /** As `SELECT VERSION()` gives it. */
  readonly version: string
  /** Where its binlogs are (`binlog.000001`, …) and, of MySQL, its certificates (`ca.pem`). */
  readonly dataFolder: string
  /**
   * The rows of the last statement that gives any. One connection per user is kept: session state stays from query to query.
   * Values: temporal ones and decimals as text, integers beyond 2^53 as text.
   */
  query(sql: string, user?: DatabaseUser): Promise<Row[]>
  /** A connection of the caller's own, who ends it. */
  connect(user?: DatabaseUser, options?: ConnectionOptions): Promise<Connection>
  /** Runs the server's own client program as root. */
  cli(args: readonly string[], options?: RunOptions): Promise<ProgramResult>
  /** How `cli` calls the client program, for a person who wants to. */
  clientCommand(args: readonly string[]): Command
  /** Runs the server's own binlog printer, on files or with `--read-from-remote-server`. */
  mysqlbinlog(args: readonly string[], options?: RunOptions): Promise<ProgramResult>
}

export interface DatabaseServerOptions {
  readonly programs: DatabasePrograms
  /** Removed on disposal; its `data` is the data folder. */
  readonly folder: TemporaryFolder
  readonly port: number
  /** Arguments of the server besides data folder and port. */
  readonly args: readonly string[]
}

/** A throw-away database server of this process. It keeps its port and data over stop, kill and start. */
export class DatabaseServer implements Database, AsyncDisposable {
  readonly flavor: Flavor
  readonly host = '127.0.0.1'
  readonly port: number
  readonly dataFolder: string
  readonly logFile: string
  readonly #options: DatabaseServerOptions
  readonly #client: DatabaseClient
  #process: ServerProcess | undefined
  #version = ''

  constructor(options: DatabaseServerOptions) {
    this.flavor = options.programs.flavor
    this.port = options.port
    this.dataFolder = join(options.folder.path, 'data')
    this.logFile = join(options.folder.path, 'server.log')
    this.#options = options
    this.#client = new DatabaseClient(options.programs, options.port)
  }

  get version(): string {
    return this.#version
  }

  get isRunning(): boolean {
    return this.#process?.isRunning ?? false
  }

  /** The process id; SERVER_IS_DOWN when it does not run. */
  get pid(): number {
    if (this.#process?.isRunning) return this.#process.pid
    throw testkitErrors.SERVER_IS_DOWN({ server: this.#name, operation: 'asking for its process id' })
  }

  /** SIGKILL waits for the end; other signals (SIGTERM, SIGSTOP, SIGCONT) are only sent. */
  async kill(signal: NodeJS.Signals): Promise<void> {
    await this.#process?.kill(signal)
    if (signal === 'SIGKILL') this.#client.disconnect()
  }

  /** Shuts it down in order and waits for that. */
  async stop(): Promise<void> {
    this.#client.disconnect()
    await this.#process?.stop()
  }

  /** Starts it, on the same port and data, and waits until it answers. No effect while it runs. More arguments win over the old. */
  async start(moreArgs: readonly string[] = []): Promise<void> {
    if (this.isRunning) return
    await this.#process?.waitForEnd()
    this.#client.disconnect()
    const { programs, args } = this.#options
    this.#process = await ServerProcess.start({
      name: this.#name,
      ...programs.server([`--datadir=${this.dataFolder}`, `--port=${this.port}`, ...args, ...moreArgs]),
      logFile: this.logFile,
      isReady: () => this.#answers(),
    })
  }

  query(sql: string, user?: DatabaseUser): Promise<Row[]> {
    return this.#client.query(sql, user)
  }

  connect(user?: DatabaseUser, options?: ConnectionOptions): Promise<Connection> {
    return this.#client.connect(user, options)
  }

  cli(args: readonly string[], options?: RunOptions): Promise<ProgramResult> {
    return this.#client.cli(args, options)
  }

  clientCommand(args: readonly string[]): Command {
    return this.#client.clientCommand(args)
  }

  mysqlbinlog(args: readonly string[], options?: RunOptions): Promise<ProgramResult> {
    return this.#client.mysqlbinlog(args, options)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill('SIGKILL')
    await this.#options.folder[Symbol.asyncDispose]()
  }

  async #answers(): Promise<boolean> {
    try {
      const [row] = await this.query('SELECT VERSION() AS version')
      this.#version = String(row?.['version'])
      return true
    } catch {
      // Whatever it is, the caller asks again until the server answers, ends or time is up.
      return false
    }
  }

  get #name(): string {
    return this.#options.programs.productName
  }
}
