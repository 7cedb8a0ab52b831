import { Decimal } from '@tributary/connect-api'
import type { BinaryOperation } from './dialect.ts'
import { EvaluationError } from './expression-error.ts'
import { javaText } from './java-text.ts'
import { describeKind, kindOf } from './kind.ts'
import type { Scope } from './scope.ts'
import type { BinaryOperator } from './tree.ts'
import { JavaDate, type Value } from './values.ts'

type Primitive = null | undefined | boolean | number | bigint | string

/**
 * The primitive value of an operand. A decimal is an object of Java there, and converts by its text; a date converts by
 * its milliseconds.
 *
 * @throws EvaluationError for structs, lists and the like
 */
function primitiveOf(value: Value): Primitive {
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof Decimal) return javaText(value)
  if (value instanceof JavaDate) return value.milliseconds
  throw new EvaluationError(`${describeKind(value)} cannot be an operand`, 'Name one of its fields')
}

export function looselyEqual(left: Value, right: Value): boolean {
  if (isNothing(left) || isNothing(right)) return isNothing(left) && isNothing(right)
  if (typeof left === 'object' && typeof right === 'object') throw comparesObjects()
  // oxlint-disable-next-line eqeqeq -- the operator whose meaning this is
  return primitiveOf(left) == primitiveOf(right)
}

export function strictlyEqual(left: Value, right: Value): boolean {
  if (isObject(left) && isObject(right)) throw comparesObjects()
  // A Long beyond 2^53 is a number too.
  if (isNumber(left) && isNumber(right)) return looselyEqual(left, right)
  return left === right
}

function comparesObjects(): EvaluationError {
  return new EvaluationError('two objects are never equal in JavaScript', 'Compare their fields, decimals as String')
}

function isObject(value: Value): boolean {
  return typeof value === 'object' && value !== null
}

function isNumber(value: Value): boolean {
  return typeof value === 'number' || typeof value === 'bigint'
}

export function isNothing(value: Value): value is null | undefined {
  return value === null || value === undefined
}

type Relation = (left: number, right: number) => boolean

function relation(holds: Relation): BinaryOperation {
  return (left, right) => {
    // The operator itself compares texts, numbers and bigints as the language demands; its type admits only numbers.
    return holds(primitiveOf(left) as number, primitiveOf(right) as number)
  }
}

function arithmetic(calculate: (left: number, right: number) => number): BinaryOperation {
  return (left, right) => calculate(numberOf(left), numberOf(right))
}

/** JavaScript's Number(value). A Long beyond 2^53 is rounded, as Graal.js rounds it. */
export function numberOf(value: Value): number {
  return Number(primitiveOf(value))
}

function add(left: Value, right: Value, scope: Scope): Value {
  const a = primitiveOf(left)
  const b = primitiveOf(right)
  if (typeof a !== 'string' && typeof b !== 'string') return Number(a) + Number(b)
  const text = String(a) + String(b)
  scope.charge(text.length)
  return text
}

export const javaScriptOperations: Readonly<Record<Exclude<BinaryOperator, '==~' | '=~'>, BinaryOperation>> = {
  '==': looselyEqual,
  '!=': (left, right) => !looselyEqual(left, right),
  '===': strictlyEqual,
  '!==': (left, right) => !strictlyEqual(left, right),
  '<': relation((a, b) => a < b),
  '<=': relation((a, b) => a <= b),
  '>': relation((a, b) => a > b),
  '>=': relation((a, b) => a >= b),
  in: isIn,
  // The parser refuses it.
  '!in': (left, right) => !isIn(left, right),
  '+': add,
  '-': arithmetic((a, b) => a - b),
  '*': arithmetic((a, b) => a * b),
  '/': arithmetic((a, b) => a / b),
  '%': arithmetic((a, b) => a % b),
}

function isIn(left: Value, right: Value): boolean {
  const name = javaScriptText(left)
  if (kindOf(right) === 'struct')
    return (right as { schema: { field(n: string): unknown } }).schema.field(name) !== null
  if (right instanceof Map) return (right as ReadonlyMap<Value, Value>).has(name)
  throw new EvaluationError(`in looks for a field of a struct, not of ${describeKind(right)}`, 'Write includes, or ===')
}

/** JavaScript's String(value). */
export function javaScriptText(value: Value): string {
  return String(primitiveOf(value))
}

export function isJavaScriptTrue(value: Value): boolean {
  return Boolean(value)
}
