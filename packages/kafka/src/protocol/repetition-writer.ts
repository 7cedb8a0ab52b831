import { present } from '@tributary/support'
import type { RecordPart } from '../api/records.ts'
import type { Lz4BlockWriter } from './lz4-block-writer.ts'
import { RepetitionSearch, SEARCHED_BYTES_MAX } from './repetition-search.ts'

/**
 * Writes long texts as what is new in them and matches to what stood in them before, for texts that repeat themselves a lot: those of one
 * batch do, or do not.
 *
 * This does search, as LZ4 itself does, and is given up for the rest of a batch as soon as a text turns out not to be worth it. 4 KB that say
 * the same 22 times over cost 1 µs (the checksum alone of what it takes away costs more than that, the broker seven times as much); of prose,
 * a third of which could be taken away, its first KB is all that is searched. Where there is no WebAssembly nothing is.
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
    return this.#isWorthIt && end - start >= TEXT_BYTES_MIN && loaded() !== null
  }

  /** The part behind its prefix. Only when it suits. */
  write({ buffer, start, end }: RecordPart): void {
    const search = present(loaded(), 'the search, for a text that suits')
    if (buffer !== this.#buffer) {
      this.#buffer = buffer
      this.#view = new DataView(buffer.buffer, buffer.byteOffset, buffer.length)
    }
    let saved = 0
    for (let at = start; at < end; at += SEARCHED_BYTES_MAX) {
      saved += this.#writePiece(search, at, Math.min(end, at + SEARCHED_BYTES_MAX))
    }
    this.#isWorthIt = saved * 4 >= (end - start) * 3
  }

  /** Gives the bytes that became matches. */
  #writePiece(search: RepetitionSearch, start: number, end: number): number {
    const block = this.#block
    const buffer = this.#buffer
    const view = this.#view
    const { matches } = search
    const count = search.search(buffer, start, end)
    let written = start
    let saved = 0
    for (let i = 0; i < count * 3; i += 3) {
      const at = start + (matches[i] as number)
      const length = matches[i + 1] as number
      block.literals(buffer, view, written, at)
      block.match(length, matches[i + 2] as number)
      written = at + length
      saved += length
    }
    block.literals(buffer, view, written, end)
    return saved
  }
}

/** Loaded for the first text that it may be for. */
function loaded(): RepetitionSearch | null {
  if (shared === undefined) shared = RepetitionSearch.load()
  return shared
}

let shared: RepetitionSearch | null | undefined

/** In shorter texts there is little to be found. */
const TEXT_BYTES_MIN = 1024
const NO_BYTES = Buffer.alloc(0)
const NO_VIEW = new DataView(new ArrayBuffer(0))
