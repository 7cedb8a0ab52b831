import { StoppedError } from '@tributary/support'
import { readServerError } from '../commands/server-error.ts'
import type { MySqlConnection } from '../connection/mysql-connection.ts'
import type { PacketReader } from '../connection/packet-reader.ts'
import type { RawExchange } from '../connection/raw-exchange.ts'
import { readLengthEncoded } from '../types/length-encoded.ts'
import type { TextRowCodec } from './text-row-codec.ts'

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
  static async open(connection: MySqlConnection, sql: string, doing: string, signal?: AbortSignal): Promise<RowStream> {
    const exchange = connection.exchange()
    const stream = new RowStream(connection, exchange, doing)
    try {
      exchange.command(COM_QUERY, Buffer.from(sql))
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

  async #packet(signal: AbortSignal | undefined): Promise<void> {
    while (!this.#packets.next()) await this.#packets.wait(signal)
  }

  /** True after the last row was returned. */
  get isDone(): boolean {
    return this.#isDone
  }

  /** The next row if it has arrived; null when it has not, or after the last row (`isDone`). */
  next<T>(codec: TextRowCodec<T>): (T | null)[] | null {
    const packets = this.#packets
    try {
      if (this.#isDone || !packets.next()) return null
      const { bytes, start, end } = packets
      if (isEnd(packets)) return this.#finish()
      if (bytes[start] === ERR_PACKET) throw readServerError(bytes, start, end)
      this.bytesRead += end - start
      return codec.read(bytes, start, end)
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
const ERR_PACKET = 0xff
/** EOF: 0xfe · int<2> warnings · int<2> status. A row that begins with 0xfe has a value of 16 MiB or more. */
const EOF_PACKET = 0xfe
const EOF_BYTES = 5
/** Of a table. */
const COLUMNS_MAX = 4_096

function isEnd({ bytes, start, end }: PacketReader): boolean {
  return bytes[start] === EOF_PACKET && end - start === EOF_BYTES
}
