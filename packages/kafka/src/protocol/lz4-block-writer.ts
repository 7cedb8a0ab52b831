import { lengthExtensionBytes, NIBBLE_MAX, writeLengthExtension } from './lz4-length.ts'
import { PREFIX_SLOTS, PrefixPositions } from './prefix-positions.ts'
import { writeVarint } from './varint.ts'
import { WORD_BYTES } from './words.ts'

/*
 * LZ4 block (lz4_Block_format.md): a run of sequences
 *
 *   token            high four bits: literal length, low four: match length - 4; 15: more length bytes follow
 *   literal length   bytes to be added, while they are 255
 *   literals
 *   distance         2 bytes, lowest first: where the match begins, counted back
 *   match length     bytes to be added, while they are 255
 *
 * The last sequence ends after its literals; at least five of them must follow the last match.
 */

/** The greatest distance of a match: it has 16 bits. */
export const MATCH_DISTANCE_MAX = 0xffff

/**
 * Writes one LZ4 block at a time into a buffer. It searches for nothing: the caller names the matches.
 *
 * A prefix that this block already holds, within 64 KiB, becomes one match; all other bytes are literals. A caller that
 * has found repetitions by itself writes them with `match`.
 *
 * Literals are written to their final place at once. Their length precedes them, and its size is not known before the
 * run ends: as many bytes are reserved as the run after the same prefix took last time, and a wrong guess moves the run
 * by a byte or two when it is closed.
 *
 * On the hot path. `array[i] as T`: slots are below the fixed length of the arrays that they index.
 */
export class Lz4BlockWriter {
  #bytes: Buffer
  #view: DataView
  /** Where the next byte is written. */
  #end = 0
  /** `#end + #skew` is the position in the uncompressed block. */
  #skew = 0
  /** Where the literals of the current sequence begin. */
  #runStart = 0
  /** Bytes reserved between its token and `#runStart`. */
  #reservedBytes = 0
  /** What the current run follows: the slot of a prefix, BLOCK_START or MATCH. */
  #runAfter: number = BLOCK_START
  readonly #prefixes = new PrefixPositions()
  /** Length bytes of the last run, by what the run follows; always 0 for MATCH, after which runs have any length. */
  readonly #extensionBytes: number[] = Array.from({ length: PREFIX_SLOTS + 2 }, () => 0)
  /** The most that was ever reserved: so far `#end` may be ahead of what the run needs. */
  #reservedMax = 0

  constructor(bytes: Buffer, start: number) {
    this.#bytes = bytes
    this.#view = viewOf(bytes)
    this.begin(start)
  }

  /** The buffer that the block is written into, up to `end`. `moveTo` replaces it. */
  get bytes(): Buffer {
    return this.#bytes
  }

  /** Where the next byte is written. */
  get end(): number {
    return this.#end
  }

  /** Bytes of the block so far, uncompressed. */
  get position(): number {
    return this.#end + this.#skew
  }

  /** Begins a block at that place, after `close` of the one before, which is out of reach of its matches. */
  begin(start: number): void {
    this.#end = start
    this.#openRun(BLOCK_START)
    this.#skew = -this.#end
    this.#prefixes.clear()
  }

  /** Continues in a larger buffer that begins with the same bytes. */
  moveTo(bytes: Buffer): void {
    this.#bytes = bytes
    this.#view = viewOf(bytes)
  }

  /** The greatest `end` after `close` when `count` more bytes are written as literals and up to two prefixes. */
  endMax(count: number): number {
    const lengthBytesMax = Math.ceil((this.#end - this.#runStart + 2 * count) / 255)
    return this.#end + count + lengthBytesMax + this.#reservedMax + 4 * SEQUENCE_FIXED_BYTES + WORD_BYTES
  }

  byte(value: number): void {
    this.#bytes[this.#end++] = value
  }

  varint(value: number): void {
    this.#end = writeVarint(this.#bytes, this.#end, value)
  }

  /**
   * Copies `[start, end)` of a buffer. A call into native code costs 50 ns however few bytes it copies, a loop of
   * JavaScript 1.2 ns a byte (Node 24): they break even near 40 bytes.
   */
  literals(buffer: Buffer, start: number, end: number): void {
    const length = end - start
    this.#expect(length)
    const bytes = this.#bytes
    let at = this.#end
    if (length > SHORT_RUN) buffer.copy(bytes, at, start, end)
    else for (let i = start; i < end; i++) bytes[at++] = buffer[i] as number
    this.#end += length
  }

  /**
   * The same for up to WORDED_BYTES_MAX bytes of a view that has WORD_BYTES more after them. Moves eight bytes at a
   * time, which optimized code does without making a BigInt: a fifth of the time of a native copy for the literals
   * between two matches.
   */
  wordedLiterals(source: DataView, start: number, end: number): void {
    this.#expect(end - start)
    const target = this.#view
    const shift = this.#end - start
    for (let at = start; at < end; at += WORD_BYTES) target.setBigInt64(at + shift, source.getBigInt64(at, true), true)
    this.#end += end - start
  }

  /** Writes a prefix, as a match when this block holds it within reach. The last bytes of it are always literals. */
  prefix(prefix: Uint8Array): void {
    const { length } = prefix
    if (length >= PREFIX_BYTES_MIN) {
      const position = this.#end + this.#skew
      const slot = this.#prefixes.slotOf(prefix)
      const distance = this.#prefixes.move(slot, position)
      if (distance <= MATCH_DISTANCE_MAX) {
        this.#closeRun(length - LITERALS_AFTER_MATCH, distance)
        this.#openRun(slot)
        this.#skew = position + length - LITERALS_AFTER_MATCH - this.#end
        for (let i = length - LITERALS_AFTER_MATCH; i < length; i++) this.#bytes[this.#end++] = prefix[i] as number
        return
      }
    }
    this.#bytes.set(prefix, this.#end)
    this.#end += length
  }

  /**
   * Writes bytes that this block holds `distance` bytes before. The caller writes five or more literals before `close`.
   */
  match(length: number, distance: number): void {
    const position = this.#end + this.#skew
    this.#closeRun(length, distance)
    this.#openRun(MATCH)
    this.#skew = position + length - this.#end
  }

  /** Ends the block at `end`. */
  close(): void {
    this.#closeRun(0, 0)
  }

  #openRun(after: number): void {
    this.#runAfter = after
    this.#reservedBytes = this.#extensionBytes[after] as number
    this.#end += 1 + this.#reservedBytes
    this.#runStart = this.#end
  }

  /**
   * Reserves bytes for the length of a run that begins now. It follows a match and most likely ends with these
   * literals.
   */
  #expect(length: number): void {
    if (this.#end !== this.#runStart || length < NIBBLE_MAX) return
    const extensionBytes = lengthExtensionBytes(length)
    const shift = extensionBytes - this.#reservedBytes
    this.#reservedBytes = extensionBytes
    this.#end += shift
    this.#skew -= shift
    this.#runStart = this.#end
  }

  /** Writes token and length before the current run, and the match, if there is one, after it. */
  #closeRun(matchBytes: number, distance: number): void {
    const bytes = this.#bytes
    const runBytes = this.#end - this.#runStart
    const tokenAt = this.#runStart - this.#reservedBytes - 1
    const extensionBytes = lengthExtensionBytes(runBytes)
    if (extensionBytes !== this.#reservedBytes) {
      bytes.copyWithin(tokenAt + 1 + extensionBytes, this.#runStart, this.#end)
      this.#end += extensionBytes - this.#reservedBytes
      if (this.#runAfter !== MATCH) this.#extensionBytes[this.#runAfter] = extensionBytes
      if (extensionBytes > this.#reservedMax) this.#reservedMax = extensionBytes
    }
    const matchNibble = matchBytes === 0 ? 0 : Math.min(matchBytes - 4, NIBBLE_MAX)
    bytes[tokenAt] = (Math.min(runBytes, NIBBLE_MAX) << 4) | matchNibble
    writeLengthExtension(bytes, tokenAt + 1, runBytes)
    if (matchBytes === 0) return
    bytes[this.#end++] = distance & 0xff
    bytes[this.#end++] = distance >> 8
    this.#end = writeLengthExtension(bytes, this.#end, matchBytes - 4)
  }
}

/**
 * The run that a block begins with, and one that follows a match of the caller; prefixes have the numbers of their
 * slots.
 */
const BLOCK_START: number = PREFIX_SLOTS
const MATCH: number = PREFIX_SLOTS + 1
/** Shorter prefixes are copied: a sequence costs about as much. */
const PREFIX_BYTES_MIN = 24
/** The end of a prefix is always written as literals, so that a block may end after any prefix. */
const LITERALS_AFTER_MATCH = 5
/** Token, distance, and the first byte of each length. */
const SEQUENCE_FIXED_BYTES = 5
const SHORT_RUN = 40

function viewOf(bytes: Buffer): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
}
