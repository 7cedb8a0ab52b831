import { Decimal } from '@tributary/connect-api'
import { EvaluationError } from './expression-error.ts'
import { DIGITS_MAX } from './limits.ts'

// Groovy computes with BigDecimal whenever a number has a decimal point, and divides integers with it.

/** Digits that a quotient has at least after the point, and more than its operands, when it does not end. */
const DIVISION_DIGITS = 10

/** Both numbers in units of the smaller: `[a, b, scale]`. */
function aligned(a: Decimal, b: Decimal): readonly [bigint, bigint, number] {
  const scale = Math.max(a.scale, b.scale)
  return [unitsOf(a, scale), unitsOf(b, scale), scale]
}

function unitsOf({ unscaled, scale }: Decimal, target: number): bigint {
  return BigInt(unscaled) * powerOfTen(target - scale)
}

function powerOfTen(exponent: number): bigint {
  if (exponent > DIGITS_MAX) throw tooLarge()
  return 10n ** BigInt(exponent)
}

export function addDecimals(a: Decimal, b: Decimal): Decimal {
  const [left, right, scale] = aligned(a, b)
  return limited(left + right, scale)
}

export function subtractDecimals(a: Decimal, b: Decimal): Decimal {
  const [left, right, scale] = aligned(a, b)
  return limited(left - right, scale)
}

export function multiplyDecimals(a: Decimal, b: Decimal): Decimal {
  return limited(BigInt(a.unscaled) * BigInt(b.unscaled), a.scale + b.scale)
}

export function compareDecimals(a: Decimal, b: Decimal): number {
  const [left, right] = aligned(a, b)
  if (left === right) return 0
  return left < right ? -1 : 1
}

export function remainderOfDecimals(a: Decimal, b: Decimal): Decimal {
  const [left, right, scale] = aligned(a, b)
  if (right === 0n) throw new EvaluationError('it divides by zero')
  return limited(left % right, scale)
}

/** The exact quotient if it ends, with the scale that BigDecimal prefers; else one that is rounded as Groovy does. */
export function divideDecimals(a: Decimal, b: Decimal): Decimal {
  if (BigInt(b.unscaled) === 0n) throw new EvaluationError('it divides by zero')
  const preferred = a.scale - b.scale
  const exact = exactQuotient(a, b, preferred)
  if (exact !== null) return exact
  const precision = Math.max(digitsOf(a), digitsOf(b)) + DIVISION_DIGITS
  const rounded = roundedQuotient(a, b, precision)
  const scaleMax = Math.max(a.scale, b.scale, DIVISION_DIGITS)
  return rounded.scale > scaleMax ? withScale(rounded, scaleMax) : rounded
}

/** Null: the digits of the quotient do not end. */
function exactQuotient(a: Decimal, b: Decimal, preferred: number): Decimal | null {
  const numerator = BigInt(a.unscaled)
  const divisor = BigInt(b.unscaled)
  if (numerator === 0n) return new Decimal(0n, Math.max(preferred, 0))
  const common = greatestDivisor(absolute(numerator), absolute(divisor))
  let rest = absolute(divisor / common)
  let twos = 0
  let fives = 0
  for (; rest % 2n === 0n; rest /= 2n) twos += 1
  for (; rest % 5n === 0n; rest /= 5n) fives += 1
  if (rest !== 1n) return null
  const digits = Math.max(twos, fives)
  return limited((numerator * powerOfTen(digits)) / divisor, preferred + digits)
}

function greatestDivisor(a: bigint, b: bigint): bigint {
  let [x, y] = [a, b]
  while (y !== 0n) [x, y] = [y, x % y]
  return x
}

/** The quotient with that many significant digits, rounded half up. */
function roundedQuotient(a: Decimal, b: Decimal, precision: number): Decimal {
  const numerator = absolute(BigInt(a.unscaled))
  const divisor = absolute(BigInt(b.unscaled))
  const isNegative = a.unscaled < 0 !== b.unscaled < 0
  // One digit more than needed at least, to round by.
  const shift = precision + digitsOf(b) - digitsOf(a) + 2
  const scaled = shift >= 0 ? (numerator * powerOfTen(shift)) / divisor : numerator / (divisor * powerOfTen(-shift))
  const quotient = new Decimal(isNegative ? -scaled : scaled, a.scale - b.scale + shift)
  return withScale(quotient, quotient.scale - (digitsOf(quotient) - precision))
}

/** Rounds half up to a smaller scale. */
function withScale({ unscaled, scale }: Decimal, target: number): Decimal {
  if (target >= scale) return new Decimal(BigInt(unscaled), scale)
  const unit = powerOfTen(scale - target)
  const magnitude = absolute(BigInt(unscaled))
  const rounded = (magnitude + unit / 2n) / unit
  return new Decimal(unscaled < 0 ? -rounded : rounded, target)
}

function absolute(value: bigint): bigint {
  return value < 0n ? -value : value
}

function digitsOf({ unscaled }: Decimal): number {
  return String(absolute(BigInt(unscaled))).length
}

function limited(unscaled: bigint, scale: number): Decimal {
  checkDigits(unscaled)
  if (Math.abs(scale) > DIGITS_MAX) throw tooLarge()
  return new Decimal(unscaled, scale)
}

const LIMIT = 10n ** BigInt(DIGITS_MAX)

/** @throws EvaluationError for a number with more digits than allowed */
export function checkDigits(value: bigint): void {
  if (value > LIMIT || value < -LIMIT) throw tooLarge()
}

function tooLarge(): EvaluationError {
  return new EvaluationError(`a number has more than ${DIGITS_MAX} digits`)
}
