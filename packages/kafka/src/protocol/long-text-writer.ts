import { present } from '@tributary/support'
import type { RecordPart } from '../api/records.ts'
import type { Lz4BlockWriter } from './lz4-block-writer.ts'
import { MatchFinder, SEARCHED_BYTES_MAX } from './match-finder.ts'
import { WORD_BYTES, WORDED_BYTES_MAX } from './words.ts'

/**
 * Writes long values that repeat themselves as literals and matches within the value.
 *
 * It searches, as a compressor does, but stops for the rest of a batch at the first value of which less than three
 * quarters become matches: values of one batch mostly resemble each other. A value of 4 KB that repeats one text 22
 * times costs 1 µs (its checksum alone would cost more, the broker seven times as much); of prose, a third of which
 * repeats, only the first KiB is searched. Without WebAssembly no value is searched.
 *
 * On the hot path. `matches[i] as number`: the finder has filled the first three elements of each match.
 */
export class LongTextWriter {
  readonly #block: Lz4BlockWriter
  #isWorthwhile = true
  #buffer: Buffer = NO_BYTES
  #view: DataView = NO_VIEW

  constructor(block: Lz4BlockWriter) {
    this.#block = block
  }

  suits({ start, end }: RecordPart): boolean {
    return this.#isWorthwhile && end - start >= TEXT_BYTES_MIN && loadedFinder() !== null
  }

  /** Writes the part without its prefix. Only for a part that `suits`. */
  write({ buffer, start, end }: RecordPart): void {
    const finder = present(loadedFinder(), 'the match finder, for a text that suits')
    if (buffer !== this.#buffer) {
      this.#buffer = buffer
      this.#view = new DataView(buffer.buffer, buffer.byteOffset, buffer.length)
    }
    let savedBytes = 0
    for (let at = start; at < end; at += SEARCHED_BYTES_MAX) {
      savedBytes += this.#writePiece(finder, at, Math.min(end, at + SEARCHED_BYTES_MAX))
    }
    this.#isWorthwhile = savedBytes * 4 >= (end - start) * 3
  }

  /** Returns how many bytes became matches. */
  #writePiece(finder: MatchFinder, start: number, end: number): number {
    const block = this.#block
    const { matches } = finder
    const count = finder.find(this.#buffer, start, end)
    let written = start
    let savedBytes = 0
    for (let i = 0; i < count * 3; i += 3) {
      const at = start + (matches[i] as number)
      const length = matches[i + 1] as number
      this.#writeLiterals(written, at)
      block.match(length, matches[i + 2] as number)
      written = at + length
      savedBytes += length
    }
    this.#writeLiterals(written, end)
    return savedBytes
  }

  #writeLiterals(start: number, end: number): void {
    const isWorded = end - start <= WORDED_BYTES_MAX && end + WORD_BYTES <= this.#buffer.length
    if (isWorded) this.#block.wordedLiterals(this.#view, start, end)
    else this.#block.literals(this.#buffer, start, end)
  }
}

/** One finder for all batches of the thread, loaded for the first value that it suits. Null: no WebAssembly. */
function loadedFinder(): MatchFinder | null {
  if (shared === undefined) shared = MatchFinder.load()
  return shared
}

let shared: MatchFinder | null | undefined

/** Shorter values hold few repetitions. */
const TEXT_BYTES_MIN = 1024
const NO_BYTES = Buffer.alloc(0)
const NO_VIEW = new DataView(new ArrayBuffer(0))
