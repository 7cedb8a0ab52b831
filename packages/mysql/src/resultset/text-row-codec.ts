import { arrayOfLength } from '@tributary/support'
import type { ColumnTarget } from '../values/column-target.ts'
import { readLengthEncoded, type LengthCursor } from '../types/length-encoded.ts'
import type { RowReader } from './row-reader.ts'
import { textReader, type TextValueReader } from './text-readers.ts'

/**
 * Reads text rows (protocol page "Text Resultset Row": for each column 0xfb for NULL, or string<lenenc>) into the same
 * values as the binlog row codec: positional, in the order of the SELECT's columns.
 *
 * The connector's `snapshotSelect` has the expressions to select. The session must have character_set_results NULL, so
 * that text is in the charset of its column, and time_zone '+00:00'.
 */
export class TextRowCodec<T> implements RowReader<T> {
  readonly #readers: readonly TextValueReader<T>[]
  readonly #cursor: LengthCursor = { at: 0 }

  constructor(targets: readonly ColumnTarget<T>[]) {
    this.#readers = targets.map(textReader)
  }

  /** The row in `bytes[start, end)`. Throws RangeError when it has more or fewer columns than there are targets. */
  read(bytes: Buffer, start: number, end: number): (T | null)[] {
    const readers = this.#readers
    const count = readers.length
    // An array that grows is copied several times, and ends 50 % larger than necessary.
    const values = arrayOfLength<T | null>(count)
    let at = start
    let i = 0
    for (; i < count && at < end; i++) {
      let length = bytes[at] as number
      if (length < NULL_VALUE) at += 1
      else if (length === NULL_VALUE) {
        at += 1
        values[i] = null
        continue
      } else {
        const cursor = this.#cursor
        cursor.at = at
        length = readLengthEncoded(bytes, cursor)
        at = cursor.at
      }
      const from = at
      at += length
      if (at > end) break
      values[i] = (readers[i] as TextValueReader<T>)(bytes, from, at)
    }
    if (at !== end || i !== count) throw new RangeError(`the row does not have ${count} columns`)
    return values
  }
}

const NULL_VALUE = 0xfb
