import { arrayOfLength } from '@tributary/support'
import type { ColumnTarget } from '../values/column-target.ts'
import { columnReader, columnSkipper, type Misfit } from './column-readers.ts'
import { columnWidth } from './column-width.ts'
import { type ColumnReader, RowCursor } from './row-cursor.ts'
import { PartialUpdateReader } from './partial-update-reader.ts'
import { ABSENT, type RowValue } from './row-value.ts'
import type { TableMap } from './table-map.ts'

interface CodecOf<T> {
  readonly table: TableMap
  readonly targets: readonly (ColumnTarget<T> | null)[]
}

export type RowCodecResult<T> = { readonly tag: 'codec'; readonly codec: RowCodec<T> } | Misfit

/**
 * Reads the row images of one version of a table. It is compiled once per table map and set of targets, then used for
 * every row. Values are in the order of the table's columns.
 *
 * Image (Rows_log_event): null bitmap of the columns that are present, then their values without gaps.
 */
export class RowCodec<T> {
  readonly #readers: readonly ColumnReader<T | null>[]
  /** Per column: the number of bytes of its value, or the negative number of bytes of the value's length. */
  readonly #widths: Int32Array
  /** For the values that `readLocated` reads. */
  readonly #cursor = new RowCursor()
  readonly #table: TableMap
  readonly #targets: readonly (ColumnTarget<T> | null)[]
  #partialUpdates: PartialUpdateReader<T> | null = null

  private constructor(readers: readonly ColumnReader<T | null>[], widths: Int32Array, { table, targets }: CodecOf<T>) {
    this.#readers = readers
    this.#widths = widths
    this.#table = table
    this.#targets = targets
  }

  /**
   * Compiles the codec of a table map. Returns a misfit when the wire type of a column does not fit its target: the
   * rows were written under another definition.
   *
   * @param targets one per column of the table; null for a column whose values are not needed
   */
  static compile<T>(table: TableMap, targets: readonly (ColumnTarget<T> | null)[]): RowCodecResult<T> {
    if (targets.length !== table.columns.length) {
      const reason = `the table definition has ${targets.length} columns, the binlog ${table.columns.length}`
      return { tag: 'misfit', reason }
    }
    const readers: ColumnReader<T | null>[] = []
    for (const [index, column] of table.columns.entries()) {
      const target = targets[index] ?? null
      const result = target === null ? columnSkipper(column) : columnReader(column, target)
      if (result.tag === 'misfit') return { tag: 'misfit', reason: `column ${index + 1}: ${result.reason}` }
      readers.push(result.reader)
    }
    // A type without a width has no reader either.
    const widths = Int32Array.from(table.columns, (column) => columnWidth(column) ?? 0)
    return { tag: 'codec', codec: new RowCodec(readers, widths, { table, targets }) }
  }

  /** For the images of PARTIAL_UPDATE_ROWS events. */
  get partialUpdates(): PartialUpdateReader<T> {
    return (this.#partialUpdates ??= new PartialUpdateReader(this.#table, this.#targets, this.#readers))
  }

  get columnCount(): number {
    return this.#readers.length
  }

  /** Bytes of a column's values; negative if each follows its length, which takes that many bytes. */
  widthOf(column: number): number {
    return this.#widths[column] as number
  }

  /** Reads an image in which every column is present. */
  readFull(cursor: RowCursor): (T | null)[] {
    const readers = this.#readers
    const { length } = readers
    const { bytes, at: nulls } = cursor
    cursor.at = nulls + ((length + 7) >> 3)
    const values = arrayOfLength<T | null>(length)
    for (let i = 0; i < length; i++) {
      const isNull = (((bytes[nulls + (i >> 3)] as number) >> (i & 7)) & 1) === 1
      values[i] = isNull ? null : (readers[i] as ColumnReader<T | null>)(cursor)
    }
    return values
  }

  /**
   * Finds the values of an image in which every column is present, without reading them: column `i` is
   * `bytes[places[first + 2i], places[first + 2i + 1])`, without its length; a start of -1 means NULL. Throws
   * RangeError for an image that is longer than the event.
   */
  locate(cursor: RowCursor, places: Int32Array, first: number): void {
    const widths = this.#widths
    const { length } = widths
    const { bytes, at: nulls } = cursor
    let at = nulls + ((length + 7) >> 3)
    let to = first
    for (let i = 0; i < length; i++) {
      if ((((bytes[nulls + (i >> 3)] as number) >> (i & 7)) & 1) === 1) {
        places[to] = -1
        to += 2
        continue
      }
      const width = widths[i] as number
      let size = width
      if (width < 0) {
        size = bytes[at] as number
        if (width < -1) size |= (bytes[at + 1] as number) << 8
        if (width < -2) size |= (bytes[at + 2] as number) << 16
        if (width < -3) size += (bytes[at + 3] as number) * 0x1_00_00_00
        at -= width
      }
      places[to] = at
      at += size
      // This check also keeps the places within 32 bits.
      if (!(at <= cursor.end)) throw new RangeError(`a value of ${size} bytes extends past its end`)
      places[to + 1] = at
      to += 2
    }
    if (at > cursor.end) throw new RangeError('it is longer than the event')
    cursor.at = at
  }

  /** Reads a value that `locate` has found. Throws RangeError for bytes that cannot be a value. */
  readLocated(column: number, bytes: Buffer, start: number, end: number): T | null {
    const cursor = this.#cursor
    cursor.bytes = bytes
    cursor.at = start + Math.min(0, this.#widths[column] as number)
    cursor.end = end
    return (this.#readers[column] as ColumnReader<T | null>)(cursor)
  }

  /** Reads an image that contains only the columns whose bit is set in `presence`. */
  readPartial(cursor: RowCursor, presence: Uint8Array): RowValue<T>[] {
    const { length } = this.#readers
    const { bytes, at: nulls } = cursor
    let presentCount = 0
    for (let i = 0; i < length; i++) if (isSet(presence, i)) presentCount += 1
    cursor.at = nulls + ((presentCount + 7) >> 3)
    const values: RowValue<T>[] = []
    let nth = 0
    for (let i = 0; i < length; i++) {
      if (!isSet(presence, i)) {
        values.push(ABSENT)
        continue
      }
      const isNull = (((bytes[nulls + (nth >> 3)] as number) >> (nth & 7)) & 1) === 1
      values.push(isNull ? null : (this.#readers[i] as ColumnReader<T | null>)(cursor))
      nth += 1
    }
    return values
  }
}

function isSet(bits: Uint8Array, index: number): boolean {
  return (((bits[index >> 3] as number) >> (index & 7)) & 1) === 1
}
