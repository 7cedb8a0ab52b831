import { Decimal } from '@tributary/connect-api'
import { EvaluationError } from './expression-error.ts'
import { charactersOf, describeKind } from './kind.ts'
import { BigInteger, FloatingNumber, SmallInteger, type Value } from './values.ts'

/**
 * What Java's `toString` returns, for the values that have a text.
 *
 * @throws EvaluationError for others
 */
export function javaText(value: Value): string {
  const text = charactersOf(value)
  if (text !== null) return text
  if (value === null || value === undefined) return 'null'
  if (typeof value !== 'object') return String(value)
  if (value instanceof FloatingNumber) return floatingText(value)
  if (value instanceof Decimal) return decimalText(value)
  if (value instanceof SmallInteger || value instanceof BigInteger) return String(value.value)
  if (Array.isArray(value)) return `[${(value as readonly Value[]).map(javaText).join(', ')}]`
  throw new EvaluationError(`${describeKind(value)} has no text`, 'Name one of its fields')
}

/** Java's Float.toString and Double.toString. */
function floatingText({ value, bits }: FloatingNumber): string {
  if (Number.isNaN(value)) return 'NaN'
  const sign = value < 0 || Object.is(value, -0) ? '-' : ''
  const magnitude = Math.abs(value)
  if (magnitude === Infinity) return `${sign}Infinity`
  if (magnitude === 0) return `${sign}0.0`
  const [mantissa = '', exponentText = ''] = shortest(magnitude, bits).split('e')
  const digits = mantissa.replace('.', '')
  const exponent = Number(exponentText)
  if (exponent < -3 || exponent >= 7) return `${sign}${digits.charAt(0)}.${digits.slice(1) || '0'}E${exponent}`
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, '0')
  return `${sign}${whole}.${digits.slice(exponent + 1) || '0'}`
}

/** The fewest digits that are the same number, as `d.ddde±n`. */
function shortest(magnitude: number, bits: 32 | 64): string {
  if (bits === 64) return magnitude.toExponential()
  for (let digits = 0; digits < FLOAT_DIGITS_MAX; digits++) {
    const text = magnitude.toExponential(digits)
    if (Math.fround(Number(text)) === magnitude) return text
  }
  return magnitude.toExponential(FLOAT_DIGITS_MAX)
}

/** Nine digits identify a 32-bit number. */
const FLOAT_DIGITS_MAX = 8

/** Java's BigDecimal.toString, which has an exponent for some numbers. */
function decimalText({ unscaled, scale }: Decimal): string {
  const digits = String(unscaled < 0 ? -BigInt(unscaled) : unscaled)
  const sign = unscaled < 0 ? '-' : ''
  const exponent = digits.length - 1 - scale
  if (scale >= 0 && exponent >= -6) return new Decimal(unscaled, scale).toString()
  const fraction = digits.length > 1 ? `.${digits.slice(1)}` : ''
  if (exponent === 0) return `${sign}${digits.charAt(0)}${fraction}`
  return `${sign}${digits.charAt(0)}${fraction}E${exponent > 0 ? '+' : ''}${exponent}`
}
