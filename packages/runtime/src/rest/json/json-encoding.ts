import { JsonError } from './json-error.ts'

export interface JsonBytes {
  /** The document in UTF-8; only a body in UTF-8 may hold invalid sequences. */
  readonly bytes: Buffer
  /** Where the document begins: behind a byte order mark. */
  readonly start: number
  /** False for a body that was in UTF-16 or UTF-32. */
  readonly isUtf8: boolean
}

/**
 * Finds the encoding of a body by its first four bytes, as RFC 4627 section 3 describes: by a byte order mark, else by
 * where the zero bytes stand, since a document begins with two ASCII characters. The charset of Content-Type plays no
 * part.
 */
export function detectEncoding(body: Buffer): JsonBytes {
  if (body.length >= 4) {
    const quad = body.readUInt32BE(0)
    if (quad === 0x0000_feff) return fromUtf32(body.subarray(4), true)
    if (quad === 0xfffe_0000) return fromUtf32(body.subarray(4), false)
    if (quad === 0x0000_fffe) throw unsupportedOrder('2143')
    if (quad === 0xfeff_0000) throw unsupportedOrder('3412')
    if (quad >>> 16 === 0xfeff) return fromUtf16(body.subarray(2), true)
    if (quad >>> 16 === 0xfffe) return fromUtf16(body.subarray(2), false)
    if (quad >>> 8 === 0xef_bbbf) return { bytes: body, start: 3, isUtf8: true }
    if (quad >>> 8 === 0) return fromUtf32(body, true)
    if ((quad & 0x00ff_ffff) === 0) return fromUtf32(body, false)
    if ((quad & 0xff00_ffff) === 0) throw unsupportedOrder('3412')
    if ((quad & 0xffff_00ff) === 0) throw unsupportedOrder('2143')
  }
  if (body.length >= 2) {
    if (body[0] === 0) return fromUtf16(body, true)
    if (body[1] === 0) return fromUtf16(body, false)
  }
  return { bytes: body, start: 0, isUtf8: true }
}

function unsupportedOrder(order: string): JsonError {
  return new JsonError(`Unsupported UCS-4 endianness (${order}) detected`)
}

function fromUtf16(body: Buffer, isBigEndian: boolean): JsonBytes {
  const decoder = new TextDecoder(isBigEndian ? 'utf-16be' : 'utf-16le', { ignoreBOM: true })
  return { bytes: Buffer.from(decoder.decode(body)), start: 0, isUtf8: false }
}

/** What is no character becomes U+FFFD, and a truncated last one is left out. */
function fromUtf32(body: Buffer, isBigEndian: boolean): JsonBytes {
  const parts: string[] = []
  for (let at = 0; at + 4 <= body.length; at += 4) {
    const codePoint = isBigEndian ? body.readUInt32BE(at) : body.readUInt32LE(at)
    parts.push(String.fromCodePoint(codePoint <= 0x10_ffff ? codePoint : 0xfffd))
  }
  return { bytes: Buffer.from(parts.join('')), start: 0, isUtf8: false }
}
