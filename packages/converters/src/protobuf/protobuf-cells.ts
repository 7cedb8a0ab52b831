import type { RawField } from '@tributary/connect-api'
import type { CellWriter, ValueWriter } from '../writers/value-writer.ts'
import { wordAt } from '../writers/word-at.ts'
import { protobufTextWriter, writeInteger, writeWords } from './protobuf-bytes.ts'
import type { ProtoField } from './protobuf-model.ts'
import type { Slot } from './protobuf-scalars.ts'

/** The field that cells of a raw row fill, and the writer of its values. */
export interface CellPlace {
  readonly field: ProtoField
  readonly slot: Slot
  readonly write: ValueWriter
}

/**
 * Compiles the writer of one raw field's cells. It appends the same bytes as `write` does for the value of the cell.
 * Cells of kinds without a faster writer are read into a value. Hot path: `[start, end)` is a range of `bytes`.
 */
export function compileProtobufCell(raw: RawField, { field, slot, write }: CellPlace): CellWriter {
  if (field.kind === 'scalar' && field.label !== 'repeated') {
    const { type } = field.schema
    if (raw.kind === 'integer' && INTEGER_TYPES.has(type)) return compileInteger(slot, raw.isUnsigned)
    if (raw.kind === 'text' && type === 'string') return compileText(slot, raw)
  }
  const { read } = raw
  return (bytes, start, end, out) => write(read(bytes, start, end), out)
}

/** A raw field of kind `integer` guarantees that every value of its bytes fits its type. */
const INTEGER_TYPES: ReadonlySet<string> = new Set(['int16', 'int32', 'int64'])

function compileInteger({ tag, hasPresence }: Slot, isUnsigned: boolean): CellWriter {
  return (bytes, start, end, out) => {
    const size = end - start
    if (size === 8) {
      const [low, high] = [wordAt(bytes, start), wordAt(bytes, start + 4)]
      if ((low | high) === 0 && !hasPresence) return
      out.write(tag)
      writeWords(low, high, out)
      return
    }
    let value = 0
    if (size === 4) {
      value = isUnsigned ? wordAt(bytes, start) >>> 0 : wordAt(bytes, start)
    } else {
      for (let at = end - 1; at >= start; at--) value = (value << 8) | (bytes[at] as number)
      const unusedBits = 32 - 8 * size
      if (!isUnsigned) value = (value << unusedBits) >> unusedBits
    }
    if (value === 0 && !hasPresence) return
    out.write(tag)
    writeInteger(value, out)
  }
}

function compileText({ tag, hasPresence }: Slot, { charset }: Extract<RawField, { kind: 'text' }>): CellWriter {
  const writeBytes = protobufTextWriter(charset)
  return (bytes, start, end, out) => {
    if (start === end && !hasPresence) return
    out.write(tag)
    writeBytes(bytes, start, end, out)
  }
}
