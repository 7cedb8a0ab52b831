import {
  type ConnectValue,
  RawCells,
  type RawField,
  type RawLayout,
  type RawReader,
  RawStruct,
  READ_ALREADY,
  type Schema,
  type SchemaType,
} from '@tributary/connect-api'
import type { RowImage } from '@tributary/connector-kit'
import type { ColumnTarget, RowCodec, RowsEvent } from '@tributary/mysql'
import type { CapturedTable } from '../tables/captured-table.ts'
import type { RowPlaces } from './row-places.ts'

/** An image that is the bytes of its event until somebody asks for a value. */
export class RawRow implements RowImage {
  readonly #layouts: RawLayouts
  readonly #cells: RawCells

  constructor(layouts: RawLayouts, cells: RawCells) {
    this.#layouts = layouts
    this.#cells = cells
  }

  value(): RawStruct {
    return new RawStruct(this.#layouts.value, this.#cells)
  }

  key(): RawStruct | null {
    const { key } = this.#layouts
    return key === null ? null : new RawStruct(key, this.#cells)
  }

  /** The server writes equal values of a column as equal bytes. */
  hasSameKey(other: RawRow): boolean {
    const { key } = this.#layouts
    if (key === null) return true
    for (let i = 0; i < key.cells.length; i++) {
      if (!hasSameBytes(this.#cells, other.#cells, key.cells[i] as number)) return false
    }
    return true
  }
}

interface RawLayouts {
  readonly value: RawLayout
  readonly key: RawLayout | null
}

function hasSameBytes(a: RawCells, b: RawCells, cell: number): boolean {
  const start = a.places[a.first + 2 * cell] as number
  const otherStart = b.places[b.first + 2 * cell] as number
  // Nothing that is read early (JSON) can be part of a key.
  if (start < 0 || otherStart < 0) return start === otherStart
  const length = (a.places[a.first + 2 * cell + 1] as number) - start
  if (length !== (b.places[b.first + 2 * cell + 1] as number) - otherStart) return false
  for (let i = 0; i < length; i++) if (a.bytes[start + i] !== b.bytes[otherStart + i]) return false
  return true
}

/** Reads the images of one table version as raw rows. */
export class RawRowReader {
  readonly #codec: RowCodec<ConnectValue>
  readonly #layouts: RawLayouts
  /** Columns whose bytes may turn out to be no value: they are read while it is known where the event stands. */
  readonly #readFirst: readonly number[]
  readonly #columnCount: number

  constructor({ targets, schema }: CapturedTable, codec: RowCodec<ConnectValue>) {
    this.#codec = codec
    this.#columnCount = targets.length
    this.#readFirst = targets.flatMap((target, column) => (target?.kind === 'json' ? [column] : []))
    const fieldOf = (column: number, { type }: Schema): RawField => {
      const target = targets[column] ?? null
      const read = readerOf(codec, column)
      // A definition that is older or newer than the rows may say INT where they have BIGINT: then each value is looked at.
      const isPlain = target?.kind !== 'integer' || fits(codec.widthOf(column), target.isUnsigned, type)
      return isPlain ? rawField(target, read) : { kind: 'value', read }
    }
    const valueIndexes = schema.valueIndexes ?? Array.from(targets.keys())
    this.#layouts = {
      value: layoutOf(schema.valueSchema, valueIndexes, fieldOf),
      key: schema.keySchema === null ? null : layoutOf(schema.keySchema, schema.keyIndexes, fieldOf),
    }
  }

  /** The next image of an event that is not partial. */
  read(event: RowsEvent, places: RowPlaces): RawRow {
    const first = places.take(2 * this.#columnCount)
    const array = places.array
    event.locate(this.#codec, array, first)
    const values = this.#readFirst.length === 0 ? null : this.#readEarly(event, array, first)
    return new RawRow(this.#layouts, new RawCells(event.bytes, array, first, values))
  }

  #readEarly(event: RowsEvent, places: Int32Array, first: number): readonly ConnectValue[] {
    const values: ConnectValue[] = []
    for (const column of this.#readFirst) {
      const at = first + 2 * column
      const start = places[at] as number
      if (start < 0) continue
      try {
        values[column] = this.#codec.readLocated(column, event.bytes, start, places[at + 1] as number)
      } catch (thrown) {
        throw event.corruptRow(thrown)
      }
      places[at] = READ_ALREADY
    }
    return values
  }
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

/** Whether every integer of that many bytes is one of the Connect type. */
function fits(width: number, isUnsigned: boolean, type: SchemaType): boolean {
  const typeWidth = type === 'int16' ? 2 : type === 'int32' ? 4 : type === 'int64' ? 8 : 0
  return isUnsigned ? width < typeWidth : width <= typeWidth
}

function rawField(target: ColumnTarget<ConnectValue> | null, read: RawReader): RawField {
  if (target?.kind === 'text' && target.charset !== undefined) return { kind: 'text', charset: target.charset, read }
  if (target?.kind === 'integer' && target.of === null) return { kind: 'integer', isUnsigned: target.isUnsigned, read }
  return { kind: 'value', read }
}
