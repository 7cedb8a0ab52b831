import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { createConnection } from 'mysql2/promise'
import type { Connection, ConnectionOptions } from 'mysql2/promise'

/** Values as mysql2 gives them: temporal values and decimals as text, 64-bit integers beyond 2^53 as text. */
export type Row = Record<string, unknown>

/**
 * A connection that is kept between queries. It keeps the process alive only while a query runs, so that a test file that
 * forgets to close it still ends.
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
    const socket = connect({ host, port, noDelay: true })
    return new KeptConnection(socket, await createConnection({ ...options, stream: socket }))
  }

  /** False once the server or the network has ended it. */
  get isOpen(): boolean {
    return this.#isOpen
  }

  /** The rows of the last statement that gives any; none when none does. */
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
 * mysql2 gives for one statement its rows and its fields, for several an array of each; the fields of a statement without
 * rows are undefined.
 */
function lastRows(results: unknown, fields: unknown): Row[] {
  if (!Array.isArray(fields) || !Array.isArray(results)) return []
  const isSeveral = fields.some((item) => item === undefined || Array.isArray(item))
  if (!isSeveral) return results as Row[]
  const last = fields.findLastIndex((item) => item !== undefined)
  return last === -1 ? [] : (results[last] as Row[])
}
