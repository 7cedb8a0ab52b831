import type { RawField } from '@tributary/connect-api'
import type { CellWriter, ValueWriter } from '../writers/value-writer.ts'
import { wordAt } from '../writers/word-at.ts'
import { writeInt, writeLong, writeWords } from './avro-bytes.ts'
import { type AvroSlot, NO_BRANCH } from './avro-slot.ts'
import { avroTextBytesWriter } from './avro-text.ts'

/**
 * Compiles the writer of one raw field's cells. It appends the same bytes as `write` does for the value of the cell.
 * Cells of kinds without a faster writer are read into a value and passed to `write`. Hot path: `[start, end)` is a
 * range of `bytes`.
 */
export function compileAvroCell(field: RawField, slot: AvroSlot, write: ValueWriter): CellWriter {
  const { type } = slot.schema
  if (field.kind === 'integer' && INTEGER_TYPES.has(type)) return compileInteger(slot, field)
  if (field.kind === 'text' && type === 'string') return compileText(slot, field)
  const { read } = field
  return (bytes, start, end, out) => write(read(bytes, start, end), out)
}

/** A raw field of kind `integer` guarantees that every value of its bytes fits its type. */
const INTEGER_TYPES: ReadonlySet<string> = new Set(['int16', 'int32', 'int64'])

function compileInteger({ branch }: AvroSlot, { isUnsigned }: Extract<RawField, { kind: 'integer' }>): CellWriter {
  return (bytes, start, end, out) => {
    const size = end - start
    if (branch !== NO_BRANCH) out.byte(branch)
    if (size === 4) {
      const value = wordAt(bytes, start)
      if (isUnsigned) writeLong(value >>> 0, out)
      else writeInt(value, out)
    } else if (size === 8) {
      writeWords(wordAt(bytes, start), wordAt(bytes, start + 4), out)
    } else {
      let value = 0
      for (let at = end - 1; at >= start; at--) value = (value << 8) | (bytes[at] as number)
      const unusedBits = 32 - 8 * size
      writeInt(isUnsigned ? value : (value << unusedBits) >> unusedBits, out)
    }
  }
}

function compileText({ branch }: AvroSlot, { charset }: Extract<RawField, { kind: 'text' }>): CellWriter {
  const writeBytes = avroTextBytesWriter(charset)
  return (bytes, start, end, out) => {
    if (branch !== NO_BRANCH) out.byte(branch)
    writeBytes(bytes, start, end, out)
  }
}
