import type { RecordPart } from '../api/records.ts'
import { LITERALS_AFTER_MATCH, MATCH_DISTANCE_MAX, type Lz4BlockWriter } from './lz4-block-writer.ts'

/**
 * Writes long texts as what is new in them and matches to what stood in them before, for texts that repeat themselves a lot: those of one
 * batch do, or do not.
 *
 * This does search, as LZ4 itself does, and is given up for the rest of a batch as soon as a text turns out not to be worth it. 4 KB that say
 * the same 22 times over cost 2 µs (the checksum alone of what it takes away costs more than half of that, the broker seven times as much);
 * prose, of which a third could be taken away, 7 µs a KB, so its first KB is all that is searched.
 */
export class RepetitionWriter {
  readonly #block: Lz4BlockWriter
  #isWorthIt = true
  #buffer: Buffer = NO_BYTES
  #view: DataView = NO_VIEW

  constructor(block: Lz4BlockWriter) {
    this.#block = block
  }

  suits({ start, end }: RecordPart): boolean {
    return this.#isWorthIt && end - start >= TEXT_BYTES_MIN
  }

  /** The part behind its prefix. */
  write({ buffer, start, end }: RecordPart): void {
    if (buffer !== this.#buffer) {
      this.#buffer = buffer
      this.#view = new DataView(buffer.buffer, buffer.byteOffset, buffer.length)
    }
    const view = this.#view
    const block = this.#block
    places.fill(NOWHERE)
    const searchEnd = end - MATCH_BYTES_MIN - LITERALS_AFTER_MATCH
    let written = start
    let saved = 0
    let misses = 0
    let at = start
    while (at < searchEnd) {
      const word = view.getInt32(at, true)
      const slot = Math.imul(word, HASH_FACTOR) >>> HASH_SHIFT
      const earlier = places[slot] as number
      places[slot] = at
      const length = at - earlier > MATCH_DISTANCE_MAX ? 0 : equalBytes(view, earlier, at, end - LITERALS_AFTER_MATCH)
      if (length < MATCH_BYTES_MIN) {
        // The longer nothing is found, the larger the steps, as in LZ4.
        at += 1 + (misses++ >> 4)
        if (at - start > PROBE_BYTES && saved * 2 < at - start) break
        continue
      }
      block.literals(buffer, view, written, at)
      block.match(length, at - earlier)
      at += length
      written = at
      saved += length
      misses = 0
    }
    block.literals(buffer, view, written, end)
    this.#isWorthIt = saved * 4 >= (end - start) * 3
  }
}

/** How many bytes from `at` on, up to `end`, are those from `earlier` on. */
function equalBytes(view: DataView, earlier: number, at: number, end: number): number {
  const distance = at - earlier
  let to = at
  // Optimized code compares 64 bits and makes no BigInt.
  while (to + 8 <= end && view.getBigInt64(to, true) === view.getBigInt64(to - distance, true)) to += 8
  while (to < end && view.getInt8(to) === view.getInt8(to - distance)) to++
  return to - at
}

/** In shorter texts there is little to be found. */
const TEXT_BYTES_MIN = 1024
/** A match of less costs about as much time as copying it. */
const MATCH_BYTES_MIN = 16
/** A text of which less than half was found by then is not searched any farther. */
const PROBE_BYTES = 1024

/** Where four bytes of some hash stood last. */
const places = new Int32Array(1 << 11)
const HASH_SHIFT = 32 - 11
/** That of LZ4: a prime near 2^32 divided by the golden ratio. */
const HASH_FACTOR = 0x9e37_79b1
/** Too far back to be a match of any text. */
const NOWHERE = -(2 ** 30)
const NO_BYTES = Buffer.alloc(0)
const NO_VIEW = new DataView(new ArrayBuffer(0))
