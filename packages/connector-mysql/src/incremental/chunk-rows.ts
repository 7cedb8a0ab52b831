import type { ConnectValue } from '@tributary/connect-api'
import type { RowReader } from '@tributary/mysql'

/** The rows of a chunk, in the order of their keys. */
export interface ChunkRows {
  readonly length: number
  /**
   * A value for each column of the table. Valid as long as anything refers to it.
   *
   * @throws an error of the connection when the bytes of the row are no such row
   */
  at(index: number): readonly ConnectValue[]
}

/**
 * Rows as the server has sent them, in memory of their own: a chunk waits for the stream, and the decoded values of its
 * rows would take several times as much. Each row is decoded when its record is made.
 */
export class EncodedRows implements ChunkRows, RowReader<never> {
  readonly #reader: RowReader<ConnectValue>
  readonly #explain: (error: unknown) => Error
  readonly #blocks: Buffer[] = []
  /** By row: the number of its block, its first byte there, and the byte after its last one. */
  readonly #places: number[] = []
  #used = 0

  /** @param explain makes the error of a row that cannot be read */
  constructor(reader: RowReader<ConnectValue>, explain: (error: unknown) => Error) {
    this.#reader = reader
    this.#explain = explain
  }

  get length(): number {
    return this.#places.length / PLACE_NUMBERS
  }

  /** Appends a row: used as the reader of a stream of rows. */
  read(bytes: Buffer, start: number, end: number): never[] {
    const size = end - start
    let block = this.#blocks.at(-1)
    if (block === undefined || block.length - this.#used < size) {
      const next = Math.min(BLOCK_BYTES_MAX, (block?.length ?? BLOCK_BYTES_MIN / 2) * 2)
      block = Buffer.allocUnsafeSlow(Math.max(next, size))
      this.#blocks.push(block)
      this.#used = 0
    }
    bytes.copy(block, this.#used, start, end)
    this.#places.push(this.#blocks.length - 1, this.#used, this.#used + size)
    this.#used += size
    return NOTHING
  }

  at(index: number): readonly ConnectValue[] {
    const at = index * PLACE_NUMBERS
    const places = this.#places
    const block = this.#blocks[places[at] as number] as Buffer
    try {
      return this.#reader.read(block, places[at + 1] as number, places[at + 2] as number)
    } catch (error) {
      throw this.#explain(error)
    }
  }
}

const NOTHING: never[] = []
const PLACE_NUMBERS = 3
/** Most chunks of narrow rows. */
const BLOCK_BYTES_MIN = 16 * 1024
const BLOCK_BYTES_MAX = 1024 * 1024
