import { RawCells } from '@tributary/connect-api'
import type { ReusedMemory } from '@tributary/connector-kit'
import { ByteWriter, isPoisonOn, poisonBytes, poisonProperties } from '@tributary/support'

/**
 * Memory for the places of the values of rows, two numbers a column, and for texts that are made of them early. It is
 * reused: rows are valid until the poll is over that uses it. (An array for each row would cost as much as all else
 * that is done for it.)
 */
export class RowPlaces implements ReusedMemory {
  /** The array of the places that `take` gave last; a `take` that needs more replaces it. */
  array: Int32Array = new Int32Array(FIRST_LENGTH)
  /** `recycle` may replace it. */
  texts: ByteWriter = new ByteWriter(FIRST_TEXT_BYTES)
  #used = 0
  /** With poison: the rows of the poll. */
  readonly #rows: RawCells[] = []

  /** The index of the first of `count` numbers in `array`. */
  take(count: number): number {
    if (this.#used + count > this.array.length) {
      // Earlier rows still refer to the old array.
      this.array = new Int32Array(Math.max(this.array.length * 2, count))
      this.#used = 0
    }
    const first = this.#used
    this.#used = first + count
    return first
  }

  /** A row of `bytes` whose places `take` has returned. */
  cells(bytes: Buffer, first: number): RawCells {
    const cells = new RawCells(bytes, this.array, first, this.texts)
    if (isPoisonOn) this.#rows.push(cells)
    return cells
  }

  /** No record uses the rows so far any more. */
  recycle(): void {
    if (isPoisonOn) this.#poison()
    this.#used = 0
    this.texts.reset()
    if (this.texts.bytes.length > KEPT_TEXT_BYTES_MAX) this.texts = new ByteWriter(FIRST_TEXT_BYTES)
    if (this.array.length > KEPT_LENGTH_MAX) this.array = new Int32Array(FIRST_LENGTH)
  }

  #poison(): void {
    for (const cells of this.#rows) poisonProperties(cells, ['bytes', 'places', 'texts'], 'A raw row')
    this.#rows.length = 0
    this.array.fill(POISONED_PLACE, 0, this.#used)
    poisonBytes(this.texts.bytes, 0, this.texts.position)
  }
}

/** Beyond the end of any buffer. */
const POISONED_PLACE = 0x7fff_ffff
/** 256 updates of tables with eight columns. */
const FIRST_LENGTH = 8192
/** 1 MiB: 256 updates of tables with 256 columns. What wider tables needed is not kept. */
const KEPT_LENGTH_MAX = 1 << 18
/** 256 updates of documents of 100 bytes; most tables have no documents. */
const FIRST_TEXT_BYTES = 1 << 16
/**
 * 8 MiB: several times the bytes of events that a poll takes, since a table of documents needs as much in each poll.
 */
const KEPT_TEXT_BYTES_MAX = 1 << 23
