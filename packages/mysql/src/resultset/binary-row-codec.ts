import { arrayOfLength } from '@tributary/support'
import type { LengthCursor } from '../types/length-encoded.ts'
import type { ColumnTarget } from '../values/column-target.ts'
import { binaryReader, binarySkipper, type BinaryValueReader, type MemberLabels } from './binary-readers.ts'
import { FIELD_TYPE, type ResultColumn } from './column-definition.ts'
import type { RowReader } from './row-reader.ts'

/** What becomes of a column of a result. */
export interface BinaryColumn<T> {
  readonly column: ResultColumn
  /** Index in the rows that are read, and the conversion; null: the value is skipped. */
  readonly into: {
    readonly index: number
    readonly target: ColumnTarget<T>
    /** Of ENUM and SET. */
    readonly labels: MemberLabels | null
  } | null
}

/**
 * Reads the rows of a prepared statement (protocol page "Binary Protocol Resultset Row": 0x00 · one bit per column for
 * NULL, from bit 2 on · the other values) into values with the positions of a table's columns. For the same values a
 * target gets the same arguments as from a text row; a FLOAT has all its digits, which text does not have.
 */
export class BinaryRowCodec<T> implements RowReader<T> {
  readonly #width: number
  readonly #readers: readonly Reader<T>[]
  readonly #cursor: LengthCursor = { at: 0 }

  /** @param width number of values of a row; those that no column is read into are null */
  constructor(columns: readonly BinaryColumn<T>[], width: number) {
    this.#width = width
    this.#readers = columns.map(readerOf)
  }

  read(bytes: Buffer, start: number, end: number): (T | null)[] {
    const readers = this.#readers
    const values = arrayOfLength<T | null>(this.#width).fill(null)
    const cursor = this.#cursor
    cursor.at = start + 1 + ((readers.length + NULL_BITS_OFFSET + 7) >> 3)
    for (let i = 0; i < readers.length; i++) {
      const bit = i + NULL_BITS_OFFSET
      const isNull = ((bytes[start + 1 + (bit >> 3)] as number) & (1 << (bit & 7))) !== 0
      const { index, read } = readers[i] as Reader<T>
      if (isNull) continue
      if (read === null) throw new RangeError('a column of NULL has a value')
      const value = read(bytes, cursor)
      if (cursor.at > end) break
      if (index !== null) values[index] = value as T
    }
    if (cursor.at !== end) throw new RangeError(`the row does not have ${readers.length} columns`)
    return values
  }
}

interface Reader<T> {
  /** Null: the value is skipped. */
  readonly index: number | null
  /** Null: each value of the column is NULL. */
  readonly read: BinaryValueReader<T | void> | null
}

function readerOf<T>({ column, into }: BinaryColumn<T>): Reader<T> {
  if (column.type === FIELD_TYPE.null) return { index: null, read: null }
  if (into === null) return { index: null, read: binarySkipper(column) }
  return { index: into.index, read: binaryReader(column, into.target, into.labels) }
}

const NULL_BITS_OFFSET = 2
