import { endOfInput } from './json-input.ts'
import type { JsonInput } from './json-input.ts'
import type { JsonError } from './json-error.ts'

/** Longer unknown tokens are cut in errors. */
const shownTokenLengthMax = 256

/** What Java counts into an identifier: it is what an unknown token is read up to. */
const identifierPart = /[\p{L}\p{Nl}\p{Sc}\p{Pc}\p{Nd}\p{Mn}\p{Mc}\p{Cf}]/u
const identifierStart = /[\p{L}\p{Nl}\p{Sc}\p{Pc}]/u

export function canStartIdentifier(code: number): boolean {
  return identifierStart.test(String.fromCharCode(code))
}

/**
 * Reads the rest of a word of which `matched` characters are taken. It must end there: `truex` is another word.
 */
export function expectWord(input: JsonInput, word: string, matched: number): void {
  const start = input.position - matched
  for (let i = matched; i < word.length; i += 1) {
    if (input.peek() !== word.charCodeAt(i)) throw unknownTokenError(input, start, word.slice(0, i))
    input.position += 1
  }
  const next = input.peek()
  // Only from here on a byte can belong to an identifier; brackets cannot.
  if (next < 0x30 || next === 0x5d || next === 0x7d) return
  if (isIdentifierPart(input.completeCharacter(next))) throw unknownTokenError(input, start, word)
}

/** The error about a word that Jackson knows, but does not accept unless it is told to. */
export function nonStandardError(input: JsonInput, word: string, matched: number): JsonError {
  expectWord(input, word, matched)
  const hint = 'enable `JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS` to allow'
  return input.error(`Non-standard token '${word}': ${hint}`, input.position)
}

/** The error about a word that means nothing, of which the given part is taken. It stands where the word begins. */
export function unknownTokenError(input: JsonInput, start: number, taken: string): JsonError {
  let token = taken
  for (let byte = input.take(); byte !== endOfInput; byte = input.take()) {
    const code = input.completeCharacter(byte)
    if (!isIdentifierPart(code)) break
    token += String.fromCharCode(code)
    if (token.length < shownTokenLengthMax) continue
    token += '...'
    break
  }
  return input.error(`Unrecognized token '${token}': was expecting ${valueList}`, start)
}

const valueList = "(JSON String, Number, Array, Object or token 'null', 'true' or 'false')"

/** The error about a character just taken, with which no value begins. */
export function valueError(input: JsonInput, code: number): JsonError {
  return input.characterError(code, `: expected a valid value ${valueList}`)
}

function isIdentifierPart(code: number): boolean {
  if (code > 0xffff) return false
  // Control characters are "ignorable", but for those that are white space.
  const isIgnorable = code <= 0x08 || (code >= 0x0e && code <= 0x1b) || (code >= 0x7f && code <= 0x9f)
  return isIgnorable || identifierPart.test(String.fromCharCode(code))
}
