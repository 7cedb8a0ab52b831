import { type ConnectValue, EncodedText, isJavaDate, type Schema } from '@tributary/connect-api'
import type { ByteWriter } from '@tributary/support'
import { isAscii } from './is-ascii.ts'

export type TextEncoding = 'utf8' | 'latin1' | 'ascii'

/**
 * Appends an ASCII text or a whole number as `scalarText` prints it, without making a string of it. Returns false, and
 * appends nothing, for any other value.
 */
export function writePlain(schema: Schema | null, value: ConnectValue, out: ByteWriter): boolean {
  if (typeof value === 'number') {
    if (!Number.isSafeInteger(value) || !isWhole(schema)) return false
    out.integer(value)
    return true
  }
  if (!(value instanceof EncodedText)) return false
  const { bytes, start, end, charset } = value
  if (!charset.isAsciiCompatible || !isAscii(bytes, start, end)) return false
  out.writeRange(bytes, start, end)
  return true
}

/** Floating-point numbers are printed with a fraction, and those of Java’s date classes as dates. */
function isWhole(schema: Schema | null): boolean {
  return schema === null || (schema.type !== 'float' && schema.type !== 'double' && !isJavaDate(schema))
}

/** Appends a text as Java's String.getBytes encodes it: an unpaired surrogate becomes a question mark. */
export function writeText(text: string, encoding: TextEncoding, out: ByteWriter): void {
  if (encoding === 'utf8') out.utf8(text.isWellFormed() ? text : text.replaceAll(/\p{Surrogate}/gu, '?'))
  else out.ascii(text.replaceAll(encoding === 'latin1' ? /[^\0-\xff]/gu : /[^\0-\x7f]/gu, '?'))
}
