import { EvaluationError } from './expression-error.ts'
import { describeKind } from './kind.ts'
import { SmallInteger, type Value } from './values.ts'

/** Groovy's `toInteger` and `toLong` of a text. */
export function textToNumber(text: string, bits: 32 | 64): number | bigint {
  const digits = text.trim()
  const value = /^[+-]?\d{1,19}$/.test(digits) ? BigInt(digits.replace(/^\+/, '')) : null
  if (value === null || BigInt.asIntN(bits, value) !== value) {
    throw new EvaluationError(`the text is not an integer of ${bits} bits`, 'Test it first with ==~ /[0-9]+/')
  }
  return bits === 32 ? Number(value) : value
}

/** An index or a length. */
export function integerValue(value: Value): number {
  const plain = value instanceof SmallInteger ? value.value : value
  if (typeof plain === 'number' && Number.isInteger(plain)) return plain
  throw new EvaluationError(`a whole number is expected instead of ${describeKind(value)}`)
}
