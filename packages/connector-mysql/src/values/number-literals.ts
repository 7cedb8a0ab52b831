import { Decimal } from '@tributary/connect-api'

/** The integer of a DEFAULT literal; fractions are rounded half up, like the server's. */
export function parseInteger(literal: string): number | bigint | undefined {
  const text = literal.trim().toLowerCase()
  if (text === 'true') return 1
  if (text === 'false') return 0
  return parseDecimal(text, 0)?.unscaled
}

/** The exact number with `scale` digits after the decimal point; more digits are rounded half up. */
export function parseDecimal(literal: string, scale: number): Decimal | undefined {
  const match = /^([+-]?)(\d*)(?:\.(\d*))?(?:e([+-]?\d+))?$/i.exec(literal.trim())
  if (match === null) return undefined
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match
  const digits = whole + fraction
  if (digits === '') return undefined
  // The value is digits × 10^power; the result is unscaled × 10^-scale.
  const power = Number(exponent) - fraction.length + scale
  const magnitude = shift(BigInt(digits), power)
  const unscaled = sign === '-' ? -magnitude : magnitude
  return new Decimal(BigInt.asIntN(54, unscaled) === unscaled ? Number(unscaled) : unscaled, scale)
}

/** value × 10^power, rounded half up. */
function shift(value: bigint, power: number): bigint {
  if (power >= 0) return value * 10n ** BigInt(power)
  const divisor = 10n ** BigInt(-power)
  return (value + divisor / 2n) / divisor
}
