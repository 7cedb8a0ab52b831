/*
 * A length of an LZ4 sequence (lz4_Block_format.md): four bits in the token; the value 15 is continued by bytes that
 * are added to it, up to and including the first that is not 255. Literal lengths are stored as they are, match lengths
 * minus 4.
 */

/** A length from here on does not fit the four bits of the token. */
export const NIBBLE_MAX = 15

/** How many bytes after the token a length takes. */
export function lengthExtensionBytes(length: number): number {
  return length < NIBBLE_MAX ? 0 : 1 + Math.floor((length - NIBBLE_MAX) / 255)
}

/** Writes the bytes of a length that follow the token; returns the position after them. */
export function writeLengthExtension(bytes: Uint8Array, start: number, length: number): number {
  if (length < NIBBLE_MAX) return start
  let at = start
  let rest = length - NIBBLE_MAX
  for (; rest >= 255; rest -= 255) bytes[at++] = 255
  bytes[at++] = rest
  return at
}
