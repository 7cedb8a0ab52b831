import { connect } from 'node:net'
import type { Socket } from 'node:net'
import type { Connection, ConnectionOptions } from 'mysql2/promise'

/** Column name → value. Temporal values, decimals and integers beyond 2^53 are text. */
export type Row = Record<string, unknown>

/**
 * A connection that stays open between queries. It keeps the process alive only while a query runs, so that a test file
 * ends even if it does not close the connection.
 */
export class KeptConnection {
  readonly #socket: Socket
  readonly #connection: Connection
  #running = 0
  #isOpen = true

  private constructor(socket: Socket, connection: Connection) {
    this.#socket = socket
    this.#connection = connection
    const onEnd = (): void => {
      this.#isOpen = false
    }
    connection.on('error', onEnd)
    socket.on('close', onEnd)
    socket.unref()
  }

  static async open({ host = '127.0.0.1', port = 0, ...options }: ConnectionOptions): Promise<KeptConnection> {
    // Most tests use no database, and should not load its driver.
    const { createConnection } = await import('mysql2/promise')
    const socket = connect({ host, port, noDelay: true })
    return new KeptConnection(socket, await createConnection({ ...options, stream: socket }))
  }

  /** False after the server, the network or `close` has ended it. */
  get isOpen(): boolean {
    return this.#isOpen
  }

  /**
   * Runs the statements and returns the rows of the last one that has a result set; an empty array if there is none.
   */
  async query(sql: string): Promise<Row[]> {
    this.#running += 1
    this.#socket.ref()
    try {
      const [results, fields] = await this.#connection.query({ sql })
      return lastRows(results, fields)
    } finally {
      this.#running -= 1
      if (this.#running === 0) this.#socket.unref()
    }
  }

  close(): void {
    this.#isOpen = false
    this.#connection.destroy()
  }
}

/**
 * For one statement mysql2 returns its rows and its fields, for several an array of rows and an array of fields. The
 * fields of a statement without a result set are undefined.
 */
function lastRows(results: unknown, fields: unknown): Row[] {
  if (!Array.isArray(fields) || !Array.isArray(results)) return []
  const isSeveral = fields.some((item) => item === undefined || Array.isArray(item))
  if (!isSeveral) return results as Row[]
  const last = fields.findLastIndex((item) => item !== undefined)
  return last === -1 ? [] : (results[last] as Row[])
}
