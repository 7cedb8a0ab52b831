import { Lz4BlockWriter } from './lz4-block-writer.ts'

/*
 * LZ4 frame (lz4_Frame_format.md), as Java's KafkaLZ4BlockInputStream reads it:
 *
 *   magic        04 22 4d 18
 *   flags        60   version 1, independent blocks, no checksums, no content size
 *   block size   60   blocks of up to 1 MiB, uncompressed
 *   checksum     51   second byte of xxHash32 of the two bytes before
 *   block        size (4 bytes, lowest first), bytes; as many as there are
 *   end mark     00 00 00 00
 */
const FRAME_HEADER: Uint8Array = Uint8Array.of(0x04, 0x22, 0x4d, 0x18, 0x60, 0x60, 0x51)
/** Precedes each block; a size of 0 is the end mark. */
const BLOCK_SIZE_BYTES = 4
/** Java rejects a block that is larger than the frame declares, compressed or not. It holds one block at a time. */
export const BLOCK_BYTES_MAX: number = 2 ** 20
/**
 * What the end of a block and the start of the next take at most: the size, and a token with the first byte of a length
 * each.
 */
const NEXT_BLOCK_BYTES = BLOCK_SIZE_BYTES + 4

/** Writes an LZ4 frame of one or more blocks into a buffer. The caller decides where a block ends. */
export class Lz4FrameWriter {
  /** Of the current block. One object for all blocks of the frame. */
  readonly block: Lz4BlockWriter
  readonly #frameAt: number
  #blockAt: number
  #closedBytes = 0

  /** `frameAt`: where the frame begins in the buffer. */
  constructor(bytes: Buffer, frameAt: number) {
    this.#frameAt = frameAt
    this.#blockAt = frameAt + FRAME_HEADER.length + BLOCK_SIZE_BYTES
    this.block = new Lz4BlockWriter(bytes, this.#blockAt)
  }

  /** Bytes so far, uncompressed. */
  get position(): number {
    return this.#closedBytes + this.block.position
  }

  /**
   * The greatest end of the frame, without its end mark, when `count` more bytes and up to two prefixes are written.
   */
  endMax(count: number): number {
    return this.block.endMax(count) + NEXT_BLOCK_BYTES
  }

  /** Bytes that the buffer must have for a frame with that `endMax`. */
  static bufferBytes(endMax: number): number {
    return endMax + BLOCK_SIZE_BYTES
  }

  /** Whether `count` more bytes, for which `endMax` returned `endMax`, fit the current block. */
  blockHasRoom(count: number, endMax: number): boolean {
    return this.block.position + count <= BLOCK_BYTES_MAX && endMax - this.#blockAt <= BLOCK_BYTES_MAX
  }

  nextBlock(): void {
    this.#closedBytes += this.block.position
    this.#blockAt = this.#closeBlock() + BLOCK_SIZE_BYTES
    this.block.begin(this.#blockAt)
  }

  /** Ends the frame; returns the position after it. */
  finish(): number {
    const end = this.#closeBlock()
    const { bytes } = this.block
    bytes.set(FRAME_HEADER, this.#frameAt)
    bytes.writeUInt32LE(0, end)
    return end + BLOCK_SIZE_BYTES
  }

  #closeBlock(): number {
    const { block } = this
    block.close()
    block.bytes.writeUInt32LE(block.end - this.#blockAt, this.#blockAt - BLOCK_SIZE_BYTES)
    return block.end
  }
}
