import { READ_ALREADY, type RawStruct } from '@tributary/connect-api'
import type { ByteWriter } from '@tributary/support'
import type { CellWriter, ValueWriter } from './value-writer.ts'

/**
 * Appends the fields of a raw struct in order. `cellWriters` are compiled for its layout; `valueWriters`, compiled for
 * its schema, write the nulls. Both have one entry per field, so that every index of the loop is in range.
 */
export function writeRawStruct(
  { layout, cells }: RawStruct,
  cellWriters: readonly CellWriter[],
  valueWriters: readonly ValueWriter[],
  out: ByteWriter,
): void {
  const { bytes, places, first, texts } = cells
  const cellOf = layout.cells
  const { length } = cellWriters
  for (let i = 0; i < length; i++) {
    const cell = cellOf[i] as number
    const at = first + 2 * cell
    const start = places[at] as number
    if (start >= 0) (cellWriters[i] as CellWriter)(bytes, start, places[at + 1] as number, out)
    else if (start > READ_ALREADY) (valueWriters[i] as ValueWriter)(null, out)
    else (cellWriters[i] as CellWriter)(texts.bytes, READ_ALREADY - start, places[at + 1] as number, out)
  }
}
