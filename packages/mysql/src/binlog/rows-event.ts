import { present } from '@tributary/support'
import { clearRangeError } from '../error-texts.ts'
import { mysqlErrors } from '../errors.ts'
import { readLengthEncoded } from '../types/length-encoded.ts'
import type { RowCodec } from './row-codec.ts'
import { RowCursor } from './row-cursor.ts'
import type { RowValue } from './row-value.ts'
import type { TableMap } from './table-map.ts'

export type RowsKind = 'write' | 'update' | 'delete'

/** Position of a rows event's body, which follows table id, flags and extra data. */
export interface RowsBody {
  readonly bytes: Buffer
  readonly at: number
  readonly end: number
  /** True: after images may have changes of JSON documents instead of the documents (PARTIAL_UPDATE_ROWS). */
  readonly hasDiffs?: boolean
}

/**
 * Changed rows of one table. Body (Rows_log_event): int<lenenc> columns · bitmap of the columns present · for updates a
 * second bitmap for the images after the change · row images to the end: one per row, two for updates.
 *
 * Rows are read in order, once: `while (event.hasMore) event.readBefore(codec) …`. A write has only the image after the
 * change, a delete only the image before it. A reader has one object for all rows events: it represents the latest one
 * until the next event is read.
 */
export class RowsEvent {
  readonly tag = 'rows'
  kind: RowsKind = 'write'
  table: TableMap
  readonly #cursor = new RowCursor()
  readonly #place: () => string
  #body: RowsBody | null = null
  /** Null when all columns are present. */
  #presentBefore: Uint8Array | null = null
  #presentAfter: Uint8Array | null = null
  /** INSERT INTO t () VALUES () under binlog_row_image=MINIMAL: one row whose image holds no column and no byte. */
  #isRowWithoutBytes = false
  #hasDiffs = false
  /** Where the current row began: a row takes bytes, or it would never end. */
  #rowStart = 0

  /** @param place returns the position of the event, for messages */
  constructor(table: TableMap, place: () => string) {
    this.table = table
    this.#place = place
  }

  /** Makes the object represent another event. Throws RangeError if the event's columns are not those of the table. */
  reset(kind: RowsKind, table: TableMap, body: RowsBody): this {
    const cursor = this.#cursor
    const { bytes, at, end, hasDiffs = false } = body
    this.#body = body
    this.#hasDiffs = hasDiffs
    this.kind = kind
    this.table = table
    cursor.bytes = bytes
    cursor.at = at
    cursor.end = end
    const count = readLengthEncoded(bytes, cursor)
    if (count !== table.columns.length) {
      throw new RangeError(`it has ${count} columns, the table map ${table.columns.length}`)
    }
    if (count === 0) throw new RangeError('it has no columns')
    this.#presentBefore = readPresence(bytes, cursor, count)
    this.#presentAfter = kind === 'update' ? readPresence(bytes, cursor, count) : this.#presentBefore
    if (cursor.at > end) throw new RangeError('it ends before its rows begin')
    // An image without columns has no bytes; any other has the bitmap of its NULLs.
    if (cursor.at === end && !this.isPartial) throw new RangeError('it has no rows')
    this.#isRowWithoutBytes = cursor.at === end
    return this
  }

  /** The size of the columns and rows of the event. */
  get byteLength(): number {
    return this.#body === null ? 0 : this.#body.end - this.#body.at
  }

  /** An event with the same rows and bytes of its own, which stays valid when the next event is read. */
  copy(): RowsEvent {
    const body = present(this.#body, 'a rows event')
    const place = this.#place()
    const bytes = Buffer.from(body.bytes.subarray(body.at, body.end))
    return new RowsEvent(this.table, () => place).reset(this.kind, this.table, {
      bytes,
      at: 0,
      end: bytes.length,
      hasDiffs: this.#hasDiffs,
    })
  }

  /** Reads the rows from the first one again. */
  rewind(): void {
    this.reset(this.kind, this.table, present(this.#body, 'a rows event'))
  }

  /** True if images lack columns, or have changes of JSON documents, so that values may be ABSENT or CHANGED. */
  get isPartial(): boolean {
    return this.#presentBefore !== null || this.#presentAfter !== null || this.#hasDiffs
  }

  get hasMore(): boolean {
    return this.#cursor.at < this.#cursor.end || this.#isRowWithoutBytes
  }

  /** True if the rows ended exactly where the event ends. */
  get isConsumed(): boolean {
    return this.#cursor.at === this.#cursor.end
  }

  /** Reads the image before the change. Throws BINLOG_CORRUPT for bytes that are not an image. */
  readBefore<T>(codec: RowCodec<T>): RowValue<T>[] {
    return this.#read(codec, this.#presentBefore, 'before')
  }

  /** Reads the image after the change; of an update, after `readBefore`. Throws BINLOG_CORRUPT for bytes that are not an image. */
  readAfter<T>(codec: RowCodec<T>): RowValue<T>[] {
    return this.#read(codec, this.#presentAfter, 'after')
  }

  /** The bytes to which the places of `locate` refer. */
  get bytes(): Buffer {
    return this.#cursor.bytes
  }

  /**
   * Finds the values of the next image instead of reading them (`RowCodec.locate`). The event must not be partial: its
   * images have all columns. Throws BINLOG_CORRUPT for bytes that are not an image.
   */
  locate<T>(codec: RowCodec<T>, places: Int32Array, first: number): void {
    try {
      codec.locate(this.#cursor, places, first)
    } catch (thrown) {
      throw this.corruptRow(thrown)
    }
  }

  #read<T>(codec: RowCodec<T>, presence: Uint8Array | null, image: 'before' | 'after'): RowValue<T>[] {
    const cursor = this.#cursor
    try {
      const values = this.isPartial ? this.#readPartial(codec, presence, image) : codec.readFull(cursor)
      if (cursor.at <= cursor.end) return values
      throw new RangeError('it is longer than the event')
    } catch (thrown) {
      throw this.corruptRow(thrown)
    }
  }

  /** Turns the RangeError of a reader into BINLOG_CORRUPT; returns any other error unchanged. */
  corruptRow(thrown: unknown): unknown {
    if (!(thrown instanceof RangeError)) return thrown
    const { database, table } = this.table
    const cause = clearRangeError(thrown)
    const reason = `a row of ${database}.${table}: ${cause.message}`
    return mysqlErrors.BINLOG_CORRUPT({ position: this.#place(), reason }, cause)
  }

  #readPartial<T>(codec: RowCodec<T>, presence: Uint8Array | null, image: 'before' | 'after'): RowValue<T>[] {
    const cursor = this.#cursor
    const isFirstImage = image === 'before' || this.kind === 'write'
    if (isFirstImage) this.#rowStart = cursor.at
    const values = this.#readImage(codec, presence, image)
    const isLastImage = image === 'after' || this.kind === 'delete'
    if (isLastImage && cursor.at === this.#rowStart && !this.#isRowWithoutBytes) {
      throw new RangeError('it has no bytes, but others follow')
    }
    this.#isRowWithoutBytes = false
    return values
  }

  #readImage<T>(codec: RowCodec<T>, presence: Uint8Array | null, image: 'before' | 'after'): RowValue<T>[] {
    const cursor = this.#cursor
    if (!this.#hasDiffs) return presence === null ? codec.readFull(cursor) : codec.readPartial(cursor, presence)
    const { partialUpdates } = codec
    return image === 'before' ? partialUpdates.readBefore(cursor, presence) : partialUpdates.readAfter(cursor, presence)
  }
}

/** Reads the bitmap; null if every column is present. */
function readPresence(bytes: Buffer, cursor: { at: number }, count: number): Uint8Array | null {
  const start = cursor.at
  cursor.at += (count + 7) >> 3
  for (let i = 0; i < count; i++) {
    if ((((bytes[start + (i >> 3)] as number) >> (i & 7)) & 1) === 0) return bytes.subarray(start, cursor.at)
  }
  return null
}
