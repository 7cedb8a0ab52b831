import { readLengthEncoded } from '../values/length-encoded.ts'
import type { RowCodec, RowValue } from './row-codec.ts'
import { RowCursor } from './row-cursor.ts'
import type { TableMap } from './table-map.ts'

export type RowsKind = 'write' | 'update' | 'delete'

/** Where a rows event's body lies: behind table id, flags and extra data. */
export interface RowsBody {
  readonly bytes: Buffer
  readonly at: number
  readonly end: number
}

/**
 * Changed rows of one table. Body (Rows_log_event): int<lenenc> columns · bitmap of the columns present · for updates a second
 * one for the images after · row images to the end: one a row, two for updates.
 *
 * Rows are read in order, once: `while (event.hasMore) event.readBefore(codec) …`. For a write the one image is "after", for a
 * delete it is "before". A reader has one object, which stands for its latest rows event until the next event is read.
 */
export class RowsEvent {
  readonly tag = 'rows'
  kind: RowsKind = 'write'
  table: TableMap
  readonly #cursor = new RowCursor()
  #end = 0
  /** Null: all columns are present. */
  #presentBefore: Uint8Array | null = null
  #presentAfter: Uint8Array | null = null

  constructor(table: TableMap) {
    this.table = table
  }

  /** Makes the object stand for another event. */
  reset(kind: RowsKind, table: TableMap, { bytes, at, end }: RowsBody): this {
    const cursor = this.#cursor
    this.kind = kind
    this.table = table
    this.#end = end
    cursor.bytes = bytes
    cursor.at = at
    const count = readLengthEncoded(bytes, cursor)
    this.#presentBefore = readPresence(bytes, cursor, count)
    this.#presentAfter = kind === 'update' ? readPresence(bytes, cursor, count) : this.#presentBefore
    return this
  }

  /** True: an image leaves columns out, and values may be ABSENT. */
  get isPartial(): boolean {
    return this.#presentBefore !== null || this.#presentAfter !== null
  }

  get hasMore(): boolean {
    return this.#cursor.at < this.#end
  }

  /** True when the rows ended exactly where the event ends. */
  get isConsumed(): boolean {
    return this.#cursor.at === this.#end
  }

  readBefore<T>(codec: RowCodec<T>): RowValue<T>[] {
    return this.#presentBefore === null
      ? codec.readFull(this.#cursor)
      : codec.readPartial(this.#cursor, this.#presentBefore)
  }

  readAfter<T>(codec: RowCodec<T>): RowValue<T>[] {
    return this.#presentAfter === null
      ? codec.readFull(this.#cursor)
      : codec.readPartial(this.#cursor, this.#presentAfter)
  }
}

/** The bitmap, or null when every column is present. */
function readPresence(bytes: Buffer, cursor: { at: number }, count: number): Uint8Array | null {
  const start = cursor.at
  cursor.at += (count + 7) >> 3
  for (let i = 0; i < count; i++) {
    if ((((bytes[start + (i >> 3)] as number) >> (i & 7)) & 1) === 0) return bytes.subarray(start, cursor.at)
  }
  return null
}
