import { assert, loadWebAssembly, SCRATCH_AT, SCRATCH_BYTES, textMemory, type TextMemory } from '@tributary/support'
import { REPETITION_SEARCH_WASM } from './repetition-search-wasm.ts'

/**
 * Finds where a text says what it has said before, as LZ4 itself does but for steps and limits, sixteen bytes at a time
 * (docs/adr/0016-webassembly-for-long-texts.md).
 */
export class RepetitionSearch {
  /** What `search` has found: for each match its place, counted from where the text began, its length and its distance. */
  readonly matches: Int32Array
  readonly #memory: Buffer
  readonly #textBuffer: Buffer
  readonly #search: Exports['search']

  private constructor({ bytes, textBuffer }: TextMemory, { search }: Exports) {
    this.#memory = bytes
    this.#textBuffer = textBuffer
    this.#search = search
    assert(MATCHES_AT + MATCHES_BYTES_MAX <= SCRATCH_AT + SCRATCH_BYTES, 'the matches of any text have room')
    this.matches = new Int32Array(bytes.buffer, bytes.byteOffset + MATCHES_AT, MATCHES_BYTES_MAX / 4)
  }

  /** Null where there is no WebAssembly. */
  static load(base64: string = REPETITION_SEARCH_WASM): RepetitionSearch | null {
    const memory = textMemory()
    const exports = memory === null ? null : loadWebAssembly<Exports>(base64, memory.memory)
    return memory === null || exports === null ? null : new RepetitionSearch(memory, exports)
  }

  /** How many matches there are, up to the place where the search was given up. A text has `SEARCHED_BYTES_MAX` at most. */
  search(bytes: Buffer, start: number, end: number): number {
    const isInPlace = bytes === this.#textBuffer
    if (!isInPlace) bytes.copy(this.#memory, TEXT_AT, start, end)
    const textAt = isInPlace ? bytes.byteOffset + start : TEXT_AT
    const matchesEnd = this.#search(textAt, end - start, MATCHES_AT)
    return (matchesEnd - MATCHES_AT) / MATCH_RESULT_BYTES
  }
}

/** Of repetition-search.wat. */
interface Exports {
  readonly search: (text: number, bytes: number, result: number) => number
}

/** No match in it is too far back for LZ4. */
export const SEARCHED_BYTES_MAX = 0xfff0
const TEXT_AT = SCRATCH_AT
/** Behind the text and what is read. */
const MATCHES_AT: number = TEXT_AT + SEARCHED_BYTES_MAX + 16
/** As repetition-search.wat has them. */
const MATCH_BYTES_MIN = 16
const MATCH_RESULT_BYTES = 12
const MATCHES_BYTES_MAX: number = (SEARCHED_BYTES_MAX / MATCH_BYTES_MIN) * MATCH_RESULT_BYTES
