import { defineErrors, type ErrorRegistry } from '@tributary/support'
import type { CharsetDecoder } from './charset-decoder.ts'
import { canonicalCharset } from './collations.ts'
import { CHARSET_GROUPS } from './charset-data.table.ts'
import { type CharsetTable, charsetTable } from './charset-tables.ts'
import { gb18030Decoder } from './gb18030-decoder.ts'
import { LATIN1 } from './latin1.table.ts'
import { multiByteDecoder } from './multi-byte-decoder.ts'
import { oneByteDecoder } from './one-byte-decoder.ts'
import { QUESTION_MARK } from './text-units.ts'
import { decodeUcs2, decodeUtf16, decodeUtf16le, decodeUtf32 } from './unicode-decoders.ts'

/** A character set of the server that this program can read. */
export interface Charset {
  readonly name: string
  /** True when each byte below 0x80 is the ASCII character of that number, at any place in a text. */
  readonly isAsciiCompatible: boolean
  /** True when valid text is UTF-8. */
  readonly isUtf8: boolean
  /** True when different bytes may be the same text: two codes of one character, or codes without a character. */
  readonly isLossy: boolean
  readonly decode: CharsetDecoder
}

const definitions = {
  MYSQL_CHARSET_UNSUPPORTED: {
    message: 'The column {column} has the character set {charset}, which this version cannot decode.',
    action: 'Exclude the column with column.exclude.list, or convert it to utf8mb4.',
  },
} as const

/** Errors of character sets. */
export const charsetErrors: ErrorRegistry<typeof definitions> = defineErrors(definitions)

const decodeUtf8: CharsetDecoder = (bytes, start, end) => bytes.utf8Slice(start, end)
const decodeLatin1: CharsetDecoder = (bytes, start, end) => bytes.latin1Slice(start, end)

const ASCII = Array.from({ length: 256 }, (_, byte) => (byte < 0x80 ? byte : QUESTION_MARK))

const UNICODE: readonly Charset[] = [
  { name: 'utf8mb4', isAsciiCompatible: true, isUtf8: true, isLossy: false, decode: decodeUtf8 },
  { name: 'utf8mb3', isAsciiCompatible: true, isUtf8: true, isLossy: false, decode: decodeUtf8 },
  { name: 'ucs2', isAsciiCompatible: false, isUtf8: false, isLossy: true, decode: decodeUcs2 },
  { name: 'utf16', isAsciiCompatible: false, isUtf8: false, isLossy: false, decode: decodeUtf16 },
  { name: 'utf16le', isAsciiCompatible: false, isUtf8: false, isLossy: false, decode: decodeUtf16le },
  { name: 'utf32', isAsciiCompatible: false, isUtf8: false, isLossy: true, decode: decodeUtf32 },
]

const SINGLE: readonly Charset[] = [
  { name: 'latin1', isAsciiCompatible: true, isUtf8: false, isLossy: false, decode: oneByteDecoder(LATIN1) },
  // MariaDB stores bytes above 0x7F in an ascii column that come from a binary string, and returns `?` for them.
  { name: 'ascii', isAsciiCompatible: true, isUtf8: false, isLossy: true, decode: oneByteDecoder(ASCII) },
  { name: 'binary', isAsciiCompatible: true, isUtf8: false, isLossy: false, decode: decodeLatin1 },
]

/** Their tables are unpacked for the first text. */
const OF_TABLES: readonly Charset[] = CHARSET_GROUPS.flatMap(({ charsets }) =>
  charsets.map(({ name, isAsciiCompatible, isLossy }) => ({
    name,
    isAsciiCompatible,
    isUtf8: false,
    isLossy,
    decode: decoderOfTable(name),
  })),
)

function decoderOfTable(name: string): CharsetDecoder {
  let decode: CharsetDecoder | null = null
  return (bytes, start, end) => {
    decode ??= tableDecoder(charsetTable(name))
    return decode(bytes, start, end)
  }
}

function tableDecoder({ ones, twos, threes, fours }: CharsetTable): CharsetDecoder {
  if (fours !== null) return gb18030Decoder({ twos, fours })
  return twos.length === 0 ? oneByteDecoder(ones) : multiByteDecoder({ ones, twos, threes })
}

const charsets: ReadonlyMap<string, Charset> = new Map(
  [...UNICODE, ...SINGLE, ...OF_TABLES].map((charset) => [charset.name, charset]),
)

/** The charset with the name, in any spelling of the server; undefined when this program cannot decode it. */
export function charsetNamed(name: string): Charset | undefined {
  return charsets.get(canonicalCharset(name))
}

/**
 * The charset of a column that is to be read.
 *
 * @param column name for the message, such as `inventory.customers.name`
 * @throws MYSQL_CHARSET_UNSUPPORTED
 */
export function requireCharset(name: string, column: string): Charset {
  const charset = charsetNamed(name)
  if (charset === undefined) throw charsetErrors.MYSQL_CHARSET_UNSUPPORTED({ charset: name, column })
  return charset
}
