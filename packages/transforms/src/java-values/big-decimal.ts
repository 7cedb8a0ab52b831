import { Decimal } from '@tributary/connect-api'

const GRAMMAR = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,10}))?$/
const SCALE_MAX = 2 ** 31 - 1

/** Parses a text as Java's BigDecimal does; null for any other text. */
export function parseBigDecimal(text: string): Decimal | null {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = GRAMMAR.exec(text) ?? []
  if (whole === '' && fraction === '') return null
  const scale = fraction.length - Number(exponent)
  if (Math.abs(scale) > SCALE_MAX) return null
  return new Decimal(compact(BigInt(sign === '-' ? `-${whole}${fraction}` : whole + fraction)), scale)
}

/** A number up to ±2^53, a bigint beyond. */
export function compact(value: bigint): number | bigint {
  return BigInt.asIntN(54, value) === value ? Number(value) : value
}

/** The number of digits of the unscaled value (BigDecimal.precision). */
export function precisionOf({ unscaled }: Decimal): number {
  return String(unscaled < 0 ? -unscaled : unscaled).length
}

/**
 * The whole part, as many bits as a long has (BigDecimal.longValue). A number beyond 10^64 ends with 64 zero bits.
 */
export function lowLong(value: Decimal): bigint {
  const { scale } = value
  if (scale <= -64 || precisionOf(value) <= scale) return 0n
  const unscaled = BigInt(value.unscaled)
  return BigInt.asIntN(64, scale <= 0 ? unscaled * 10n ** BigInt(-scale) : unscaled / 10n ** BigInt(scale))
}

/** The nearest double (BigDecimal.doubleValue). */
export function doubleOf({ unscaled, scale }: Decimal): number {
  return Number(`${unscaled}e${-scale}`)
}
