import { endOfInput } from './json-input.ts'
import type { JsonInput } from './json-input.ts'
import type { JsonError } from './json-error.ts'
import { describeNumberLength, numberLengthMax } from './json-limits.ts'
import { nonStandardError, valueError } from './json-word.ts'

const zero = 0x30
const nine = 0x39
const minus = 0x2d
const plus = 0x2b
const point = 0x2e

/**
 * Reads a number up to the first byte that is no part of it; its first byte is taken. In the document's root white
 * space must follow.
 *
 *     number = [ "-" ] ( "0" / digit1-9 *digit ) [ "." 1*digit ] [ ( "e" / "E" ) [ "+" / "-" ] 1*digit ]
 *
 * The limit of its length counts digits only.
 */
export function readNumber(
  input: JsonInput,
  first: number,
  isInRoot: boolean,
): 'VALUE_NUMBER_INT' | 'VALUE_NUMBER_FLOAT' {
  let digit = first
  if (first === minus) {
    digit = input.take()
    if (digit === endOfInput) throw input.endError()
    if (!isDigit(digit)) throw signError(input, first, digit)
  }
  if (digit === zero && isDigit(input.peek())) {
    throw input.error('Invalid numeric value: Leading zeroes not allowed', input.position)
  }
  let digits = 1 + takeDigits(input)
  const fractionDigits = takeFraction(input)
  const exponentDigits = takeExponent(input)
  digits += fractionDigits + exponentDigits
  if (isInRoot) expectSpace(input)
  if (digits > numberLengthMax) throw input.error(describeNumberLength(digits))
  return fractionDigits + exponentDigits > 0 ? 'VALUE_NUMBER_FLOAT' : 'VALUE_NUMBER_INT'
}

/** The error about what follows a sign, which was just taken: no digit. */
export function signError(input: JsonInput, sign: number, next: number): JsonError {
  if (next === point && sign === minus) return valueError(input, next)
  const signText = sign === minus ? '-' : '+'
  let wrong = next
  if (next === 0x49) {
    wrong = input.take()
    if (wrong === endOfInput) return input.endError(' in a Number value')
    if (wrong === 0x4e) return nonStandardError(input, `${signText}INF`, 3)
    if (wrong === 0x6e) return nonStandardError(input, `${signText}Infinity`, 3)
  }
  if (sign === plus) {
    const hint = 'enable `JsonReadFeature.ALLOW_LEADING_PLUS_SIGN_FOR_NUMBERS` to allow'
    return numberError(input, plus, `JSON spec does not allow numbers to have plus signs: ${hint}`)
  }
  return numberError(input, wrong, 'expected digit (0-9) to follow minus sign, for valid numeric value')
}

function takeDigits(input: JsonInput): number {
  const start = input.position
  while (isDigit(input.peek())) input.position += 1
  return input.position - start
}

function takeFraction(input: JsonInput): number {
  if (input.peek() !== point) return 0
  input.position += 1
  const digits = takeDigits(input)
  if (digits > 0) return digits
  const next = input.take()
  throw numberError(input, next === endOfInput ? point : next, 'Decimal point not followed by a digit')
}

function takeExponent(input: JsonInput): number {
  if ((input.peek() | 0x20) !== 0x65) return 0
  input.position += 1
  if (input.peek() === plus || input.peek() === minus) input.position += 1
  const digits = takeDigits(input)
  if (digits > 0) return digits
  const next = input.take()
  if (next === endOfInput) throw input.endError()
  throw numberError(input, next, 'Exponent indicator not followed by a digit')
}

function expectSpace(input: JsonInput): void {
  const next = input.peek()
  if (next === endOfInput || next === 0x20 || next === 0x09 || next === 0x0a || next === 0x0d) return
  input.position += 1
  throw input.characterError(input.characterOf(next), ': Expected space separating root-level values')
}

function numberError(input: JsonInput, byte: number, problem: string): JsonError {
  return input.characterError(input.characterOf(byte), ` in numeric value: ${problem}`)
}

function isDigit(byte: number): boolean {
  return byte >= zero && byte <= nine
}
