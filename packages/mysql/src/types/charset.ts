import { defineErrors, type ErrorRegistry } from '@tributary/support'
import type { CharsetDecoder } from './charset-decoder.ts'
import { canonicalCharset } from './collations.ts'
import { LATIN1 } from './latin1.table.ts'
import { oneByteDecoder } from './one-byte-decoder.ts'

/** A character set of the server that this program can read. */
export interface Charset {
  readonly name: string
  /** True when each byte below 0x80 is the ASCII character of that number, at any place in a text. */
  readonly isAsciiCompatible: boolean
  /** True when valid text is UTF-8. */
  readonly isUtf8: boolean
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

const charsets: ReadonlyMap<string, Charset> = new Map(
  [
    { name: 'utf8mb4', isAsciiCompatible: true, isUtf8: true, decode: decodeUtf8 },
    { name: 'utf8mb3', isAsciiCompatible: true, isUtf8: true, decode: decodeUtf8 },
    { name: 'latin1', isAsciiCompatible: true, isUtf8: false, decode: oneByteDecoder(LATIN1) },
    // The server stores no byte above 0x7F in an ascii column; if there is one, it keeps its number.
    { name: 'ascii', isAsciiCompatible: true, isUtf8: false, decode: decodeLatin1 },
    { name: 'binary', isAsciiCompatible: true, isUtf8: false, decode: decodeLatin1 },
  ].map((charset) => [charset.name, charset]),
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
