import { describeCharacter, endOfInput } from './json-input.ts'
import type { JsonInput } from './json-input.ts'

const atEscape = ' in character escape sequence'

const escapes: ReadonlyMap<number, number> = new Map([
  [0x62, 0x08],
  [0x74, 0x09],
  [0x6e, 0x0a],
  [0x66, 0x0c],
  [0x72, 0x0d],
  [0x22, 0x22],
  [0x2f, 0x2f],
  [0x5c, 0x5c],
])

/** Reads what follows a backslash; gives a UTF-16 unit, which may be half of a pair. */
export function readEscape(input: JsonInput): number {
  const byte = input.take()
  if (byte === 0x75) return readHexUnit(input)
  if (byte === endOfInput) throw input.endError(atEscape)
  const unit = escapes.get(byte)
  if (unit !== undefined) return unit
  const problem = `Unrecognized character escape ${describeCharacter(input.completeCharacter(byte))}`
  throw input.error(problem, input.position - 1)
}

/** Reads what follows a backslash in a name; gives a code point: in names, unlike in values, surrogates must be pairs. */
export function readNameEscape(input: JsonInput): number {
  const high = readEscape(input)
  if (!isSurrogate(high)) return high
  if (high >= 0xdc00) {
    throw input.error(`Unexpected low surrogate in field name: 0x${high.toString(16)}`, input.position)
  }
  const broken = 'Broken surrogate pair in field name: expected'
  const next = input.take()
  if (next === endOfInput) throw input.endError(' in field name')
  if (next !== 0x5c) {
    throw input.error(`${broken} '\\' to start low surrogate, got 0x${next.toString(16)}`, input.position - 1)
  }
  const low = readEscape(input)
  if (!isSurrogate(low) || low < 0xdc00) {
    const got = low.toString(16).toUpperCase().padStart(4, '0')
    throw input.error(`${broken} low surrogate, got 0x${got}`, input.position)
  }
  return 0x1_0000 + ((high & 0x3ff) << 10) + (low & 0x3ff)
}

export function isSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdfff
}

function readHexUnit(input: JsonInput): number {
  let unit = 0
  for (let i = 0; i < 4; i += 1) {
    const digit = input.take()
    if (digit === endOfInput) throw input.endError(atEscape)
    const value = hexValue(digit)
    if (value < 0) throw input.characterError(digit, ': expected a hex-digit for character escape sequence')
    unit = (unit << 4) | value
  }
  return unit
}

function hexValue(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const lower = byte | 0x20
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1
}
