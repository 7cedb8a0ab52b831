import type { ColumnTarget } from '../values/column-target.ts'
import { readLengthEncoded, type LengthCursor } from '../values/length-encoded.ts'
import { textReader, type TextValueReader } from './text-readers.ts'

/**
 * Reads text rows (protocol page "Text Resultset Row": for each column 0xfb for NULL, or string<lenenc>) into the same values
 * that the binlog row codec makes: positional, in the order of the SELECT's columns.
 *
 * What must have been selected, per kind: `snapshotExpression` of the connector; with character_set_results NULL, so that text
 * comes in the column's own charset, and time_zone '+00:00'.
 */
export class TextRowCodec<T> {
  readonly #readers: readonly TextValueReader<T>[]
  readonly #cursor: LengthCursor = { at: 0 }

  constructor(targets: readonly ColumnTarget<T>[]) {
    this.#readers = targets.map(textReader)
  }

  /** The row in `bytes[start, end)`. Throws RangeError when it has more or fewer columns than there are targets. */
  read(bytes: Buffer, start: number, end: number): (T | null)[] {
    const cursor = this.#cursor
    const values: (T | null)[] = []
    cursor.at = start
    for (let i = 0; i < this.#readers.length; i++) {
      if (bytes[cursor.at] === NULL_VALUE) {
        cursor.at += 1
        values.push(null)
        continue
      }
      const length = readLengthEncoded(bytes, cursor)
      const from = cursor.at
      cursor.at = from + length
      if (cursor.at > end) break
      values.push((this.#readers[i] as TextValueReader<T>)(bytes, from, cursor.at))
    }
    if (cursor.at !== end || values.length !== this.#readers.length) {
      throw new RangeError(`the row is not one of ${this.#readers.length} columns`)
    }
    return values
  }
}

const NULL_VALUE = 0xfb
