import { StoppedError } from '@tributary/support'
import { readServerError } from '../commands/server-error.ts'
import type { MySqlConnection } from '../connection/mysql-connection.ts'
import type { PacketReader } from '../connection/packet-reader.ts'
import type { RawExchange } from '../connection/raw-exchange.ts'
import { readLengthEncoded } from '../types/length-encoded.ts'
import { ERR_PACKET, isEnd, packetOf } from './result-packets.ts'
import type { PreparedSelect } from './prepared-select.ts'
import type { RowReader } from './row-reader.ts'

/**
 * The rows of a SELECT, read while the server sends them. Rows stay in the socket until they are requested, so a large
 * table needs no more memory than a small one. Meanwhile the server waits, which its net_write_timeout must permit.
 *
 * Response to COM_QUERY (protocol page "Text Resultset"): number of columns · column definitions · EOF · rows · EOF.
 */
export class RowStream implements AsyncDisposable {
  readonly #connection: MySqlConnection
  readonly #exchange: RawExchange
  readonly #packets: PacketReader
  readonly #doing: string
  #isDone = false
  /** Bytes of all rows so far. */
  bytesRead = 0

  private constructor(connection: MySqlConnection, exchange: RawExchange, doing: string) {
    this.#connection = connection
    this.#exchange = exchange
    this.#packets = exchange.packets
    this.#doing = doing
  }

  /** Sends the statement and reads up to the first row. `doing` describes it in messages: “reading table a.b”. */
  static open(connection: MySqlConnection, sql: string, doing: string, signal?: AbortSignal): Promise<RowStream> {
    return RowStream.#run(connection, { code: COM_QUERY, payload: Buffer.from(sql) }, doing, signal)
  }

  /** Runs a prepared statement: its rows are binary (`BinaryRowCodec`). */
  static execute(
    connection: MySqlConnection,
    { statementId }: Pick<PreparedSelect, 'statementId'>,
    doing: string,
    signal?: AbortSignal,
  ): Promise<RowStream> {
    // int<4> statement · int<1> flags: no cursor · int<4> iterations, always 1. There are no parameters.
    const payload = Buffer.alloc(9)
    payload.writeUInt32LE(statementId, 0)
    payload.writeUInt32LE(1, 5)
    return RowStream.#run(connection, { code: COM_STMT_EXECUTE, payload }, doing, signal)
  }

  static async #run(
    connection: MySqlConnection,
    { code, payload }: { readonly code: number; readonly payload: Buffer },
    doing: string,
    signal: AbortSignal | undefined,
  ): Promise<RowStream> {
    const exchange = connection.exchange()
    const stream = new RowStream(connection, exchange, doing)
    try {
      exchange.command(code, payload)
      await stream.#readColumns(signal)
      return stream
    } catch (error) {
      // Unless the response was an error, its rest is unread, and the connection cannot be used any more.
      if (stream.#isDone) exchange.release()
      else await connection.close()
      throw connection.wrap(error, doing)
    }
  }

  async #readColumns(signal: AbortSignal | undefined): Promise<void> {
    const packets = this.#packets
    await this.#packet(signal)
    if (packets.bytes[packets.start] === ERR_PACKET) {
      this.#isDone = true
      throw readServerError(packets.bytes, packets.start, packets.end)
    }
    const cursor = { at: packets.start }
    const count = readLengthEncoded(packets.bytes, cursor)
    if (count === 0 || count > COLUMNS_MAX || cursor.at !== packets.end) {
      throw new RangeError('the answer does not begin with a number of columns')
    }
    // One packet per column, and an EOF after them: the driver does not set CLIENT_DEPRECATE_EOF.
    for (let i = 0; i < count; i++) await this.#packet(signal)
    await this.#packet(signal)
    if (!isEnd(packets)) throw new RangeError('the columns of the answer do not end where they have to')
  }

  #packet(signal: AbortSignal | undefined): Promise<void> {
    return packetOf(this.#packets, signal)
  }

  /** True after the last row was returned. */
  get isDone(): boolean {
    return this.#isDone
  }

  /** The next row if it has arrived; null when it has not, or after the last row (`isDone`). */
  next<T>(reader: RowReader<T>): (T | null)[] | null {
    const packets = this.#packets
    try {
      if (this.#isDone || !packets.next()) return null
      const { bytes, start, end } = packets
      if (isEnd(packets)) return this.#finish()
      if (bytes[start] === ERR_PACKET) throw readServerError(bytes, start, end)
      this.bytesRead += end - start
      return reader.read(bytes, start, end)
    } catch (thrown) {
      throw this.#connection.wrap(thrown, this.#doing)
    }
  }

  #finish(): null {
    if (!this.#packets.isDrained) throw new RangeError('the answer continues after its end')
    this.#isDone = true
    this.#exchange.release()
    return null
  }

  /** Waits until `next` may return a row. */
  async wait(signal?: AbortSignal): Promise<void> {
    try {
      await this.#packets.wait(signal)
    } catch (error) {
      throw error instanceof StoppedError ? error : this.#connection.wrap(error, this.#doing)
    }
  }

  /** Closes the connection of a stream that was not read to its end. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#isDone) await this.#connection.close()
  }
}

const COM_QUERY = 0x03
const COM_STMT_EXECUTE = 0x17
/** Of a table. */
const COLUMNS_MAX = 4_096
