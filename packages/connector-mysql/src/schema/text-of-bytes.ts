import { bytesPerCharacterMin, charsetNamed } from '@tributary/mysql'

/** The text of a literal in bytes; null when they are no text in the charset. */
export function textOfBytes(literal: Buffer, charset: string): string | null {
  const bytes = aligned(literal, charset)
  const text = charsetNamed(charset)?.decode(bytes, 0, bytes.length)
  return text === undefined || text.includes('\uFFFD') ? null : text
}

/** The server puts zeros before bytes that are no whole number of characters: in ucs2, X'41' is X'0041'. */
export function aligned(bytes: Buffer, charset: string): Buffer {
  const size = bytesPerCharacterMin(charset)
  const missing = (size - (bytes.length % size)) % size
  return missing === 0 ? bytes : Buffer.concat([Buffer.alloc(missing), bytes])
}

/** x'' has whole bytes; 0x1 is 0x01. */
export function bytesOfHex(digits: string): Buffer {
  return Buffer.from(digits.length % 2 === 1 ? `0${digits}` : digits, 'hex')
}
