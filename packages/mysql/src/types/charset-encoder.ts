import { type Charset, charsetNamed } from './charset.ts'
import { QUESTION_MARK } from './text-units.ts'

/** The bytes of a text; null when a character has none, or when it has several codes. */
export type CharsetEncoder = (text: string) => Buffer | null

/** An encoder for the charset; null for an unknown one. Characters of four bytes in gb18030 have no bytes here. */
export function charsetEncoder(name: string): CharsetEncoder | null {
  const charset = charsetNamed(name)
  if (charset === undefined) return null
  // A client may have sent bytes that are no UTF-8; which ones is not known any more.
  if (charset.isUtf8) return (text) => (text.includes('\uFFFD') ? null : Buffer.from(text))
  const ofUnits = UNIT_ENCODERS[charset.name]
  if (ofUnits !== undefined) return ofUnits
  return (text) => {
    const codes = codesOf(charset)
    const parts = Array.from(text, (character) => codes.get(character) ?? null)
    return parts.includes(null) ? null : Buffer.concat(parts.filter((part) => part !== null))
  }
}

/**
 * The text as the server stores it in a charset, where it does not refuse it: a member of an ENUM has `?` in place of
 * each character that its charset lacks.
 */
export function storedText(text: string, charsetName: string): string {
  const charset = charsetNamed(charsetName)
  if (charset === undefined || HAS_ALL.has(charset.name)) return text
  if (charset.name !== 'swe7' && /^[\0-\x7f]*$/.test(text)) return text
  if (HAS_PLANE_0.has(charset.name)) return text.replaceAll(/[\u{10000}-\u{10FFFF}]/gu, '?')
  const codes = codesOf(charset)
  return Array.from(text, (character) => (codes.has(character) ? character : '?')).join('')
}

/** Charsets with every character of Unicode; `binary` has bytes instead. */
const HAS_ALL: ReadonlySet<string> = new Set(['utf8mb4', 'utf16', 'utf16le', 'utf32', 'gb18030', 'binary'])
/** Charsets with every character up to U+FFFF. */
const HAS_PLANE_0: ReadonlySet<string> = new Set(['utf8mb3', 'ucs2'])

const UNIT_ENCODERS: Readonly<Record<string, CharsetEncoder>> = {
  utf16le: (text) => Buffer.from(text, 'utf16le'),
  utf16: (text) => Buffer.from(text, 'utf16le').swap16(),
  ucs2: (text) => Buffer.from(text, 'utf16le').swap16(),
  utf32: (text) => {
    const points = Array.from(text, (character) => character.codePointAt(0) ?? 0)
    const bytes = Buffer.alloc(points.length * 4)
    for (const [i, point] of points.entries()) bytes.writeUInt32BE(point, i * 4)
    return bytes
  },
}

type Codes = ReadonlyMap<string, Buffer | null>

const codesByCharset = new Map<Charset, Codes>()

/**
 * The code of each character, null for one with several. It inverts the decoder, so that both agree, and takes some
 * 20 ms to make: only few statements need it.
 */
function codesOf(charset: Charset): Codes {
  let codes = codesByCharset.get(charset)
  if (codes === undefined) {
    codes = invertDecoder(charset)
    codesByCharset.set(charset, codes)
  }
  return codes
}

function invertDecoder(charset: Charset): Codes {
  const codes = new Map<string, Buffer | null>()
  for (const code of shortCodes()) {
    const character = charset.decode(code, 0, code.length)
    // A text of several characters, or bytes that are none.
    if (character.length !== 1 || (character === '?' && code[0] !== QUESTION_MARK)) continue
    codes.set(character, codes.has(character) ? null : code)
  }
  return codes
}

/** Characters of three bytes begin with this one. */
const LEAD_OF_THREE = 0x8f

function* shortCodes(): Generator<Buffer> {
  for (let byte = 0; byte < 256; byte++) yield Buffer.from([byte])
  for (let pair = 0x8000; pair <= 0xffff; pair++) yield Buffer.from([pair >> 8, pair & 0xff])
  for (let pair = 0x8000; pair <= 0xffff; pair++) yield Buffer.from([LEAD_OF_THREE, pair >> 8, pair & 0xff])
}
