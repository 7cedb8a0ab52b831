import { SharedMemory } from '@tributary/support'
import { MATCH_FINDER_WASM } from './match-finder-wasm.ts'

/**
 * Finds repetitions within a text, as an LZ4 compressor does but in larger steps and with limits, sixteen bytes at a
 * time (docs/adr/0016-webassembly-for-long-texts.md).
 */
export class MatchFinder {
  /**
   * What `find` has found: for each match its place, counted from the start of the text, its length and its distance.
   */
  readonly matches: Int32Array
  readonly #memory: SharedMemory
  readonly #textAt: number
  readonly #matchesAt: number
  readonly #find: Exports['find']

  private constructor(memory: SharedMemory, { find }: Exports, textAt: number) {
    this.#memory = memory
    this.#textAt = textAt
    this.#matchesAt = textAt + TEXT_REGION_BYTES
    this.#find = find
    const { buffer, byteOffset } = memory.bytes
    this.matches = new Int32Array(buffer, byteOffset + this.#matchesAt, MATCHES_BYTES_MAX / 4)
  }

  /** Null where there is no WebAssembly. */
  static load(base64: string = MATCH_FINDER_WASM): MatchFinder | null {
    const memory = SharedMemory.ofThread()
    if (memory === null) return null
    const tables = memory.allocate(TABLES_BYTES)
    const exports = memory.load<Exports>(base64, tables)
    return exports && new MatchFinder(memory, exports, memory.allocate(TEXT_REGION_BYTES + MATCHES_BYTES_MAX))
  }

  /** Returns the number of matches. A text has up to SEARCHED_BYTES_MAX bytes; the search may stop before its end. */
  find(bytes: Buffer, start: number, end: number): number {
    const isInPlace = this.#memory.contains(bytes)
    if (!isInPlace) bytes.copy(this.#memory.bytes, this.#textAt, start, end)
    const textAt = isInPlace ? bytes.byteOffset + start : this.#textAt
    const matchesEnd = this.#find(textAt, end - start, this.#matchesAt)
    return (matchesEnd - this.#matchesAt) / MATCH_RESULT_BYTES
  }
}

/** Of match-finder.wat. */
interface Exports {
  readonly find: (text: number, bytes: number, result: number) => number
}

/** The longest text in which no match is too far back for LZ4. */
export const SEARCHED_BYTES_MAX = 0xfff0
/** The tables of match-finder.wat. */
const TABLES_BYTES = 8192 + 4
/** A text and the bytes that are read after it. */
const TEXT_REGION_BYTES: number = SEARCHED_BYTES_MAX + 16
/** As match-finder.wat defines them. */
const MATCH_BYTES_MIN = 16
const MATCH_RESULT_BYTES = 12
const MATCHES_BYTES_MAX: number = (SEARCHED_BYTES_MAX / MATCH_BYTES_MIN) * MATCH_RESULT_BYTES
