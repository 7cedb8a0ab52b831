import type { ByteWriter } from '@tributary/support'
import type { TextCharset } from './encoded-text.ts'
import { type ConnectValue, type Schema, Struct } from './data.ts'

/**
 * What the bytes of a field are, so that a converter can write them without a value in between. Each kind says what `read`, and so
 * `at` of the struct, gives for the same bytes; a converter that does not know a kind asks for that.
 */
export type RawField =
  /**
   * Little-endian two's complement of 1, 2, 3, 4 or 8 bytes: a number, or a bigint beyond ±2^53. Every value of so many bytes is one of
   * the field's type.
   */
  | { readonly kind: 'integer'; readonly isUnsigned: boolean; readonly read: RawReader }
  /** Text in a charset: EncodedText. */
  | { readonly kind: 'text'; readonly charset: TextCharset; readonly read: RawReader }
  /** Little-endian IEEE 754 of 4 or 8 bytes: a number. */
  | { readonly kind: 'float'; readonly read: RawReader }
  /** The bytes themselves, from the last to the first where `isReversed`, when they are at least `lengthMin`. */
  | { readonly kind: 'bytes'; readonly isReversed: boolean; readonly lengthMin: number; readonly read: RawReader }
  /** Equal bytes are equal values, and few different ones are expected: what is written for one may be kept for the next. */
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

/** The value of the bytes `[start, end)`. Must not throw: what can fail is read before a struct is made of it. */
export type RawReader = (bytes: Buffer, start: number, end: number) => ConnectValue

/**
 * Puts the unscaled value of the bytes from `start` on as big-endian two's complement in the fewest bytes into `target`, which has room
 * for 65 digits (28 bytes); gives how many they are.
 */
export type UnscaledWriter = (bytes: Buffer, start: number, target: Uint8Array) => number

/** Appends the text that the bytes `[start, end)` are; false, and nothing appended, when their value is another one. */
export type RawPrinter = (bytes: Buffer, start: number, end: number, out: ByteWriter) => boolean

/** How the fields of one schema lie in cells. One object for all rows of a table version: compiled work is found by it. */
export interface RawLayout {
  readonly schema: Schema
  /** One per field, in field order. */
  readonly fields: readonly RawField[]
  /** The cell of each field. */
  readonly cells: Int32Array
}

/**
 * The places of one row's values in the bytes that the database sent: cell `i` is `bytes[places[first + 2i], places[first + 2i + 1])`.
 * A start of -1: null. From `READ_ALREADY` down: the cell was made a text already, which stands in `texts`.
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
 * The start of a cell that is the text `texts.bytes[0, places[… + 1])`; one less for each byte that the text begins later. Its field is
 * of the kind `text`.
 */
export const READ_ALREADY: number = -2

/**
 * A struct that is the bytes of a row until somebody asks for a field. Valid as long as its bytes are: until the next poll of
 * the task that made it, and so are the EncodedTexts that it gives. A transformation that keeps one longer makes a Struct of it, with
 * strings.
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
