import { describeCharacter, endOfInput } from './json-input.ts'
import type { JsonInput } from './json-input.ts'
import type { JsonError } from './json-error.ts'
import { describeNameLength, describeStringLength, nameBytesRead, nameLengthMax } from './json-limits.ts'
import { stringLengthMax, stringLengthRead } from './json-limits.ts'
import { isSurrogate, readEscape, readNameEscape } from './json-escape.ts'
import { Utf16Text } from './utf16-text.ts'

const quote = 0x22
const backslash = 0x5c
const space = 0x20

/** Reads a string value up to and with its closing quote; the opening one is taken. */
export function readString(input: JsonInput): string {
  const plain = readPlain(input)
  if (plain !== null) {
    if (plain.length > stringLengthMax) throw input.error(describeStringLength(plain.length))
    return plain
  }
  const text = new Utf16Text()
  for (let byte = input.take(); byte !== quote; byte = input.take()) {
    if (byte === endOfInput) throw input.endError()
    if (byte < space) throw controlCharacterError(input, byte, 'string value')
    if (byte === backslash) text.push(readEscape(input))
    else text.pushCodePoint(readCharacter(input, byte))
    if (text.length > stringLengthRead) throw input.error(describeStringLength(text.length))
  }
  if (text.length > stringLengthMax) throw input.error(describeStringLength(text.length))
  return text.toString()
}

/**
 * Reads a property name up to and with its closing quote; the opening one is taken. Errors about its bytes are placed
 * where they stand; Jackson, which decodes a name when it has all of it, places them behind the name.
 */
export function readName(input: JsonInput): string {
  const start = input.position
  const plain = readPlain(input)
  if (plain !== null) {
    if (plain.length > nameLengthMax) throw input.error(describeNameLength(plain.length))
    return plain
  }
  const name = new Utf16Text()
  if (input.peek() === endOfInput) throw input.endError(`: was expecting closing '"' for name`)
  for (let byte = input.take(); byte !== quote; byte = input.take()) {
    if (byte === endOfInput) throw input.endError(' in field name')
    if (byte < space) throw controlCharacterError(input, byte, 'name')
    if (byte === backslash) name.pushCodePoint(readNameEscape(input))
    else name.pushCodePoint(readCharacter(input, byte))
    if (input.position - start > nameBytesRead) break
  }
  const bytes = input.position - 1 - start
  if (bytes > nameLengthMax) throw input.error(describeNameLength(bytes))
  return name.toString()
}

/** The text where it is ASCII without escapes; else null, with the position where it was. */
function readPlain(input: JsonInput): string | null {
  const start = input.position
  input.skipPlain()
  if (input.peek() !== quote) {
    input.position = start
    return null
  }
  const text = input.asciiSince(start)
  input.position += 1
  return text
}

function readCharacter(input: JsonInput, lead: number): number {
  const code = input.completeCharacter(lead)
  if (!isSurrogate(code)) return code
  throw input.error(`Invalid UTF-8: Illegal surrogate character 0x${code.toString(16)}`, input.position)
}

function controlCharacterError(input: JsonInput, byte: number, where: string): JsonError {
  const problem = `Illegal unquoted character (${describeCharacter(byte)})`
  return input.error(`${problem}: has to be escaped using backslash to be included in ${where}`, input.position - 1)
}
