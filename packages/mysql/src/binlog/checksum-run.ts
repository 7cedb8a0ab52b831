import { crc32 } from '@node-rs/crc32'
import { uint32 } from './uint32.ts'

/**
 * Verifies the checksums of consecutive events in a buffer with one CRC-32 over all of them. Events of small
 * transactions have a few tens of bytes; for each by itself, table lookups and calls would take most of the time.
 *
 * After the bytes of an event and its correct checksum, CRC-32 is always in the same state. Five bytes lie between two
 * events: the packet's header and the 0x00 that marks an event. During the computation they are replaced by five bytes
 * that lead CRC-32 from that state back to its initial state. So if all events are correct, the final state is that
 * after one correct event. A wrong event changes the state for all that follow, and stays undetected with a probability
 * of 2^-32, as with its own checksum. (CRC-32 guarantees to detect any two wrong bits in so many bytes, and any three
 * in one short event.)
 *
 * A wrong result does not show which event is wrong. The caller then verifies each by itself.
 */
export class ChecksumRun {
  /** How many of the following events are known to be correct. */
  #correctCount = 0
  /** How many of the following events the caller has to verify, because their common checksum was wrong. */
  #unknownCount = 0
  /** Packet headers after the first event of the run, as 32-bit words, their places, and where the last event ends. */
  readonly #headers = new Uint32Array(EVENTS_MAX)
  readonly #headerPlaces = new Int32Array(EVENTS_MAX)
  #runEnd = 0

  /**
   * Returns whether the event `bytes[start, end)`, with its checksum, is known to be correct. False means unknown. The
   * caller must call it for each event, in order; `bytes` contains the following packets from `end` on. The method
   * overwrites the bytes between the events and restores them before it returns.
   */
  covers(bytes: Buffer, start: number, end: number): boolean {
    if (this.#correctCount > 0) {
      this.#correctCount -= 1
      return true
    }
    if (this.#unknownCount > 0) {
      this.#unknownCount -= 1
      return false
    }
    const count = this.#find(bytes, start, end)
    if (count < EVENTS_MIN) return false
    const isCorrect = this.#sum(bytes, start, count) === CORRECT
    if (isCorrect) this.#correctCount = count - 1
    else this.#unknownCount = count - 1
    return isCorrect
  }

  /** Finds the complete events that follow the one that ends at `end`, and returns their number including that one. */
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
/** For fewer events, verifying each by itself is as fast. */
const EVENTS_MIN = 3
const EVENTS_MAX = 512
/** So many bytes are still in the processor's cache when the events are parsed. */
const BYTES_MAX = 64 * 1024
/** CRC-32 of any bytes that are followed by their own CRC-32, lowest byte first. */
const CORRECT = 0x21_44_df_1c

/**
 * Writes five bytes that lead CRC-32 from its state after a correct event to its initial state. The first byte is free,
 * and the other four follow from it: the state after a correct event is 0xdebb20e3, and one more 0 makes it 0x39dd08e2.
 * Four bytes of 0 lead from 0x9226f562 to the initial state 0xffffffff. The four bytes are the exclusive or of these
 * two states, lowest byte first.
 */
function restart(bytes: Buffer, at: number): void {
  bytes[at] = 0x00
  bytes[at + 1] = 0x80
  bytes[at + 2] = 0xfd
  bytes[at + 3] = 0xfb
  bytes[at + 4] = 0xab
}
