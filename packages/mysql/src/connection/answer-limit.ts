import type { Connection } from 'mysql2'
import { internalsOf } from './driver-internals.ts'

/** The size of an answer that is read into memory as a whole. */
interface Limits {
  readonly bytes: number
  /** A packet is a column, a row, or a few bytes around them. */
  readonly packets: number
  /** What a packet is mostly, for messages. */
  readonly unit: 'packets' | 'rows'
}

/** Greeting, certificates and a few messages. */
const LOGIN: Limits = { bytes: 1 << 20, packets: 100, unit: 'packets' }
/** Definitions and positions of a server with hundreds of thousands of tables. Rows are read by RowStream. */
const STATEMENT: Limits = { bytes: 128 << 20, packets: 1_000_000, unit: 'rows' }
/**
 * Ends a connection whose server answers without end: mysql2 collects the rows of an answer, and the parts of a packet,
 * until it is complete.
 */
export class AnswerLimit {
  /** Called once, with the reason. */
  onExceeded: (reason: string) => void = () => undefined
  #limits: Limits = LOGIN
  #bytes = 0
  #packets = 0
  #isOver = false

  private constructor() {}

  /** Watches a connection that is not logged in yet. */
  static watch(connection: Connection): AnswerLimit {
    const limit = new AnswerLimit()
    const internals = internalsOf(connection)
    const parser = internals.packetParser
    const onPacket = parser.onPacket.bind(parser)
    parser.onPacket = (packet) => {
      limit.#count(0, 1)
      if (!limit.#isOver) onPacket(packet)
    }
    // The driver looks the parser up for each chunk, and the parser its own method: `execute` changes with its state.
    internals.packetParser = {
      onPacket,
      execute: (data) => {
        limit.#count(data.length, 0)
        if (!limit.#isOver) parser.execute(data)
      },
    }
    return limit
  }

  /** The answer to a statement follows. */
  begin(): void {
    this.#limits = STATEMENT
    this.#bytes = 0
    this.#packets = 0
  }

  #count(bytes: number, packets: number): void {
    this.#bytes += bytes
    this.#packets += packets
    const { bytes: bytesMax, packets: packetsMax, unit } = this.#limits
    if (this.#isOver || (this.#bytes <= bytesMax && this.#packets <= packetsMax)) return
    const isBytes = this.#bytes > bytesMax
    this.#exceed(isBytes ? `it has more than ${bytesMax >> 20} MiB` : `it has more than ${packetsMax} ${unit}`)
  }

  #exceed(reason: string): void {
    if (this.#isOver) return
    this.#isOver = true
    this.onExceeded(reason)
  }
}
