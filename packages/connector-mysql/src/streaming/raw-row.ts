import {
  type ConnectValue,
  type RawCells,
  type RawField,
  type RawLayout,
  type RawReader,
  RawStruct,
  READ_ALREADY,
  type Schema,
  type Struct,
} from '@tributary/connect-api'
import { isSameStruct, type RowImage, type TableSchema } from '@tributary/connector-kit'
import { earlyValue, type EarlyValue, type RowCodec, type RowsEvent, type TableMap } from '@tributary/mysql'
import { type ByteWriter, present } from '@tributary/support'
import type { CapturedTable } from '../tables/captured-table.ts'
import { rawField } from './raw-field.ts'
import type { RowPlaces } from './row-places.ts'

/**
 * An image that keeps the bytes of its event; values are decoded when they are needed. Valid until its poll is over.
 */
export class RawRow implements RowImage {
  readonly #layouts: RawLayouts
  readonly #cells: RawCells

  constructor(layouts: RawLayouts, cells: RawCells) {
    this.#layouts = layouts
    this.#cells = cells
  }

  value(): Struct {
    const { value, mask } = this.#layouts
    const row = new RawStruct(value, this.#cells)
    return mask === null ? row : mask.apply(row)
  }

  key(): Struct | null {
    const { key, keyMask } = this.#layouts
    if (key === null) return null
    const row = new RawStruct(key, this.#cells)
    return keyMask === null ? row : keyMask.apply(row)
  }

  hasBytes(column: number, expected: Buffer): boolean {
    const { bytes, places, first } = this.#cells
    const start = places[first + 2 * column] as number
    if (start < 0) return false
    return expected.equals(bytes.subarray(start, places[first + 2 * column + 1]))
  }

  hasSameKey(other: RawRow): boolean {
    const { key, isLossy } = this.#layouts
    if (key === null || this.#hasSameCells(key, other)) return true
    const [mine, others] = isLossy ? [this.key(), other.key()] : NO_KEYS
    return mine !== null && others !== null && isSameStruct(mine, others)
  }

  hasSameValue(other: RawRow): boolean {
    const { value, isLossy } = this.#layouts
    // Different values may have the same mask.
    return this.#hasSameCells(value, other) || (isLossy && isSameStruct(this.value(), other.value()))
  }

  /** The server writes equal values of a column as equal bytes. */
  #hasSameCells({ cells }: RawLayout, other: RawRow): boolean {
    for (let i = 0; i < cells.length; i++) {
      if (!hasSameBytes(this.#cells, other.#cells, cells[i] as number)) return false
    }
    return true
  }
}

const NO_KEYS = [null, null] as const

interface RawLayouts {
  readonly value: RawLayout
  readonly key: RawLayout | null
  readonly mask: TableSchema['mask']
  readonly keyMask: TableSchema['keyMask']
  readonly isLossy: boolean
}

function hasSameBytes(a: RawCells, b: RawCells, cell: number): boolean {
  const start = a.places[a.first + 2 * cell] as number
  const otherStart = b.places[b.first + 2 * cell] as number
  const isText = start <= READ_ALREADY
  // One of them is null.
  if ((start < 0 && !isText) || (otherStart < 0 && otherStart > READ_ALREADY)) return start === otherStart
  const length = (a.places[a.first + 2 * cell + 1] as number) - (isText ? READ_ALREADY - start : start)
  const otherLength = (b.places[b.first + 2 * cell + 1] as number) - (isText ? READ_ALREADY - otherStart : otherStart)
  if (length !== otherLength) return false
  // The values of JSON and COMPRESSED columns were made early.
  if (isText) {
    const from = READ_ALREADY - start
    const otherFrom = READ_ALREADY - otherStart
    return a.texts.bytes.compare(b.texts.bytes, otherFrom, otherFrom + length, from, from + length) === 0
  }
  for (let i = 0; i < length; i++) if (a.bytes[start + i] !== b.bytes[otherStart + i]) return false
  return true
}

/** Reads the images of one table version as raw rows. */
export class RawRowReader {
  readonly #codec: RowCodec<ConnectValue>
  readonly #layouts: RawLayouts
  /** Columns whose bytes may be malformed: they are read while the position of the event is known. */
  readonly #readFirst: readonly { readonly column: number; readonly early: EarlyValue }[]
  readonly #columnCount: number

  /** `map`: the table map that the codec was compiled for. */
  constructor({ targets, schema }: CapturedTable, codec: RowCodec<ConnectValue>, map: TableMap) {
    this.#codec = codec
    this.#columnCount = targets.length
    this.#readFirst = targets.flatMap((target, column) => {
      const early = earlyValue(present(map.columns[column], 'column of the table map'), target)
      return early === null ? [] : [{ column, early }]
    })
    const fieldOf = (column: number, { type }: Schema): RawField => {
      const wire = present(map.columns[column], 'column of the table map')
      const target = targets[column] ?? null
      return rawField({ wire, width: codec.widthOf(column), target, read: readerOf(codec, column) }, type)
    }
    const { keyColumnsSchema } = schema
    const valueIndexes = schema.valueIndexes ?? Array.from(targets.keys())
    this.#layouts = {
      value: layoutOf(schema.valueSchema, valueIndexes, fieldOf),
      key: keyColumnsSchema === null ? null : layoutOf(keyColumnsSchema, schema.keyIndexes, fieldOf),
      mask: schema.mask,
      keyMask: schema.keyMask,
      isLossy: schema.isLossy,
    }
  }

  /** The next image of an event that is not partial. */
  read(event: RowsEvent, places: RowPlaces): RawRow {
    const first = places.take(2 * this.#columnCount)
    const { array, texts } = places
    event.locate(this.#codec, array, first)
    if (this.#readFirst.length > 0) this.#readEarly(event, { array, first, texts })
    return new RawRow(this.#layouts, places.cells(event.bytes, first))
  }

  #readEarly(event: RowsEvent, { array, first, texts }: TakenPlaces): void {
    for (const { column, early } of this.#readFirst) {
      const at = first + 2 * column
      const start = array[at] as number
      if (start < 0) continue
      try {
        const end = array[at + 1] as number
        if (early.tag === 'checks') {
          early.check(event.bytes, start, end)
          continue
        }
        const textStart = texts.position
        early.write(event.bytes, start, end, texts)
        if (texts.position > PLACE_MAX) throw new RangeError(`values of more than ${PLACE_MAX} bytes follow each other`)
        array[at] = READ_ALREADY - textStart
        array[at + 1] = texts.position
      } catch (thrown) {
        throw event.corruptRow(thrown)
      }
    }
  }
}

/** Places are signed numbers of 32 bits. */
const PLACE_MAX = 0x7fff_fff0

interface TakenPlaces {
  readonly array: Int32Array
  readonly first: number
  readonly texts: ByteWriter
}

function readerOf(codec: RowCodec<ConnectValue>, column: number): RawReader {
  return (bytes, start, end) => codec.readLocated(column, bytes, start, end)
}

function layoutOf(
  schema: Schema,
  columns: readonly number[],
  fieldOf: (column: number, schema: Schema) => RawField,
): RawLayout {
  const fields = schema.fields.map((field, i) => fieldOf(columns[i] as number, field.schema))
  return { schema, fields, cells: Int32Array.from(columns) }
}
