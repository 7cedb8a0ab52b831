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

/** A running database server, of this process or of the test runner. */
export interface Database {
  readonly flavor: Flavor
  readonly host: string
  readonly port: number
  /** The result of `SELECT VERSION()`. */
  readonly version: string
  /** Contains its binlogs (`binlog.000001`, …) and, for MySQL, its certificates (`ca.pem`). */
  readonly dataFolder: string
  /**
   * Runs the statements and returns the rows of the last one that has a result set. There is one connection per user,
   * so session state lasts from query to query. Temporal values, decimals and integers beyond 2^53 are text.
   */
  query(sql: string, user?: DatabaseUser): Promise<Row[]>
  /** Opens a new connection, which the caller must end. */
  connect(user?: DatabaseUser, options?: ConnectionOptions): Promise<Connection>
  /** Runs the server's own client program as root. */
  cli(args: readonly string[], options?: RunOptions): Promise<ProgramResult>
  /** The command that `cli` runs, to be shown to a user. */
  clientCommand(args: readonly string[]): Command
  /** Runs the server's own binlog printer, on files, or on the server's binlogs with `--read-from-remote-server`. */
  mysqlbinlog(args: readonly string[], options?: RunOptions): Promise<ProgramResult>
}

export interface DatabaseServerOptions {
  readonly programs: DatabasePrograms
  /** Removed on disposal; its subfolder `data` is the data folder. */
  readonly folder: TemporaryFolder
  readonly port: number
  /** Arguments of the server besides data folder and port. */
  readonly args: readonly string[]
}

/**
 * A throw-away database server of this process. It keeps its port and data when it is stopped or killed and started
 * again.
 */
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

  /**
   * The process id.
   *
   * @throws SERVER_IS_DOWN
   */
  get pid(): number {
    if (this.#process?.isRunning) return this.#process.pid
    throw testkitErrors.SERVER_IS_DOWN({ server: this.#name, operation: 'asking for its process id' })
  }

  /** Sends the signal. For SIGKILL, also waits for the end of the process. */
  async kill(signal: NodeJS.Signals): Promise<void> {
    await this.#process?.kill(signal)
    if (signal === 'SIGKILL') this.#client.disconnect()
  }

  /** Shuts the server down and waits for its end. */
  async stop(): Promise<void> {
    this.#client.disconnect()
    await this.#process?.stop()
  }

  /** Starts the server again on the same port and data, and waits until it answers; no effect while it runs. */
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
      // The caller retries until the server answers or ends, or the time is up.
      return false
    }
  }

  get #name(): string {
    return this.#options.programs.productName
  }
}
