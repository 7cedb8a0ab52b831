import { shownText } from '../error-texts.ts'

/** Packet ERR: 0xff · int<2> number · '#' · string<5> SQL state · string<EOF> message. */
export function readServerError(
  bytes: Buffer,
  start: number,
  end: number,
): Error & { errno: number; sqlState: string } {
  if (end - start < 3) throw new RangeError('an error packet without a number')
  const errno = bytes.readUInt16LE(start + 1)
  const hasState = end - start >= 9 && bytes[start + 3] === 0x23
  const sqlState = hasState ? bytes.latin1Slice(start + 4, start + 9) : 'HY000'
  const message = shownText(bytes.utf8Slice(start + (hasState ? 9 : 3), end))
  return Object.assign(new Error(message), { errno, sqlState })
}
