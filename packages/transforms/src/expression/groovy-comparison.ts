import { Decimal, Struct } from '@tributary/connect-api'
import { EvaluationError } from './expression-error.ts'
import { compareNumbers, isGroovyNumber } from './groovy-arithmetic.ts'
import { charactersOf, describeKind } from './kind.ts'
import { structsEqual } from './struct-equality.ts'
import { BigInteger, FloatingNumber, InterpolatedText, JavaDate, SmallInteger, type Value } from './values.ts'

/** Groovy's `==`. */
export function groovyEquals(left: Value, right: Value): boolean {
  if (left === right) return true
  if (left === null || right === null) return false
  const order = orderOf(left, right)
  if (order !== null) return order === 0
  if (Array.isArray(left) && Array.isArray(right))
    return listsEqual(left as readonly Value[], right as readonly Value[])
  if (left instanceof Uint8Array && right instanceof Uint8Array) return Buffer.compare(left, right) === 0
  if (left instanceof Struct && right instanceof Struct) return structsEqual(left, right)
  return false
}

function listsEqual(left: readonly Value[], right: readonly Value[]): boolean {
  return left.length === right.length && left.every((item, i) => groovyEquals(item, right[i]))
}

/**
 * Groovy's order for `<` and the like: null is less than anything.
 *
 * @throws EvaluationError for values without an order
 */
export function groovyCompare(left: Value, right: Value): number {
  if (left === right) return 0
  if (left === null) return -1
  if (right === null) return 1
  const order = orderOf(left, right)
  if (order !== null) return order
  const reason = `${describeKind(left)} cannot be compared with ${describeKind(right)}`
  throw new EvaluationError(reason, 'Compare values of one type')
}

/** Null: the two have no order. */
function orderOf(left: Value, right: Value): number | null {
  const leftText = charactersOf(left)
  const rightText = charactersOf(right)
  if (leftText !== null && rightText !== null) return compareTexts(leftText, rightText)
  if (isGroovyNumber(left)) {
    if (isGroovyNumber(right)) return compareNumbers(left, right)
    // Groovy takes a text of one character for the number of that character.
    return rightText?.length === 1 ? compareNumbers(left, rightText.charCodeAt(0)) : null
  }
  if (leftText?.length === 1 && isGroovyNumber(right)) return compareNumbers(leftText.charCodeAt(0), right)
  if (typeof left === 'boolean' && typeof right === 'boolean') return Number(left) - Number(right)
  return left instanceof JavaDate && right instanceof JavaDate ? left.milliseconds - right.milliseconds : null
}

function compareTexts(left: string, right: string): number {
  if (left === right) return 0
  return left < right ? -1 : 1
}

/** Java's `equals`, which lists use: numbers of two types are never equal, nor are a text and an interpolated one. */
export function javaEquals(left: Value, right: Value): boolean {
  if (Object.is(left, right)) return true
  if (left === null || right === null || left === undefined || right === undefined) return false
  if (left instanceof Decimal) {
    return right instanceof Decimal && left.scale === right.scale && BigInt(left.unscaled) === BigInt(right.unscaled)
  }
  if (left instanceof SmallInteger || left instanceof FloatingNumber) {
    return (
      right instanceof left.constructor && left.bits === (right as { bits?: unknown }).bits && sameContent(left, right)
    )
  }
  if (left instanceof BigInteger || left instanceof JavaDate || left instanceof InterpolatedText) {
    return right instanceof left.constructor && sameContent(left, right)
  }
  if (left instanceof Struct) return right instanceof Struct && structsEqual(left, right)
  if (Array.isArray(left) && Array.isArray(right)) {
    const others = right as readonly Value[]
    return left.length === others.length && left.every((item: Value, i) => javaEquals(item, others[i]))
  }
  return false
}

/** Of two objects of one class, which has one member beside `bits`. */
function sameContent(left: object, right: Value): boolean {
  return Object.is(contentOf(left), contentOf(right as object))
}

function contentOf(value: object): unknown {
  if (value instanceof JavaDate) return value.milliseconds
  return value instanceof InterpolatedText ? value.text : (value as BigInteger | SmallInteger | FloatingNumber).value
}
