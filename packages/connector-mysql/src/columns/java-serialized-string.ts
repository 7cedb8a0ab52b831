/**
 * A string as Java's ObjectOutputStream writes it (Java Object Serialization Specification, chapter 6): the header of
 * the stream, then TC_STRING with two bytes of length, or TC_LONGSTRING with eight, then modified UTF-8.
 */
export function javaSerializedString(text: string): Buffer {
  const bytes = modifiedUtf8(text)
  const isShort = bytes.length <= 0xffff
  const head = Buffer.alloc(isShort ? 7 : 13)
  head.writeUInt32BE(STREAM_HEADER)
  head.writeUInt8(isShort ? TC_STRING : TC_LONGSTRING, 4)
  if (isShort) head.writeUInt16BE(bytes.length, 5)
  else head.writeBigUInt64BE(BigInt(bytes.length), 5)
  return Buffer.concat([head, bytes])
}

const STREAM_HEADER = 0xaced_0005
const TC_STRING = 0x74
const TC_LONGSTRING = 0x7c

/** What precedes the modified UTF-8 of a string of up to 65,535 bytes; the last two bytes are its length. */
export const SHORT_STRING_HEAD: Buffer = javaSerializedString('')

/** Each unit of UTF-16 by itself: NUL in two bytes, halves of surrogate pairs in three. */
function modifiedUtf8(text: string): Buffer {
  const bytes = Buffer.alloc(text.length * 3)
  let at = 0
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit >= 1 && unit <= 0x7f) {
      at = bytes.writeUInt8(unit, at)
    } else if (unit <= 0x7ff) {
      at = bytes.writeUInt8(0xc0 | (unit >> 6), at)
      at = bytes.writeUInt8(0x80 | (unit & 0x3f), at)
    } else {
      at = bytes.writeUInt8(0xe0 | (unit >> 12), at)
      at = bytes.writeUInt8(0x80 | ((unit >> 6) & 0x3f), at)
      at = bytes.writeUInt8(0x80 | (unit & 0x3f), at)
    }
  }
  return bytes.subarray(0, at)
}
