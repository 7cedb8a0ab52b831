import { assert } from '@tributary/support'
import type { Connection } from 'mysql2'
import { internalsOf, type DriverInternals } from './driver-internals.ts'
import { PacketReader } from './packet-reader.ts'
import { ReadBlocks } from './read-blocks.ts'

/**
 * A mysql2 connection whose bytes are read by us for a while: for the binlog dump, which mysql2 cannot do as fast as it is
 * needed, and for large result sets. Login, TLS and plain statements stay mysql2's.
 *
 * While the exchange is open no statement may be run through mysql2. After `release` the connection is mysql2's again; that
 * is allowed only when the server's answer has been read to its end.
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
    this.#driver.packetParser = { execute: (data) => this.packets.push(data) }
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
    this.#driver.write(packet)
  }

  release(): void {
    assert(this.packets.isDrained, 'a raw exchange is released before its answer was read to the end')
    this.#connection.off('error', this.#onError)
    this.#driver.packetParser = this.#parser
    if (this.#driver.stream.isPaused()) this.#driver.stream.resume()
  }
}

/** Gives bytes to whoever parses when they arrive: behind an exchange that is mysql2 again. Not a closure of the exchange: it lives as long as the socket. */
function blocksOf(driver: DriverInternals): ReadBlocks | null {
  return ReadBlocks.of(driver.stream, (bytes) => driver.packetParser.execute(bytes))
}
