import { DECIMAL_SCHEMA_NAME, type RawField } from '@tributary/connect-api'
import type { CellWriter } from '../writers/value-writer.ts'
import * as cells from './cell-writers.ts'
import type { CellContext } from './cell-writers.ts'
import type { JsonOptions } from './json-options.ts'

/**
 * Compiles the writer of one raw field's cells. It appends the same bytes as `writeValue` does for the value of the
 * cell. A cell is read into a value and passed to `writeValue` when its kind has no faster writer, or when the schema
 * has another type than the kind.
 */
export function compileCell(field: RawField, context: CellContext, options: JsonOptions): CellWriter {
  const { schema } = context.slot
  const isDecimal = schema.name === DECIMAL_SCHEMA_NAME
  switch (field.kind) {
    case 'integer':
      if (INTEGER_TYPES.has(schema.type)) return cells.compileIntegerCell(field, context)
      break
    case 'text':
      if (schema.type === 'string') return cells.compileTextCell(field, context)
      break
    case 'float':
      if (schema.type === 'float' || schema.type === 'double') return cells.compileFloatCell(field, context)
      break
    case 'bytes':
      if (schema.type === 'bytes' && !isDecimal) return cells.compileBytesCell(field, context)
      break
    case 'member':
      return cells.compileMemberCell(field, context)
    case 'decimal':
      if (isDecimal && options.decimalFormat === 'BASE64' && Number(schema.parameters?.['scale']) === field.scale)
        return cells.compileDecimalCell(field, context)
      break
    case 'printed':
      if (schema.type === 'string') return cells.compilePrintedCell(field, context)
      break
    case 'value':
  }
  const { read } = field
  const { writeValue } = context
  return (bytes, start, end, out) => writeValue(read(bytes, start, end), out)
}

/** A raw field of kind `integer` guarantees that every value of its bytes fits its type. */
const INTEGER_TYPES: ReadonlySet<string> = new Set(['int16', 'int32', 'int64'])
