import { type ConnectValue, Decimal } from '@tributary/connect-api'
import type { ColumnTarget } from '@tributary/mysql'
import type { ConvertibleColumn } from './column-converter.ts'

/** Whether BIT(1) counts as a number. */
export type BitHandling = 'withBits' | 'withoutBits'

/** The target that passes the numbers of a column to `of`; null when the column has other values. */
export function numberTarget(
  { plain, type }: ConvertibleColumn,
  of: (value: number) => ConnectValue,
  bits: BitHandling,
): ColumnTarget<ConnectValue> | null {
  const { target } = plain
  switch (target.kind) {
    case 'integer':
      return { kind: 'integer', isUnsigned: target.isUnsigned, of: (value) => of(Number(value)) }
    case 'decimal':
      return { kind: 'decimal', of: (unscaled, scale) => of(Number(new Decimal(unscaled, scale).toString())) }
    case 'float':
    case 'double':
      return { kind: target.kind, of }
    case 'bit':
      if (bits === 'withoutBits' || (type.length ?? 1) !== 1) return null
      return { kind: 'bit', of: (bytes, _start, end) => of(bytes[end - 1] === 0 ? 0 : 1) }
    default:
      return null
  }
}

/** The default of such a column, converted; null: it has none. */
export function numberOf(defaultValue: ConnectValue, of: (value: number) => number): number | null {
  if (defaultValue === null) return null
  if (typeof defaultValue === 'number' || typeof defaultValue === 'bigint') return of(Number(defaultValue))
  if (typeof defaultValue === 'boolean') return of(defaultValue ? 1 : 0)
  // With `decimal.handling.mode=string` it is a text.
  const number = Number(
    typeof defaultValue === 'string' || defaultValue instanceof Decimal ? defaultValue.toString() : Number.NaN,
  )
  return Number.isNaN(number) ? null : of(number)
}
