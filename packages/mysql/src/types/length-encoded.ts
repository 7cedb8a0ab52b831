/** A position that readers move. */
export interface LengthCursor {
  at: number
}

/**
 * int<lenenc> (protocol page "Protocol::LengthEncodedInteger"): one byte below 0xfb; 0xfc, 0xfd and 0xfe precede two,
 * three and eight bytes. Lengths are below 2^53. Throws RangeError for 0xfb and 0xff, which cannot begin a number, and at the end of the bytes.
 */
export function readLengthEncoded(bytes: Buffer, cursor: LengthCursor): number {
  const first = bytes[cursor.at]
  if (first === undefined) throw new RangeError('it ends where a length has to begin')
  if (first < 0xfb) {
    cursor.at += 1
    return first
  }
  if (first === 0xfc) {
    cursor.at += 3
    return bytes.readUInt16LE(cursor.at - 2)
  }
  if (first === 0xfd) {
    cursor.at += 4
    return bytes.readUIntLE(cursor.at - 3, 3)
  }
  if (first !== 0xfe) throw new RangeError(`byte ${first} does not begin a length`)
  cursor.at += 9
  return bytes.readUInt32LE(cursor.at - 8) + bytes.readUInt32LE(cursor.at - 4) * 2 ** 32
}
