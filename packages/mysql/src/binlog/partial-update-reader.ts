import { ByteWriter } from '@tributary/support'
import { readLengthEncoded } from '../types/length-encoded.ts'
import type { ColumnTarget } from '../values/column-target.ts'
import { ColumnTypeCode } from './column-type.ts'
import type { ByteRange } from './json-diff.ts'
import { writePatchedJson } from './json-patch.ts'
import { type ColumnReader, type RowCursor, takeRun } from './row-cursor.ts'
import { ABSENT, CHANGED, type RowValue } from './row-value.ts'
import { lengthReader } from './string-readers.ts'
import type { TableMap } from './table-map.ts'

interface Column<T> {
  readonly read: ColumnReader<T | null>
  /** Null: not a JSON column. */
  readonly document: DocumentColumn<T> | null
}

interface DocumentColumn<T> {
  /** Among the JSON columns of the table, from 0. */
  readonly nth: number
  readonly readLength: (cursor: RowCursor) => number
  /** Null: the values are not needed. */
  readonly target: Extract<ColumnTarget<T>, { kind: 'json' }> | null
}

/** What the last before image has of a JSON column: NULL, no column, or where its document is. */
type Earlier = null | typeof ABSENT | ByteRange

/**
 * Reads the images of PARTIAL_UPDATE_ROWS events, in which a JSON document may be replaced by its changes (MySQL with
 * binlog_row_value_options=PARTIAL_JSON; rpl_record.h).
 *
 * Row: image before · int<lenenc> value options · bitmap of the JSON columns with changes, if the options have bit 0:
 * one bit per JSON column of the table, present or not · image after. An image is as in other row events, but that a
 * column with changes has int<4> size · changes (json-diff.ts).
 */
export class PartialUpdateReader<T> {
  readonly #columns: readonly Column<T>[]
  readonly #earlier: Earlier[]
  readonly #out = new ByteWriter(1024)

  /** `readers`: of whole values, one per column. */
  constructor(
    { columns }: TableMap,
    targets: readonly (ColumnTarget<T> | null)[],
    readers: readonly ColumnReader<T | null>[],
  ) {
    let count = 0
    this.#columns = columns.map(({ type, meta }, i): Column<T> => {
      const read = readers[i] as ColumnReader<T | null>
      if (type !== ColumnTypeCode.json) return { read, document: null }
      const target = targets[i] ?? null
      count += 1
      const document = {
        nth: count - 1,
        readLength: lengthReader(meta),
        target: target?.kind === 'json' ? target : null,
      }
      return { read, document }
    })
    this.#earlier = Array.from({ length: count }, () => null)
  }

  /** `presence`: null when all columns are present. */
  readBefore(cursor: RowCursor, presence: Uint8Array | null): RowValue<T>[] {
    const isNull = this.#takeNulls(cursor, presence)
    return this.#columns.map(({ read, document }, i) => {
      const earlier = !isPresent(presence, i) ? ABSENT : isNull() ? null : cursor.at
      if (typeof earlier !== 'number') {
        if (document !== null) this.#earlier[document.nth] = earlier
        return earlier
      }
      const value = read(cursor)
      if (document !== null) this.#earlier[document.nth] = documentAt(document, cursor, earlier)
      return value
    })
  }

  /** Reads the image after the change, after `readBefore` has read the one before it. */
  readAfter(cursor: RowCursor, presence: Uint8Array | null): RowValue<T>[] {
    const changed = this.#takeChanged(cursor)
    const isNull = this.#takeNulls(cursor, presence)
    return this.#columns.map(({ read, document }, i) => {
      if (!isPresent(presence, i)) return ABSENT
      const hasDiffs = document !== null && changed !== null && isSet(changed, document.nth)
      if (isNull()) {
        if (hasDiffs) throw new RangeError('it has changes of a JSON document that is NULL')
        return null
      }
      return hasDiffs ? this.#patched(document, cursor) : read(cursor)
    })
  }

  /** The bitmap of the JSON columns with changes; null when there are none. */
  #takeChanged(cursor: RowCursor): Uint8Array | null {
    const options = readLengthEncoded(cursor.bytes, cursor)
    if (options === 0) return null
    if (options !== PARTIAL_JSON_UPDATES) throw new RangeError(`it has the unknown value options ${options}`)
    const size = (this.#earlier.length + 7) >> 3
    const start = takeRun(cursor, size)
    return cursor.bytes.subarray(start, start + size)
  }

  /** Moves past the bitmap of NULLs. The result returns whether the next column that is present is NULL. */
  #takeNulls(cursor: RowCursor, presence: Uint8Array | null): () => boolean {
    let count = 0
    for (let i = 0; i < this.#columns.length; i++) if (isPresent(presence, i)) count += 1
    const size = (count + 7) >> 3
    const start = takeRun(cursor, size)
    const nulls = cursor.bytes.subarray(start, start + size)
    let nth = -1
    return () => isSet(nulls, ++nth)
  }

  #patched({ nth, target }: DocumentColumn<T>, cursor: RowCursor): RowValue<T> {
    const size = cursor.bytes.readUInt32LE(cursor.at)
    cursor.at += 4
    const start = takeRun(cursor, size)
    if (target === null) return null
    const earlier = this.#earlier[nth] ?? null
    if (earlier === null) throw new RangeError('it has changes of a JSON document that was NULL')
    if (earlier === ABSENT) return CHANGED
    this.#out.reset()
    writePatchedJson(cursor.bytes, earlier, { start, end: cursor.at }, this.#out)
    // A copy, since the next document reuses the writer.
    const text = this.#out.copy()
    return target.of(text, 0, text.length)
  }
}

/** The document of a value that begins at `start` and was read. */
function documentAt<T>({ readLength }: DocumentColumn<T>, cursor: RowCursor, start: number): ByteRange {
  const end = cursor.at
  cursor.at = start
  readLength(cursor)
  const range = { start: cursor.at, end }
  cursor.at = end
  return range
}

function isPresent(presence: Uint8Array | null, index: number): boolean {
  return presence === null || isSet(presence, index)
}

function isSet(bits: Uint8Array, index: number): boolean {
  return (((bits[index >> 3] as number) >> (index & 7)) & 1) === 1
}

const PARTIAL_JSON_UPDATES = 1
