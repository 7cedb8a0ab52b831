import { quotedText } from '../tables/quoted-name.ts'

/** A quoted literal; the bytes of a text with control characters, which would break the line or the terminal. */
export function textLiteral(text: string): string {
  return CONTROLS.test(text) ? `_utf8mb4 x'${Buffer.from(text).toString('hex')}'` : quotedText(text)
}

/** All but tab, line feed and carriage return, which have escapes or are harmless. */
// oxlint-disable-next-line no-control-regex -- controls are what it looks for
const CONTROLS = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]/

/** The bytes of a text with its charset, for texts that UTF-8 cannot represent without loss. */
export function encodedLiteral(charset: string, bytes: Buffer, start: number, end: number): string {
  return `_${charset} x'${bytes.toString('hex', start, end)}'`
}

export function bytesLiteral(bytes: Buffer, start: number, end: number): string {
  return `x'${bytes.toString('hex', start, end)}'`
}

/** `b'101'` */
export function bitsLiteral(bytes: Buffer, start: number, end: number): string {
  const value = end === start ? 0n : BigInt(`0x${bytes.toString('hex', start, end)}`)
  return `b'${value.toString(2)}'`
}

/** With an exponent, so that the server reads a double and not a decimal; zero may be negative. */
export function floatLiteral(value: number): string {
  if (Object.is(value, -0)) return '-0e0'
  const text = String(value)
  return text.includes('e') ? text : `${text}e0`
}

/** `-838:59:59.5`: hours may have three digits. */
export function timeText(micros: number, digits: number): string {
  const size = Math.abs(micros)
  const seconds = Math.floor(size / 1_000_000)
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
  const clock = parts.map((part) => String(part).padStart(2, '0')).join(':')
  const fraction =
    digits === 0
      ? ''
      : `.${String(size % 1_000_000)
          .padStart(6, '0')
          .slice(0, digits)}`
  return `${micros < 0 ? '-' : ''}${clock}${fraction}`
}
