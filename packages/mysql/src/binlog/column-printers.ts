import type { ColumnTarget } from '../values/column-target.ts'
import type { ColumnPrinter } from './column-printer.ts'
import { ColumnTypeCode, type WireColumn } from './column-type.ts'
import { PackedDecimal } from './packed-decimal.ts'
import { timestampPrinter } from './temporal-readers.ts'

/**
 * Compiles a printer that writes the values of a column without a string for each. Its bytes are those that
 * `RowCodec.locate` finds. Returns null for targets that need the value itself.
 */
export function columnPrinter(column: WireColumn, target: ColumnTarget<unknown>): ColumnPrinter | null {
  if (target.kind === 'decimal' && target.isPlainText === true) return decimalPrinter(PackedDecimal.of(column))
  if (target.kind !== 'timestamp' || target.print === undefined || column.type !== ColumnTypeCode.timestamp2)
    return null
  return timestampPrinter(target.print, column.meta)
}

function decimalPrinter(decimal: PackedDecimal): ColumnPrinter {
  return (bytes, start, _end, out) => {
    decimal.print(bytes, start, out)
    return true
  }
}
