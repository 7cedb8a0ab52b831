import { Schema, Struct } from '@tributary/connect-api'
import type { BinaryOperation, Dialect } from './dialect.ts'
import { EvaluationError } from './expression-error.ts'
import { calculate, compareNumbers, isGroovyNumber, negated } from './groovy-arithmetic.ts'
import { groovyCompare, groovyEquals, javaEquals } from './groovy-comparison.ts'
import { groovyMethods, groovyRemedies } from './groovy-methods.ts'
import { javaText } from './java-text.ts'
import { charactersOf, describeKind } from './kind.ts'
import type { Scope } from './scope.ts'
import { notAField } from './struct-methods.ts'
import type { BinaryOperator } from './tree.ts'
import { HeaderValue, InterpolatedText, JavaDate, Matching, type Value } from './values.ts'

/** Expressions with the results that Groovy 4 has for them. */
export const groovyDialect: Dialect = {
  language: 'groovy',
  nothing: null,
  isTrue: isGroovyTrue,
  unary(operator, value) {
    if (!isGroovyNumber(value)) throw new EvaluationError(`${operator} cannot be applied to ${describeKind(value)}`)
    return operator === '-' ? negated(value) : value
  },
  binary: (operator) => OPERATIONS[operator],
  join(parts, scope) {
    const text = parts.map(javaText).join('')
    scope.charge(text.length)
    return new InterpolatedText(text)
  },
  textOf: javaText,
  missingField(name) {
    throw notAField(name)
  },
  property(receiver, name) {
    if (receiver instanceof Map) return (receiver as ReadonlyMap<Value, Value>).get(name) ?? null
    if (receiver instanceof HeaderValue && name === 'value') return receiver.value
    if (receiver instanceof Schema && name === 'name') return receiver.name
    if (receiver instanceof JavaDate && name === 'time') return BigInt(receiver.milliseconds)
    throw new EvaluationError(`${describeKind(receiver)} has no property ${name}`)
  },
  element(receiver, index) {
    if (receiver instanceof Map) return (receiver as ReadonlyMap<Value, Value>).get(index) ?? null
    const text = charactersOf(receiver)
    const items = text ?? (Array.isArray(receiver) ? (receiver as readonly Value[]) : null)
    if (items === null || typeof index !== 'number') {
      throw new EvaluationError(`${describeKind(receiver)} has no element ${describeKind(index)}`)
    }
    const at = index < 0 ? index + items.length : index
    if (at >= 0 && at < items.length) return items[at]
    if (text === null && at >= 0) return null
    throw new EvaluationError(`${describeKind(receiver)} of ${items.length} elements has no element ${index}`)
  },
  callOnNothing(name, args) {
    if (name === 'equals') return args[0] === null
    if (name === 'toString') return 'null'
    throw new EvaluationError(
      `Cannot invoke method ${name}() on null object`,
      `Write ?.${name}(…), or test for null first`,
    )
  },
  methods: groovyMethods,
  remedies: groovyRemedies,
}

function isGroovyTrue(value: Value): boolean {
  if (typeof value === 'boolean') return value
  if (value === null || value === undefined) return false
  const text = charactersOf(value)
  if (text !== null) return text.length > 0
  // NaN is true.
  if (isGroovyNumber(value)) return compareNumbers(value, 0) !== 0 && !isNegativeZero(value)
  if (value instanceof Matching) return value.isFound
  if (Array.isArray(value)) return value.length > 0
  if (value instanceof Map) return value.size > 0
  if (value instanceof Uint8Array) {
    throw new EvaluationError('bytes are neither true nor false', 'Compare them with null')
  }
  return true
}

function isNegativeZero(value: Value): boolean {
  return typeof value === 'object' && value !== null && 'value' in value && Object.is(value.value, -0)
}

const OPERATIONS: Readonly<Record<Exclude<BinaryOperator, '==~' | '=~'>, BinaryOperation>> = {
  '==': groovyEquals,
  '!=': (left, right) => !groovyEquals(left, right),
  // The parser refuses them.
  '===': groovyEquals,
  '!==': (left, right) => !groovyEquals(left, right),
  '<': (left, right) => groovyCompare(left, right) < 0,
  '<=': (left, right) => groovyCompare(left, right) <= 0,
  '>': (left, right) => groovyCompare(left, right) > 0,
  '>=': (left, right) => groovyCompare(left, right) >= 0,
  in: isIn,
  '!in': (left, right) => !isIn(left, right),
  '+': add,
  '-': subtract,
  '*': (left, right) => calculate('*', left, right),
  '/': (left, right) => calculate('/', left, right),
  '%': (left, right) => calculate('%', left, right),
}

function isIn(left: Value, right: Value): boolean {
  if (right === null) return left === null
  if (Array.isArray(right)) return right.some((item: Value) => javaEquals(item, left))
  if (right instanceof Map) return isGroovyTrue((right as ReadonlyMap<Value, Value>).get(left) ?? null)
  throw new EvaluationError(`in looks for an element of a list, not of ${describeKind(right)}`, 'Write contains, or ==')
}

/** Adds numbers, or appends the text of any value to a text. */
function add(left: Value, right: Value, scope: Scope): Value {
  const leftText = charactersOf(left)
  const isAppended = leftText !== null || (charactersOf(right) !== null && (left === null || isGroovyNumber(left)))
  if (!isAppended) return calculate('+', left, right)
  if (right instanceof Struct || left instanceof Struct) {
    throw new EvaluationError('a struct has no text', 'Name one of its fields')
  }
  const text = javaText(left) + javaText(right)
  scope.charge(text.length)
  return left instanceof InterpolatedText && charactersOf(right) !== null ? new InterpolatedText(text) : text
}

/** Subtracts numbers, or removes the first occurrence of a text from another. */
function subtract(left: Value, right: Value, scope: Scope): Value {
  const text = charactersOf(left)
  if (text === null) return calculate('-', left, right)
  scope.charge(text.length)
  return text.replace(javaText(right), () => '')
}
