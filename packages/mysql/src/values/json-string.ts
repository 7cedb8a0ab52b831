import type { ByteWriter } from '@tributary/support'

/**
 * A quoted string as the server writes it (json_dom.cc, double_quote): UTF-8 unchanged, quotes and control characters
 * escaped.
 */
export function writeJsonString(bytes: Buffer, start: number, end: number, out: ByteWriter): void {
  // In parts, since room for the worst case of a long string would be six times its size.
  const firstEnd = Math.min(start + PART_BYTES, end)
  out.reserve(1 + (firstEnd - start) * 6)
  out.bytes[out.position++] = QUOTE
  writePart(bytes, start, firstEnd, out)
  for (let from = firstEnd; from < end; from += PART_BYTES) {
    const partEnd = Math.min(from + PART_BYTES, end)
    out.reserve((partEnd - from) * 6)
    writePart(bytes, from, partEnd, out)
  }
  out.byte(QUOTE)
}

const PART_BYTES = 1 << 16

/** The caller has made room for six bytes of each, the worst case. */
function writePart(bytes: Buffer, start: number, end: number, out: ByteWriter): void {
  const target = out.bytes
  let at = out.position
  for (let i = start; i < end; i++) {
    const byte = bytes[i] as number
    if (byte >= 0x20 && byte !== QUOTE && byte !== BACKSLASH) {
      target[at++] = byte
      continue
    }
    target[at++] = BACKSLASH
    const short = SHORT_ESCAPES[byte]
    if (short !== undefined) {
      target[at++] = short
      continue
    }
    at += target.latin1Write(`u00${byte.toString(16).padStart(2, '0')}`, at, 5)
  }
  out.position = at
}

const QUOTE = 0x22
const BACKSLASH = 0x5c

const SHORT_ESCAPES: Readonly<Record<number, number>> = {
  [QUOTE]: QUOTE,
  [BACKSLASH]: BACKSLASH,
  0x08: 0x62,
  0x09: 0x74,
  0x0a: 0x6e,
  0x0c: 0x66,
  0x0d: 0x72,
}

/**
 * Copies JSON text of the server without the spaces after commas and colons.
 */
export function compactJson(bytes: Buffer, start: number, end: number, out: ByteWriter): void {
  out.reserve(end - start)
  const target = out.bytes
  let at = out.position
  let isInString = false
  for (let i = start; i < end; i++) {
    const byte = bytes[i] as number
    if (byte === QUOTE) isInString = !isInString
    else if (byte === BACKSLASH && isInString) target[at++] = bytes[i++] as number
    else if (byte === SPACE && !isInString) continue
    target[at++] = bytes[i] as number
  }
  out.position = at
}

const SPACE = 0x20
