import { compact } from './big-decimal.ts'

export type WholeType = 'int8' | 'int16' | 'int32' | 'int64'

const BITS: Readonly<Record<WholeType, number>> = { int8: 8, int16: 16, int32: 32, int64: 64 }

/** The low bits of a whole number, as Java casts integers and decimals. */
export function narrowWhole(value: number | bigint, type: WholeType): number | bigint {
  if (typeof value === 'number' && type === 'int64') return value
  return compact(BigInt.asIntN(BITS[type], BigInt(value)))
}

/** Java's cast of a double: the whole part within the range of an int or long, of which shorter types take low bits. */
export function narrowFraction(value: number, type: WholeType): number | bigint {
  if (Number.isNaN(value)) return 0
  if (type !== 'int64') return narrowWhole(Math.min(Math.max(Math.trunc(value), -(2 ** 31)), 2 ** 31 - 1) + 0, type)
  if (value >= 2 ** 63) return 2n ** 63n - 1n
  return compact(value <= -(2 ** 63) ? -(2n ** 63n) : BigInt(Math.trunc(value)))
}

/** Byte.parseByte and the like; null for another text, or beyond the range. */
export function parseJavaWhole(text: string, type: WholeType): number | bigint | null {
  if (!/^[+-]?\d+$/.test(text) || text.length > WHOLE_LENGTH_MAX) return null
  const value = BigInt(text.startsWith('+') ? text.slice(1) : text)
  return BigInt.asIntN(BITS[type], value) === value ? compact(value) : null
}

/** A long has 19 digits; zeros may precede them. */
const WHOLE_LENGTH_MAX = 1000

const FRACTION = /^([+-]?)(?:(NaN|Infinity)|((?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)[fFdD]?)$/

/** Float.parseFloat and Double.parseDouble, except hexadecimal numbers; null for another text. */
export function parseJavaFraction(text: string, round: (digits: string) => number): number | null {
  // Java trims control characters and the space.
  const trimmed = text.replaceAll(/^[\0- ]+|[\0- ]+$/g, '')
  const [, sign = '', name, digits = ''] = FRACTION.exec(trimmed) ?? []
  if (name !== undefined) return Number(name === 'NaN' ? name : sign + name)
  return digits === '' ? null : round(sign + digits)
}
