import { isUtf8 } from 'node:buffer'
import type { JsonCursor } from './json-cursor.ts'
import type { JsonError } from './json-error.ts'

/** Jackson's limits: UTF-16 units of a string, bytes of a name. */
const stringLengthMax = 20_000_000
const nameLengthMax = 50_000

/** Jackson stops after this many units of a string that is too long, and reports them as its length. */
const stringLengthRead = 20_051_112

/** Reads a string value up to and including its closing quote. The cursor is after the opening one. */
export function readString(cursor: JsonCursor): string {
  const text = readQuoted(cursor, { kind: 'string value', endKind: 'VALUE_STRING' })
  if (text.length <= stringLengthMax) return text
  const length = Math.min(text.length, stringLengthRead)
  throw cursor.limitError('String value length', length, stringLengthMax, 'StringLength')
}

/** Reads a property name up to and including its closing quote. The cursor is after the opening one. */
export function readName(cursor: JsonCursor): string {
  const start = cursor.position
  const name = readQuoted(cursor, { kind: 'name', endKind: 'field name' })
  const length = cursor.position - 1 - start
  if (length > nameLengthMax) throw cursor.limitError('Name length', length, nameLengthMax, 'NameLength')
  if (!name.isWellFormed()) throw cursor.error('The field name contains one half of a surrogate pair', start)
  return name
}

/** How errors name the kind of text, and how they name it at the end of the document. */
interface TextKind {
  readonly kind: string
  readonly endKind: string
}

function readQuoted(cursor: JsonCursor, { kind, endKind }: TextKind): string {
  const { bytes, text, position: start } = cursor
  let hasEscape = false
  for (;;) {
    while (isPlain(text.charCodeAt(cursor.position))) cursor.position += 1
    const character = cursor.peek()
    if (character === '"') break
    if (character === '') throw cursor.unexpected(` in ${endKind}`)
    if (character !== '\\') {
      const problem = `Illegal unquoted character (${cursor.describeCurrent().description})`
      throw cursor.error(`${problem}: has to be escaped using backslash to be included in ${kind}`, cursor.position)
    }
    hasEscape = true
    checkEscape(cursor)
  }
  if (!isUtf8(bytes.subarray(start, cursor.position))) throw encodingError(cursor, start)
  const content = bytes.toString('utf8', start, cursor.position)
  cursor.position += 1
  return hasEscape ? String(JSON.parse(`"${content}"`)) : content
}

/** Checks and skips an escape, whose backslash is at the position. */
function checkEscape(cursor: JsonCursor): void {
  cursor.position += 1
  const current = cursor.peek()
  if (current === '') throw cursor.unexpected(' in character escape sequence')
  if (!'"\\/bfnrtu'.includes(current)) {
    throw cursor.error(`Unrecognized character escape ${cursor.describeCurrent().description}`, cursor.position)
  }
  cursor.position += 1
  for (let digits = 0; current === 'u' && digits < 4; digits += 1) {
    if (!isHexDigit(cursor.peek())) {
      throw cursor.unexpected(': expected a hex-digit for character escape sequence')
    }
    cursor.position += 1
  }
}

/** The error about the first byte that is not UTF-8 between `start` and the closing quote; there must be one. */
function encodingError(cursor: JsonCursor, start: number): JsonError {
  const { bytes } = cursor
  let at = start
  for (let lead = bytes[at]; lead !== undefined && at < cursor.position; lead = bytes[at]) {
    const length = lead < 0x80 ? 1 : (lead & 0xe0) === 0xc0 ? 2 : (lead & 0xf0) === 0xe0 ? 3 : 4
    if ((lead & 0xc0) === 0x80 || lead >= 0xf8) {
      return cursor.error(`Invalid UTF-8 start byte 0x${lead.toString(16)}`, at + 1)
    }
    for (let next = at + 1; next < at + length; next += 1) {
      const byte = bytes[next] ?? 0
      if ((byte & 0xc0) !== 0x80) return cursor.error(`Invalid UTF-8 middle byte 0x${byte.toString(16)}`, next + 1)
    }
    at += length
  }
  return cursor.error('Invalid UTF-8: an overlong form, a surrogate or a code point above U+10FFFF', start)
}

/** Whether a character of a string represents itself. False for NaN, the character code after the end. */
function isPlain(code: number): boolean {
  return code >= 0x20 && code !== 0x22 && code !== 0x5c
}

function isHexDigit(character: string): boolean {
  return character !== '' && '0123456789abcdefABCDEF'.includes(character)
}
