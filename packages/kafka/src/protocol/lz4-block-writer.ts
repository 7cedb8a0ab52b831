/*
 * LZ4 block (lz4_Block_format.md): a run of sequences
 *
 *   token            high four bits: literal length, low four: match length - 4; 15: more length bytes follow
 *   literal length   bytes to be added, while they are 255
 *   literals
 *   distance         2 bytes, lowest first: where the match begins, counted back
 *   match length     bytes to be added, while they are 255
 *
 * The last sequence ends behind its literals; at least five of them must follow the last match.
 */

/** A match reaches back no farther: the distance has 16 bits. */
export const MATCH_DISTANCE_MAX = 0xffff
/** Shorter repeats are not looked for: a sequence costs about as much as copying them. */
const REPEAT_BYTES_MIN = 24
/** The end of a repeat is always written as literals, so that a block may end behind any repeat. */
export const LITERALS_AFTER_MATCH = 5
/** Different repeats that are remembered; a batch of one table has two. */
const SLOTS_MAX = 8

/**
 * Writes one LZ4 block from bytes of which the caller knows what repeats.
 *
 * A common compressor searches; this one is told. `repeat` gets the same object for the same bytes and writes them as one
 * match to where they stood before, when that is within 64 KiB; all else is copied as it is. The schema half of a JSON
 * record is such a repeat.
 *
 * Literals are written where they belong at once. In front of them stands room for their length, whose size is guessed
 * from the run that stood at the same place in the record before; a wrong guess moves the run by a byte or two.
 */
export class Lz4BlockWriter {
  /** Replaced by `moveTo` only. */
  bytes: Buffer
  #view: DataView
  /** Where the next literal goes: write there, then move it. */
  end = 0
  /** What is to be added to `end` to get the position in the uncompressed block. */
  #skew = 0
  #runStart = 0
  #reservedBytes = 0
  /** The repeat that the current run follows: SLOTS_MAX at the start. */
  #slot = SLOTS_MAX
  #slotCount = 0
  readonly #repeats: Uint8Array[] = []
  readonly #positions: number[] = []
  /** The most that was ever reserved for the length of a run behind a repeat: so far `end` may be ahead of what the run needs. */
  #reservedMax = 0
  /** Bytes of length of the last run behind each repeat. */
  readonly #extensionBytes: number[] = Array.from({ length: SLOTS_MAX + 2 }, () => 0)

  constructor(bytes: Buffer, start: number) {
    this.bytes = bytes
    this.#view = viewOf(bytes)
    this.begin(start)
  }

  /** Uncompressed bytes so far. */
  get position(): number {
    return this.end + this.#skew
  }

  /** Begins a block at that place, after `close` of the one before. What stood there is out of its reach. */
  begin(start: number): void {
    this.end = start
    this.#slot = SLOTS_MAX
    this.#openRun()
    this.#skew = -this.end
    this.#positions.fill(OUT_OF_REACH)
  }

  /** Goes on in a larger buffer that begins with the same bytes. */
  moveTo(bytes: Buffer): void {
    this.bytes = bytes
    this.#view = viewOf(bytes)
  }

  /** Where `end` may be, at most, after `close`, when `count` more bytes come as literals and up to two repeats. */
  endMax(count: number): number {
    const lengthBytesMax = Math.ceil((this.end - this.#runStart + 2 * count) / 255)
    return this.end + count + lengthBytesMax + this.#reservedMax + 4 * SEQUENCE_FIXED_BYTES + WORD_BYTES
  }

  /** Writes bytes that come again as the same object. */
  repeat(bytes: Uint8Array): void {
    const { length } = bytes
    if (length >= REPEAT_BYTES_MIN) {
      const position = this.end + this.#skew
      const slot = this.#slotOf(bytes)
      const distance = position - (this.#positions[slot] as number)
      this.#positions[slot] = position
      if (distance <= MATCH_DISTANCE_MAX) {
        this.#closeRun(length - LITERALS_AFTER_MATCH, distance)
        this.#slot = slot
        this.#openRun()
        this.#skew = position + length - LITERALS_AFTER_MATCH - this.end
        for (let i = length - LITERALS_AFTER_MATCH; i < length; i++) this.bytes[this.end++] = bytes[i] as number
        return
      }
    }
    this.bytes.set(bytes, this.end)
    this.end += length
  }

  /** Copies `[start, end)` of a buffer; `view` is of the same bytes. Up to seven bytes behind them are written over. */
  literals(buffer: Buffer, view: DataView, start: number, end: number): void {
    const length = end - start
    // The run most likely ends with these bytes, since a match follows.
    if (this.end === this.#runStart && length >= LENGTH_NIBBLE_MAX) this.#reserve(extensionBytesOf(length))
    if (length > WORDS_MAX || end + WORD_BYTES > buffer.length) {
      buffer.copy(this.bytes, this.end, start, end)
    } else {
      // Optimized code moves 64 bits and makes no BigInt: half the time of four bytes at a time.
      const to = this.#view
      const shift = this.end - start
      for (let at = start; at < end; at += WORD_BYTES) to.setBigInt64(at + shift, view.getBigInt64(at, true), true)
    }
    this.end += length
  }

  /** Writes bytes that stood `distance` before. At least five literals must follow. */
  match(length: number, distance: number): void {
    const position = this.end + this.#skew
    this.#closeRun(length, distance)
    this.#slot = INNER
    this.#openRun()
    this.#skew = position + length - this.end
  }

  #reserve(extensionBytes: number): void {
    const shift = extensionBytes - this.#reservedBytes
    this.#reservedBytes = extensionBytes
    this.end += shift
    this.#skew -= shift
    this.#runStart = this.end
  }

  /** Ends the block; `end` is behind it. */
  close(): void {
    this.#closeRun(0, 0)
  }

  #openRun(): void {
    this.#reservedBytes = this.#extensionBytes[this.#slot] as number
    this.end += 1 + this.#reservedBytes
    this.#runStart = this.end
  }

  /** Writes what stands around the current run: token and length before it, the match (when there is one) behind. */
  #closeRun(matchBytes: number, distance: number): void {
    const bytes = this.bytes
    const runBytes = this.end - this.#runStart
    const tokenAt = this.#runStart - this.#reservedBytes - 1
    const extensionBytes = extensionBytesOf(runBytes)
    if (extensionBytes !== this.#reservedBytes) {
      bytes.copyWithin(tokenAt + 1 + extensionBytes, this.#runStart, this.end)
      this.end += extensionBytes - this.#reservedBytes
      if (this.#slot !== INNER) this.#extensionBytes[this.#slot] = extensionBytes
      if (extensionBytes > this.#reservedMax) this.#reservedMax = extensionBytes
    }
    const matchNibble = matchBytes === 0 ? 0 : Math.min(matchBytes - 4, 15)
    bytes[tokenAt] = (Math.min(runBytes, 15) << 4) | matchNibble
    writeLengthExtension(bytes, tokenAt + 1, runBytes)
    if (matchBytes === 0) return
    bytes[this.end++] = distance & 0xff
    bytes[this.end++] = distance >> 8
    this.end = writeLengthExtension(bytes, this.end, matchBytes - 4)
  }

  /** The slot of these bytes; a new one has a position too far back to be a match. */
  #slotOf(bytes: Uint8Array): number {
    const repeats = this.#repeats
    for (let i = 0; i < repeats.length; i++) if (repeats[i] === bytes) return i
    const slot = this.#slotCount++ % SLOTS_MAX
    repeats[slot] = bytes
    this.#positions[slot] = OUT_OF_REACH
    return slot
  }
}

/** Where no match from any place of a block reaches back to. */
const OUT_OF_REACH = -MATCH_DISTANCE_MAX - 1
/** In place of a slot: the run follows another match. */
const INNER = SLOTS_MAX + 1
const WORD_BYTES = 8
/** From here on a native copy is faster than a loop over words. */
const WORDS_MAX = 128

function viewOf(bytes: Buffer): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
}

/** What of a length goes into bytes behind the token begins here. */
const LENGTH_NIBBLE_MAX = 15

/** Bytes of literal length behind the token. */
function extensionBytesOf(runBytes: number): number {
  return runBytes < LENGTH_NIBBLE_MAX ? 0 : 1 + Math.floor((runBytes - 15) / 255)
}

/** Token, distance, and the first byte of each length. */
const SEQUENCE_FIXED_BYTES = 5

/** Writes the bytes of length that follow a token and gives the position behind. */
function writeLengthExtension(bytes: Buffer, start: number, length: number): number {
  if (length < 15) return start
  let at = start
  let rest = length - 15
  for (; rest >= 255; rest -= 255) bytes[at++] = 255
  bytes[at++] = rest
  return at
}
