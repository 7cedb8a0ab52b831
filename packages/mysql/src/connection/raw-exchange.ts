import { assert } from '@tributary/support'
import type { Connection } from 'mysql2'
import { internalsOf, type DriverInternals } from './driver-internals.ts'
import { PacketReader } from './packet-reader.ts'
import { ReadBlocks } from './read-blocks.ts'

/**
 * Takes the bytes of a mysql2 connection over, for the binlog dump and for large result sets, which mysql2 reads too
 * slowly. mysql2 still does login, TLS and plain statements.
 *
 * While the exchange is open, mysql2 must not run a statement. `release` returns the connection to mysql2; call it only
 * when the server's answer has been read to its end.
 */
export class RawExchange {
  readonly packets: PacketReader
  readonly #driver: DriverInternals
  readonly #parser: DriverInternals['packetParser']
  readonly #connection: Connection
  readonly #onError: (error: Error) => void

  constructor(connection: Connection) {
    this.#connection = connection
    this.#driver = internalsOf(connection)
    this.#parser = this.#driver.packetParser
    const { stream } = this.#driver
    this.packets = new PacketReader(stream, blocksOf(this.#driver))
    this.#driver.packetParser = { execute: (data) => this.packets.push(data), onPacket: () => undefined }
    this.#onError = (error) => this.packets.fail(error)
    connection.on('error', this.#onError)
  }

  /** Sends a command: its byte and its payload, as packet 0 of a new exchange. */
  command(code: number, payload: Uint8Array): void {
    const packet = Buffer.allocUnsafe(5 + payload.length)
    packet.writeUIntLE(payload.length + 1, 0, 3)
    packet[3] = 0
    packet[4] = code
    packet.set(payload, 5)
    this.packets.begin()
    this.#driver.write(packet)
  }

  release(): void {
    assert(this.packets.isDrained, 'a raw exchange is released before its answer is read to the end')
    this.#connection.off('error', this.#onError)
    this.#driver.packetParser = this.#parser
    if (this.#driver.stream.isPaused()) this.#driver.stream.resume()
  }
}

/**
 * The blocks live as long as the socket, so their callback looks the parser up for each chunk: that of the open
 * exchange, or mysql2's. A closure over the exchange would keep the first one for ever.
 */
function blocksOf(driver: DriverInternals): ReadBlocks | null {
  return ReadBlocks.of(driver.stream, (bytes) => driver.packetParser.execute(bytes))
}
