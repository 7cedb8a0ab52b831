import type { HeaderRun, RecordHeader, RecordPart } from '../api/records.ts'
import { NULL_LENGTH, partBytes } from './batch-builder.ts'
import { writeVarint } from './varint.ts'
import { WORD_BYTES, WORDED_BYTES_MAX } from './words.ts'

/**
 * Writes the fields of records one after the other into a buffer, uncompressed. The caller has made room for them, and
 * for WORD_BYTES more.
 *
 * On the hot path. `source[i] as number`: ranges are within their buffer.
 */
export class RecordWriter {
  #bytes: Buffer
  #view: DataView
  /** Where the next byte is written. */
  position: number

  constructor(bytes: Buffer, position: number) {
    this.#bytes = bytes
    this.#view = viewOf(bytes)
    this.position = position
  }

  get bytes(): Buffer {
    return this.#bytes
  }

  /** Continues in a larger buffer that begins with the same bytes. */
  moveTo(bytes: Buffer): void {
    this.#bytes = bytes
    this.#view = viewOf(bytes)
  }

  byte(value: number): void {
    this.#bytes[this.position++] = value
  }

  varint(value: number): void {
    this.position = writeVarint(this.#bytes, this.position, value)
  }

  /** Length and bytes of a key or value. */
  part(part: RecordPart | null): void {
    if (part === null) {
      this.byte(NULL_LENGTH)
      return
    }
    this.varint(partBytes(part))
    if (part.prefix.length > 0) this.#field(part.prefix)
    this.#run(part, part.start)
  }

  headers(headers: readonly RecordHeader[] | HeaderRun): void {
    if ('count' in headers) {
      this.varint(headers.count)
      this.#run(headers, 0)
      return
    }
    this.varint(headers.length)
    for (const { key, value } of headers) {
      this.varint(key.length)
      this.#field(key)
      this.varint(value === null ? -1 : value.length)
      if (value !== null) this.#field(value)
    }
  }

  #field(bytes: Uint8Array): void {
    this.#bytes.set(bytes, this.position)
    this.position += bytes.length
  }

  /** Copies `buffer[start, end)`. */
  #run({ buffer, view, end }: Pick<RecordPart, 'buffer' | 'view' | 'end'>, start: number): void {
    const length = end - start
    const to = this.position
    this.position = to + length
    if (length <= WORDED_BYTES_MAX && view !== undefined && end + WORD_BYTES <= view.byteLength) {
      const target = this.#view
      for (let i = 0; i < length; i += WORD_BYTES) target.setBigInt64(to + i, view.getBigInt64(start + i, true), true)
    } else if (length > SHORT_RUN) {
      buffer.copy(this.#bytes, to, start, end)
    } else {
      const target = this.#bytes
      for (let i = 0; i < length; i++) target[to + i] = buffer[start + i] as number
    }
  }
}

function viewOf(bytes: Buffer): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
}

/** Up to here a loop is faster than a call into native code, see `Lz4BlockWriter.literals`. */
const SHORT_RUN = 40
