import type { CodePointRange } from './code-points.ts'
import type { PatternReader } from './pattern-reader.ts'
import { POSIX_CLASSES, PREDEFINED_CLASSES, unicodeProperty } from './predefined-classes.ts'

/** What a backslash and the characters after it mean, in a character class and outside of one. */
export type PatternEscape =
  | { readonly tag: 'character'; readonly codePoint: number }
  | { readonly tag: 'ranges'; readonly ranges: readonly CodePointRange[]; readonly isNegated: boolean }
  | { readonly tag: 'property'; readonly name: string; readonly isNegated: boolean }
  /** A letter that means something outside of classes only, such as `b` of `\b`. */
  | { readonly tag: 'letter'; readonly letter: string }

const CONTROLS: ReadonlyMap<string, number> = new Map([
  ['t', 0x09],
  ['n', 0x0a],
  ['r', 0x0d],
  ['f', 0x0c],
  ['a', 0x07],
  ['e', 0x1b],
])

/** Reads an escape, after its backslash. */
export function readEscape(reader: PatternReader): PatternEscape {
  const letter = reader.next()
  if (letter === '') throw reader.error('A backslash ends the pattern')
  const ranges = PREDEFINED_CLASSES.get(letter)
  if (ranges !== undefined) return { tag: 'ranges', ranges, isNegated: false }
  if (letter === 'p' || letter === 'P') return readProperty(reader, letter === 'P')
  if (letter === 'k' || /[1-9]/.test(letter)) throw reader.error('A back reference, which is not supported,')
  const codePoint = readCodePoint(reader, letter)
  return codePoint === null ? { tag: 'letter', letter } : { tag: 'character', codePoint }
}

function readCodePoint(reader: PatternReader, letter: string): number | null {
  const control = CONTROLS.get(letter)
  if (control !== undefined) return control
  if (letter === '0') return readNumber(reader, /(?:[0-3][0-7]{2}|[0-7]{1,2})/y, 8)
  if (letter === 'x') {
    if (reader.skip('{')) {
      const codePoint = readNumber(reader, /[0-9A-Fa-f]+(?=\})/y, 16)
      reader.skip('}')
      return codePoint
    }
    return readNumber(reader, /[0-9A-Fa-f]{2}/y, 16)
  }
  if (letter === 'u') return readUtf16(reader)
  if (letter === 'c') return readControl(reader)
  return /[A-Za-z]/.test(letter) ? null : (letter.codePointAt(0) ?? null)
}

function readNumber(reader: PatternReader, digits: RegExp, radix: number): number {
  const text = reader.match(digits)?.[0]
  const codePoint = text === undefined ? Number.NaN : Number.parseInt(text, radix)
  if (!(codePoint <= 0x10ffff)) throw reader.error('An escape without the number of a character')
  return codePoint
}

function readControl(reader: PatternReader): number {
  const codePoint = reader.next().codePointAt(0)
  if (codePoint === undefined) throw reader.error(String.raw`A \c without a character`)
  return codePoint ^ 0x40
}

/** `\uhhhh`, or two of them for a character outside of the basic plane. */
function readUtf16(reader: PatternReader): number {
  const first = readNumber(reader, /[0-9A-Fa-f]{4}/y, 16)
  const isHighSurrogate = first >= 0xd800 && first <= 0xdbff
  const low = isHighSurrogate ? reader.match(/\\u([Dd][C-Fc-f][0-9A-Fa-f]{2})/y)?.[1] : undefined
  return low === undefined ? first : 0x10000 + ((first - 0xd800) << 10) + (Number.parseInt(low, 16) - 0xdc00)
}

function readProperty(reader: PatternReader, isNegated: boolean): PatternEscape {
  const [, braced, letter] = reader.match(/(?:\{([^}]*)\}|([A-Z]))/y) ?? []
  const name = braced ?? letter
  if (name === undefined) throw reader.error(String.raw`A \p without the name of a class`)
  const ranges = POSIX_CLASSES.get(name)
  if (ranges !== undefined) return { tag: 'ranges', ranges, isNegated }
  const property = unicodeProperty(name)
  if (property === null)
    throw reader.error(String.raw`The class \${isNegated ? 'P' : 'p'}{${name}}, which is not supported,`)
  return { tag: 'property', name: property, isNegated }
}
