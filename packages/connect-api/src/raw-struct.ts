import type { TextCharset } from './encoded-text.ts'
import type { Schema } from './schema.ts'
import { Struct } from './struct.ts'
import type { ConnectValue } from './value.ts'

/**
 * What the bytes of a field are, so that a converter can write them without a value in between. Each kind says what `at` of the
 * struct gives for the same bytes; a converter that does not know a kind asks for that.
 */
export type RawField =
  /**
   * Little-endian two's complement of 1, 2, 3, 4 or 8 bytes: a number, or a bigint beyond ±2^53. Every value of so many bytes is one of
   * the field's type.
   */
  | { readonly kind: 'integer'; readonly isUnsigned: boolean; readonly read: RawReader }
  /** Text in a charset: EncodedText. */
  | { readonly kind: 'text'; readonly charset: TextCharset; readonly read: RawReader }
  /** Anything else. */
  | { readonly kind: 'value'; readonly read: RawReader }

/** The value of the bytes `[start, end)`. Must not throw: what can fail is read before a struct is made of it. */
export type RawReader = (bytes: Buffer, start: number, end: number) => ConnectValue

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
 * A negative start: null. `values`: those that were read already, by cell; null when there are none.
 */
export class RawCells {
  readonly bytes: Buffer
  readonly places: Int32Array
  readonly first: number
  readonly values: readonly ConnectValue[] | null

  constructor(bytes: Buffer, places: Int32Array, first: number, values: readonly ConnectValue[] | null) {
    this.bytes = bytes
    this.places = places
    this.first = first
    this.values = values
  }
}

/** The start of a cell whose value stands in `values`. */
export const READ_ALREADY: number = -2

/**
 * A struct that is the bytes of a row until somebody asks for a field. Valid as long as its bytes are: until the next poll of
 * the task that made it. A transformation that keeps one longer makes a Struct of it.
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
    const { bytes, places, first, values } = this.cells
    const start = places[first + 2 * cell] as number
    if (start >= 0) return this.#field(index).read(bytes, start, places[first + 2 * cell + 1] as number)
    return start === READ_ALREADY ? (values?.[cell] ?? null) : null
  }

  #field(index: number): RawField {
    return this.layout.fields[index] as RawField
  }
}

const NO_VALUES: readonly ConnectValue[] = []
