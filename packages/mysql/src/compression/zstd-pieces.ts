import type { ByteCursor } from './decompressor.ts'

/** The largest window, which is memory that a decompressor needs. */
export interface WindowLimit {
  readonly windowBytesMax: number
  /** For messages. */
  readonly limitedBy: string
}

/**
 * Follows the structure of zstd data (RFC 8878) without decompressing it, and so finds what a decompressor would report
 * late or not at all: data that ends early, bytes after the end, a window that needs too much memory.
 *
 *     data: (frame | skippable frame) …
 *     frame: int<4> 0xFD2FB528 · header · block … · int<4> checksum if the header has the flag
 *     header: int<1> descriptor · int<1> window unless single segment · 0, 1, 2 or 4 bytes dictionary · 0 to 8 bytes size
 *     block: int<3> last (1 bit), type (2 bits), size (21 bits) · its bytes
 *     skippable frame: int<4> 0x184D2A50 to 0x184D2A5F · int<4> size · its bytes
 */
export class ZstdPieces {
  /** Where the next piece begins. */
  at: number
  readonly #bytes: Buffer
  readonly #end: number
  readonly #limit: WindowLimit
  /** Of the current frame; null between frames. */
  #frame: { readonly hasChecksum: boolean } | null = null

  constructor({ bytes, at, end }: Readonly<ByteCursor>, limit: WindowLimit) {
    this.#bytes = bytes
    this.at = at
    this.#end = end
    this.#limit = limit
  }

  get isOver(): boolean {
    return this.#frame === null && this.at === this.#end
  }

  /**
   * Moves over the next block, with the header of its frame before it and the checksum after it.
   *
   * @throws RangeError
   */
  next(): void {
    if (this.#frame === null) {
      if (this.#isSkippable()) {
        this.#skip(8 + this.#uint32(this.at + 4))
        return
      }
      this.#frame = this.#readHeader()
    }
    this.#need(3)
    const header = this.#bytes.readUIntLE(this.at, 3)
    const [type, size] = [(header >> 1) & 3, header >> 3]
    if (type === RESERVED_BLOCK || size > BLOCK_BYTES_MAX) throw new RangeError('it has a zstd block of no known form')
    this.#skip(3 + (type === REPEATED_BYTE ? 1 : size))
    if ((header & 1) === 0) return
    if (this.#frame.hasChecksum) this.#skip(4)
    this.#frame = null
  }

  #isSkippable(): boolean {
    return (this.#uint32(this.at) & 0xff_ff_ff_f0) >>> 0 === SKIPPABLE
  }

  #readHeader(): { readonly hasChecksum: boolean } {
    if (this.#uint32(this.at) !== MAGIC) throw new RangeError('its compressed bytes are not zstd')
    this.#skip(4)
    this.#need(1)
    const descriptor = this.#bytes[this.at] as number
    if ((descriptor & 0x08) !== 0) throw new RangeError('its zstd frame is of a later version')
    const isSingleSegment = (descriptor & 0x20) !== 0
    const dictionaryBytes = [0, 1, 2, 4][descriptor & 3] as number
    const sizeBytes = [isSingleSegment ? 1 : 0, 2, 4, 8][descriptor >> 6] as number
    const windowAt = this.at + 1
    const sizeAt = windowAt + (isSingleSegment ? 0 : 1) + dictionaryBytes
    this.#skip(1 + (isSingleSegment ? 0 : 1) + dictionaryBytes + sizeBytes)
    const window = isSingleSegment ? this.#contentSize(sizeAt, sizeBytes) : windowOf(this.#bytes[windowAt] as number)
    const { windowBytesMax, limitedBy } = this.#limit
    if (window > windowBytesMax) {
      throw new RangeError(`its zstd window of ${window} bytes exceeds ${windowBytesMax}, the limit of ${limitedBy}`)
    }
    return { hasChecksum: (descriptor & 0x04) !== 0 }
  }

  #contentSize(at: number, count: number): number {
    if (count < 8) return this.#bytes.readUIntLE(at, count) + (count === 2 ? 256 : 0)
    return this.#uint32(at) + this.#uint32(at + 4) * 2 ** 32
  }

  #uint32(at: number): number {
    if (at + 4 > this.#end) throw ended()
    return this.#bytes.readUInt32LE(at)
  }

  #need(count: number): void {
    if (this.at + count > this.#end) throw ended()
  }

  #skip(count: number): void {
    this.#need(count)
    this.at += count
  }
}

/** Window_Descriptor: 5 bits exponent, 3 bits mantissa. */
function windowOf(descriptor: number): number {
  const base = 2 ** (10 + (descriptor >> 3))
  return base + (base / 8) * (descriptor & 7)
}

function ended(): RangeError {
  return new RangeError('its compressed bytes end early')
}

const MAGIC = 0xfd_2f_b5_28
const SKIPPABLE = 0x18_4d_2a_50
const REPEATED_BYTE = 1
const RESERVED_BLOCK = 3
const BLOCK_BYTES_MAX = 128 * 1024
