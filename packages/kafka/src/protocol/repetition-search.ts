import { assert, loadWebAssembly } from '@tributary/support'
import { REPETITION_SEARCH_WASM } from './repetition-search-wasm.ts'

/**
 * Finds where a text says what it has said before, as LZ4 itself does but for steps and limits, sixteen bytes at a time
 * (docs/adr/0016-webassembly-for-long-texts.md).
 */
export class RepetitionSearch {
  /** What `search` has found: for each match its place, counted from where the text began, its length and its distance. */
  readonly matches: Int32Array
  readonly #memory: Buffer
  readonly #search: Exports['search']

  private constructor({ memory, search }: Exports) {
    this.#memory = Buffer.from(memory.buffer)
    this.#search = search
    assert(this.#memory.length >= MEMORY_BYTES_MIN, 'the matches of any text have room')
    this.matches = new Int32Array(memory.buffer, MATCHES_AT)
  }

  /** Null where there is no WebAssembly. */
  static load(base64: string = REPETITION_SEARCH_WASM): RepetitionSearch | null {
    const exports = loadWebAssembly<Exports>(base64)
    return exports === null ? null : new RepetitionSearch(exports)
  }

  /** How many matches there are, up to the place where the search was given up. A text has `SEARCHED_BYTES_MAX` at most. */
  search(bytes: Buffer, start: number, end: number): number {
    bytes.copy(this.#memory, TEXT_AT, start, end)
    const matchesEnd = this.#search(end - start, MATCHES_AT)
    return (matchesEnd - MATCHES_AT) / MATCH_RESULT_BYTES
  }
}

/** Of repetition-search.wat. */
interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer }
  readonly search: (bytes: number, result: number) => number
}

/** No match in it is too far back for LZ4. */
export const SEARCHED_BYTES_MAX = 0xfff0
/** As repetition-search.wat has them. */
const TEXT_AT = 8192
const MATCH_BYTES_MIN = 16
const MATCHES_AT = TEXT_AT + SEARCHED_BYTES_MAX + 16
const MATCH_RESULT_BYTES = 12
const MEMORY_BYTES_MIN = MATCHES_AT + (SEARCHED_BYTES_MAX / MATCH_BYTES_MIN) * MATCH_RESULT_BYTES
