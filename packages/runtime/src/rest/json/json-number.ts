import type { JsonCursor } from './json-cursor.ts'

/** Jackson's limit for the digits of a number. */
const digitsMax = 1_000

/**
 * Reads a number up to the first character that is not part of it.
 *
 *     number = [ "-" ] ( "0" / digit1-9 *digit ) [ "." 1*digit ] [ ( "e" / "E" ) [ "+" / "-" ] 1*digit ]
 */
export function readNumber(cursor: JsonCursor): 'VALUE_NUMBER_INT' | 'VALUE_NUMBER_FLOAT' {
  if (cursor.peek() === '-') cursor.position += 1
  const start = cursor.position
  let digits = expectDigits(cursor, 'expected digit (0-9) to follow minus sign, for valid numeric value')
  if (digits > 1 && cursor.text[start] === '0') {
    throw cursor.error('Invalid numeric value: Leading zeroes not allowed', start + 1)
  }
  let isFloat = false
  if (cursor.peek() === '.') {
    isFloat = true
    cursor.position += 1
    digits += expectDigits(cursor, 'Decimal point not followed by a digit')
  }
  if (cursor.peek() === 'e' || cursor.peek() === 'E') {
    isFloat = true
    cursor.position += 1
    if (cursor.peek() === '+' || cursor.peek() === '-') cursor.position += 1
    digits += expectDigits(cursor, 'Exponent indicator not followed by a digit')
  }
  if (digits > digitsMax) throw cursor.limitError('Number value length', digits, digitsMax, 'NumberLength')
  return isFloat ? 'VALUE_NUMBER_FLOAT' : 'VALUE_NUMBER_INT'
}

function expectDigits(cursor: JsonCursor, problem: string): number {
  const digits = cursor.skipDigits()
  if (digits === 0) throw cursor.unexpected(` in numeric value: ${problem}`)
  return digits
}
