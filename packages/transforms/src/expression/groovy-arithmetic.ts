import { Decimal } from '@tributary/connect-api'
import {
  addDecimals,
  checkDigits,
  compareDecimals,
  divideDecimals,
  multiplyDecimals,
  remainderOfDecimals,
  subtractDecimals,
} from './big-decimal.ts'
import { EvaluationError } from './expression-error.ts'
import { describeKind } from './kind.ts'
import type { ArithmeticOperator } from './tree.ts'
import { BigInteger, FloatingNumber, SmallInteger, type Value } from './values.ts'

export type GroovyNumber = number | bigint | SmallInteger | FloatingNumber | BigInteger | Decimal

export function isGroovyNumber(value: Value): value is GroovyNumber {
  return (
    typeof value === 'number' ||
    typeof value === 'bigint' ||
    value instanceof SmallInteger ||
    value instanceof FloatingNumber ||
    value instanceof Decimal ||
    value instanceof BigInteger
  )
}

/** Computes as Groovy: the wider of the two types decides; integers overflow. */
export function calculate(operator: ArithmeticOperator, left: Value, right: Value): GroovyNumber {
  if (!isGroovyNumber(left) || !isGroovyNumber(right)) {
    const reason = `${operator} cannot be applied to ${describeKind(left)} and ${describeKind(right)}`
    throw new EvaluationError(reason, 'Test for null first, or compare values of one type')
  }
  if (left instanceof FloatingNumber || right instanceof FloatingNumber) {
    return new FloatingNumber(calculateDoubles(operator, doubleOf(left), doubleOf(right)), 64)
  }
  if (left instanceof Decimal || right instanceof Decimal || operator === '/') {
    return DECIMALS[operator](decimalOf(left), decimalOf(right))
  }
  const result = calculateIntegers(operator, left, right)
  if (left instanceof BigInteger || right instanceof BigInteger) {
    checkDigits(result)
    return new BigInteger(result)
  }
  if (typeof left === 'bigint' || typeof right === 'bigint') return BigInt.asIntN(64, result)
  return Number(BigInt.asIntN(32, result))
}

const DECIMALS: Readonly<Record<ArithmeticOperator, (a: Decimal, b: Decimal) => Decimal>> = {
  '+': addDecimals,
  '-': subtractDecimals,
  '*': multiplyDecimals,
  '/': divideDecimals,
  '%': remainderOfDecimals,
}

function calculateDoubles(operator: ArithmeticOperator, a: number, b: number): number {
  switch (operator) {
    case '+':
      return a + b
    case '-':
      return a - b
    case '*':
      return a * b
    case '/':
      return a / b
    case '%':
      return a % b
  }
}

function calculateIntegers(
  operator: Exclude<ArithmeticOperator, '/'>,
  left: GroovyNumber,
  right: GroovyNumber,
): bigint {
  const a = integerOf(left)
  const b = integerOf(right)
  switch (operator) {
    case '+':
      return a + b
    case '-':
      return a - b
    case '*':
      return a * b
    case '%':
      return remainder(a, b, left instanceof BigInteger || right instanceof BigInteger)
  }
}

/** BigInteger.mod is never negative, and has no negative divisor. */
function remainder(a: bigint, b: bigint, isModulus: boolean): bigint {
  if (b === 0n || (isModulus && b < 0n)) throw new EvaluationError('it divides by zero, or by a negative BigInteger')
  return isModulus ? ((a % b) + b) % b : a % b
}

export function negated(value: Value): GroovyNumber {
  if (value instanceof FloatingNumber) return new FloatingNumber(-value.value, value.bits)
  if (value instanceof Decimal) return new Decimal(-BigInt(value.unscaled), value.scale)
  return calculate('-', 0, value)
}

/** Negative, zero or positive. */
export function compareNumbers(left: GroovyNumber, right: GroovyNumber): number {
  if (typeof left === 'number' && typeof right === 'number') return left - right
  if (left instanceof FloatingNumber || right instanceof FloatingNumber) {
    return compareDoubles(doubleOf(left), doubleOf(right))
  }
  if (left instanceof Decimal || right instanceof Decimal) return compareDecimals(decimalOf(left), decimalOf(right))
  const a = integerOf(left)
  const b = integerOf(right)
  if (a === b) return 0
  return a < b ? -1 : 1
}

/** Java's Double.compare: NaN equals itself and is the greatest, and -0 is less than 0. */
function compareDoubles(a: number, b: number): number {
  if (Object.is(a, b)) return 0
  if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) ? 1 : -1
  if (a === b) return Object.is(a, -0) ? -1 : 1
  return a < b ? -1 : 1
}

/** Java's doubleValue. */
export function doubleOf(value: GroovyNumber): number {
  if (typeof value === 'number') return value
  if (typeof value === 'bigint') return Number(value)
  if (value instanceof Decimal) return Number(`${value.unscaled}e${-value.scale}`)
  return Number(value.value)
}

function decimalOf(value: GroovyNumber): Decimal {
  return value instanceof Decimal ? value : new Decimal(integerOf(value), 0)
}

function integerOf(value: GroovyNumber): bigint {
  if (typeof value === 'bigint') return value
  if (typeof value === 'number') return BigInt(value)
  // Others are divided by their class before they are read as integers.
  return value instanceof BigInteger ? value.value : BigInt((value as SmallInteger).value)
}
