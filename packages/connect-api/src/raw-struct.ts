import type { ByteWriter } from '@tributary/support'
import type { TextCharset } from './encoded-text.ts'
import { type ConnectValue, type Schema, Struct } from './data.ts'

/**
 * The form of a field's bytes, so that a converter can write them without creating a value. Each kind documents what
 * `read`, and so `at` of the struct, returns for the same bytes; a converter that does not know a kind uses that value.
 */
export type RawField =
  /**
   * Little-endian two's complement of 1, 2, 3, 4 or 8 bytes: a number, or a bigint beyond ±2^53. The range of the bytes
   * is that of the field's type.
   */
  | { readonly kind: 'integer'; readonly isUnsigned: boolean; readonly read: RawReader }
  /** Text in a charset: EncodedText. */
  | { readonly kind: 'text'; readonly charset: TextCharset; readonly read: RawReader }
  /** Little-endian IEEE 754 of 4 or 8 bytes: a number. */
  | { readonly kind: 'float'; readonly read: RawReader }
  /**
   * The bytes themselves, from the last to the first if `isReversed`. Fewer than `lengthMin` bytes are not copied but
   * read.
   */
  | { readonly kind: 'bytes'; readonly isReversed: boolean; readonly lengthMin: number; readonly read: RawReader }
  /** One of few values, equal for equal bytes: a converter may keep what it has written for a value. */
  | { readonly kind: 'member'; readonly read: RawReader }
  /** A Decimal of that scale. */
  | {
      readonly kind: 'decimal'
      readonly scale: number
      readonly putUnscaled: UnscaledWriter
      readonly read: RawReader
    }
  /** A string of ASCII characters that no JSON text escapes. */
  | { readonly kind: 'printed'; readonly print: RawPrinter; readonly read: RawReader }
  /** Anything else. */
  | { readonly kind: 'value'; readonly read: RawReader }

/**
 * Returns the value of the bytes `[start, end)`. Must not throw: what can fail is decoded before the struct is created.
 */
export type RawReader = (bytes: Buffer, start: number, end: number) => ConnectValue

/**
 * Writes the unscaled value of the bytes from `start` on into `target`, as big-endian two's complement in the fewest
 * bytes, and returns their number. `target` has room for 65 digits (28 bytes).
 */
export type UnscaledWriter = (bytes: Buffer, start: number, target: Uint8Array) => number

/**
 * Appends the text of the bytes `[start, end)`. Returns false, and appends nothing, when their value is not a text: the
 * caller uses `read`.
 */
export type RawPrinter = (bytes: Buffer, start: number, end: number, out: ByteWriter) => boolean

/** Maps the fields of one schema to cells. One object for all rows of a table version: compiled work is keyed by it. */
export interface RawLayout {
  readonly schema: Schema
  /** One per field, in field order. */
  readonly fields: readonly RawField[]
  /** The cell of each field. */
  readonly cells: Int32Array
}

/**
 * The places of one row's values in the bytes that the database sent. Cell `i` is the range of `bytes` from
 * `places[first + 2i]` to `places[first + 2i + 1]`, the end excluded. A start of -1 is null. A start of `READ_ALREADY` or
 * less refers to bytes in `texts`, which were decoded when the row was read.
 */
export class RawCells {
  readonly bytes: Buffer
  readonly places: Int32Array
  readonly first: number
  readonly texts: ByteWriter

  constructor(bytes: Buffer, places: Int32Array, first: number, texts: ByteWriter) {
    this.bytes = bytes
    this.places = places
    this.first = first
    this.texts = texts
  }
}

/**
 * The start of a cell whose bytes are at `texts.bytes[0, places[… + 1])`; for bytes that start at byte n it is n less.
 */
export const READ_ALREADY: number = -2

/**
 * A struct that refers to the bytes of a row and decodes a field when it is read. The struct, and each EncodedText that
 * it returns, is valid until the next poll of its task. `detach` copies one that has to live longer.
 */
export class RawStruct extends Struct {
  readonly layout: RawLayout
  readonly cells: RawCells

  constructor(layout: RawLayout, cells: RawCells) {
    super(layout.schema, NO_VALUES)
    this.layout = layout
    this.cells = cells
  }

  override at(index: number): ConnectValue {
    const cell = this.layout.cells[index] as number
    const { bytes, places, first, texts } = this.cells
    const start = places[first + 2 * cell] as number
    const end = places[first + 2 * cell + 1] as number
    if (start >= 0) return this.#field(index).read(bytes, start, end)
    return start > READ_ALREADY ? null : this.#field(index).read(texts.bytes, READ_ALREADY - start, end)
  }

  #field(index: number): RawField {
    return this.layout.fields[index] as RawField
  }
}

const NO_VALUES: readonly ConnectValue[] = []
