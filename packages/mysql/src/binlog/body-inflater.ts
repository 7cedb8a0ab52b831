import { Inflater } from '../compression/inflater.ts'
import { readLengthEncoded } from '../types/length-encoded.ts'
import type { EventBlocks } from './event-blocks.ts'
import { EventType } from './event-type.ts'
import { statementStart } from './query-event.ts'

/**
 * Inflates the bodies of MariaDB's compressed events (`log_bin_compress`, log_event.h and sql/log_event.cc of 10.11): a
 * body as without compression, of which the statement or the row images are replaced by
 *
 *     int<1> 0x80 (zlib) plus the number of bytes of the size, 1 to 4 · size, highest byte first · zlib data to the end
 */
export class BodyInflater {
  readonly #blocks: EventBlocks
  readonly #inflater = new Inflater()

  constructor(blocks: EventBlocks) {
    this.#blocks = blocks
  }

  /**
   * Inflates the body `bytes[at, end)` of an event that has that type without compression. The body is then the current
   * event of the blocks. Returns its size.
   *
   * @throws RangeError
   */
  inflate(type: number, bytes: Buffer, at: number, end: number): number {
    const recordAt = type === EventType.query ? statementStart(bytes, at) : rowsStart(type, bytes, at)
    const sizeBytes = (bytes[recordAt] ?? 0) & 0x07
    const dataAt = recordAt + 1 + sizeBytes
    if (dataAt >= end) throw new RangeError('it ends before its compressed part')
    if (((bytes[recordAt] as number) & METHOD) !== ZLIB || sizeBytes === 0 || sizeBytes > 4) {
      throw new RangeError('it is compressed by an unknown method')
    }
    const size = bytes.readUIntBE(recordAt + 1, sizeBytes)
    if (size > (end - dataAt) * RATIO_MAX) {
      throw new RangeError(`${end - dataAt} compressed bytes cannot have the ${size} bytes that it specifies`)
    }
    const length = recordAt - at + size
    const blocks = this.#blocks
    blocks.begin(length + 1)
    const { start } = blocks
    bytes.copy(blocks.bytes, start, at, recordAt)
    const input = { bytes, at: dataAt, end }
    const output = { bytes: blocks.bytes, at: start + recordAt - at, end: start + length + 1 }
    this.#inflater.run(input, output)
    if (output.at !== start + length)
      throw new RangeError(`its compressed part does not have the ${size} bytes that it specifies`)
    if (input.at !== end) throw new RangeError(`${end - input.at} bytes follow its compressed part`)
    blocks.used = output.at
    return length
  }
}

/** Where the row images of a rows event begin: after table id, flags, extra data, number of columns and bitmaps. */
function rowsStart(type: number, bytes: Buffer, at: number): number {
  const hasExtra = type === EventType.writeRows || type === EventType.updateRows || type === EventType.deleteRows
  const isUpdate = type === EventType.updateRows || type === EventType.updateRowsV1
  const cursor = { at: at + 8 + (hasExtra ? bytes.readUInt16LE(at + 8) : 0) }
  const bitmapBytes = (readLengthEncoded(bytes, cursor) + 7) >> 3
  return cursor.at + (isUpdate ? 2 : 1) * bitmapBytes
}

const METHOD = 0xe0
const ZLIB = 0x80
/** Deflate's shortest code for its longest repetition: no data of that many bytes has more than so many times as many. */
const RATIO_MAX = 1032
