import { crc32 } from '@node-rs/crc32'
import { uint32 } from './uint32.ts'

/**
 * Checks the events that stand one behind the other in a buffer by one sum over all of them. Events of small transactions have some tens
 * of bytes: one by one most of the time goes into tables and calls.
 *
 * An event with its own checksum behind it leaves CRC-32 in a state that is the same for all events. What stands between two of them, the
 * packet's header and the 0x00 of an event, is five bytes: while the sum is made, they are those that lead from that state to the one
 * that a sum begins in. So the state at the end is that of a right event if all are. A wrong one changes all that comes behind it, and is
 * missed once in 2^32 times, as by its own sum. (Of a sum over so many bytes CRC-32 promises to find any two wrong bits; over one short event, three.)
 *
 * Which of them is wrong it does not say: then they are looked at one by one, as are events that carry no checksum.
 */
export class ChecksumRun {
  /** Events from the next on that are known to be right. */
  #rightCount = 0
  /** Events from the next on that no sum is made over, since it was made and was not right. */
  #doubtfulCount = 0
  /** Of the run: the headers of the packets behind the first event, as 32-bit words, where they stand, and where the last one ends. */
  readonly #headers = new Uint32Array(EVENTS_MAX)
  readonly #headerPlaces = new Int32Array(EVENTS_MAX)
  #runEnd = 0

  /**
   * Whether the event `bytes[start, end)`, with its checksum, is known to be right; false says nothing. Has to be asked for each event,
   * in order: `bytes` from `end` on are the packets that follow. Writes between their events, and puts back what stood there before it ends.
   */
  covers(bytes: Buffer, start: number, end: number): boolean {
    if (this.#rightCount > 0) {
      this.#rightCount -= 1
      return true
    }
    if (this.#doubtfulCount > 0) {
      this.#doubtfulCount -= 1
      return false
    }
    const count = this.#find(bytes, start, end)
    if (count < EVENTS_MIN) return false
    const isRight = this.#sum(bytes, start, count) === RIGHT
    if (isRight) this.#rightCount = count - 1
    else this.#doubtfulCount = count - 1
    return isRight
  }

  /** Finds the whole events behind the one that ends there; gives their number, itself included. */
  #find(bytes: Buffer, start: number, end: number): number {
    const endMax = Math.min(bytes.length, start + BYTES_MAX)
    let count = 1
    let at = end
    while (at + BETWEEN <= endMax && count < EVENTS_MAX) {
      const header = uint32(bytes, at)
      const length = header & PAYLOAD_LENGTH
      const next = at + PACKET_HEADER_BYTES + length
      if (length < PAYLOAD_BYTES_MIN || next > endMax || bytes[at + PACKET_HEADER_BYTES] !== EVENT_PACKET) break
      this.#headers[count] = header
      this.#headerPlaces[count] = at
      count += 1
      at = next
    }
    this.#runEnd = at
    return count
  }

  #sum(bytes: Buffer, start: number, count: number): number {
    const places = this.#headerPlaces
    for (let i = 1; i < count; i++) restart(bytes, places[i] as number)
    try {
      return crc32(bytes.subarray(start, this.#runEnd))
    } finally {
      this.#restore(bytes, count)
    }
  }

  #restore(bytes: Buffer, count: number): void {
    for (let i = 1; i < count; i++) {
      const at = this.#headerPlaces[i] as number
      const header = this.#headers[i] as number
      bytes[at] = header & 0xff
      bytes[at + 1] = (header >>> 8) & 0xff
      bytes[at + 2] = (header >>> 16) & 0xff
      bytes[at + 3] = header >>> 24
      bytes[at + PACKET_HEADER_BYTES] = EVENT_PACKET
    }
  }
}

/** int<3> length · int<1> sequence */
const PACKET_HEADER_BYTES = 4
const PAYLOAD_LENGTH = 0xff_ff_ff
const EVENT_PACKET = 0x00
/** The packet's header, and the 0x00 of an event. */
const BETWEEN = 5
/** The 0x00 of an event, its header and its checksum. */
const PAYLOAD_BYTES_MIN = 1 + 19 + 4
/** For fewer, one by one is as fast. */
const EVENTS_MIN = 3
const EVENTS_MAX = 512
/** They stay in the processor's cache until they are read. */
const BYTES_MAX = 64 * 1024
/** CRC-32 of any bytes with their CRC-32, lowest byte first, behind them. */
const RIGHT = 0x21_44_df_1c

/**
 * Puts five bytes there that lead CRC-32 from the state behind a right event to that before any byte. The first may be any byte; the other four
 * follow from it: the state behind a right event is 0xdebb20e3, behind a 0 more 0x39dd08e2; that from which four bytes of 0 lead to 0xffffffff is
 * 0x9226f562; the four are the difference of these two, lowest byte first.
 */
function restart(bytes: Buffer, at: number): void {
  bytes[at] = 0x00
  bytes[at + 1] = 0x80
  bytes[at + 2] = 0xfd
  bytes[at + 3] = 0xfb
  bytes[at + 4] = 0xab
}
