import { crc32 } from '@node-rs/crc32'

/**
 * Checks the events that stand one behind the other in a buffer by one sum over all of them. Events of small transactions have some tens
 * of bytes: one by one most of the time goes into tables and calls.
 *
 * An event with its own checksum behind it leaves CRC-32 in a state that is the same for all events. What stands between two of them, the
 * packet's header and the 0x00 of an event, is five bytes: while the sum is made, they are those that lead from that state to the one
 * that a sum begins in. So the state at the end is that of a right event if all are; a wrong one changes all that comes behind it, with the
 * certainty of 32 bits, as for one event.
 *
 * Which of them is wrong it does not say: then they are looked at one by one, as are events that carry no checksum.
 */
export class ChecksumRun {
  /** Events from the next on that are known to be right. */
  #right = 0
  /** Events from the next on that no sum is made over, since it was made and was not right. */
  #doubtful = 0
  /** Where the packets of a run begin, and their sequence numbers. */
  readonly #starts = new Int32Array(EVENTS_MAX)
  readonly #sequences = new Uint8Array(EVENTS_MAX)

  /**
   * Whether the event `bytes[start, end)`, with its checksum, is known to be right; false says nothing. Has to be asked for each event,
   * in order: `bytes` from `end` on are the packets that follow.
   */
  covers(bytes: Buffer, start: number, end: number): boolean {
    if (this.#right > 0) {
      this.#right -= 1
      return true
    }
    if (this.#doubtful > 0) {
      this.#doubtful -= 1
      return false
    }
    const count = this.#find(bytes, start, end)
    if (count < EVENTS_MIN) return false
    const isRight = this.#sum(bytes, start, count) === RIGHT
    if (isRight) this.#right = count - 1
    else this.#doubtful = count - 1
    return isRight
  }

  /** The events to come carry no checksums. */
  end(): void {
    this.#right = 0
    this.#doubtful = 0
  }

  /** Finds the whole events behind the one that ends there; gives their number, itself included. */
  #find(bytes: Buffer, start: number, end: number): number {
    const limit = Math.min(bytes.length, start + BYTES_MAX) - BETWEEN
    const starts = this.#starts
    let count = 1
    let at = end
    while (at <= limit && count < EVENTS_MAX) {
      const length = (bytes[at] as number) | ((bytes[at + 1] as number) << 8) | ((bytes[at + 2] as number) << 16)
      const next = at + PACKET_HEADER_BYTES + length
      if (length < EVENT_BYTES_MIN || next > limit + BETWEEN || bytes[at + PACKET_HEADER_BYTES] !== 0) break
      starts[count] = at
      count += 1
      at = next
    }
    starts[0] = at
    return count
  }

  /** The sum from there to the end of the last event that was found; the bytes between them are what they were again. */
  #sum(bytes: Buffer, start: number, count: number): number {
    const starts = this.#starts
    const sequences = this.#sequences
    for (let i = 1; i < count; i++) {
      const at = starts[i] as number
      sequences[i] = bytes[at + 3] as number
      restart(bytes, at)
    }
    const end = starts[0] as number
    const sum = crc32(bytes.subarray(start, end))
    for (let i = count - 1, next = end; i > 0; i--) {
      const at = starts[i] as number
      const length = next - at - PACKET_HEADER_BYTES
      bytes[at] = length & 0xff
      bytes[at + 1] = (length >>> 8) & 0xff
      bytes[at + 2] = length >>> 16
      bytes[at + 3] = sequences[i] as number
      bytes[at + 4] = 0
      next = at
    }
    return sum
  }
}

/** int<3> length · int<1> sequence */
const PACKET_HEADER_BYTES = 4
/** The packet's header, and the 0x00 of an event. */
const BETWEEN = 5
/** Its 0x00, its header and its checksum. */
const EVENT_BYTES_MIN = 1 + 19 + 4
/** For fewer, one by one is as fast. */
const EVENTS_MIN = 3
const EVENTS_MAX = 512
/** They stay in the processor's cache until they are read. */
const BYTES_MAX = 64 * 1024
/** CRC-32 of any bytes with their CRC-32, lowest byte first, behind them. */
const RIGHT = 0x21_44_df_1c

/**
 * Puts the bytes there that lead CRC-32 from the state behind a right event to that before any byte: one that might be any, and the only four
 * that do it behind that one. (The state 0xdebb20e3, run through the 0, is 0x39dd08e2; 0xffffffff, gone back from by four bytes of 0, is
 * 0x9226f562; the four are what these two differ in.)
 */
function restart(bytes: Buffer, at: number): void {
  bytes[at] = 0x00
  bytes[at + 1] = 0x80
  bytes[at + 2] = 0xfd
  bytes[at + 3] = 0xfb
  bytes[at + 4] = 0xab
}
