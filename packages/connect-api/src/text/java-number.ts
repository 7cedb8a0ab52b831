import type { ByteWriter } from '@tributary/support'
import type { Decimal } from '../decimal.ts'
import { writeShortDecimal } from './short-decimal.ts'

/**
 * Returns a double as Java prints it (Double.toString): the fewest digits that parse to the same value, at least one
 * digit on each side of the point, and an exponent below 10^-3 and from 10^7 on.
 *
 * The digits are those of Java 19 and later. Java 17 and earlier print a longer text of the same value for about one
 * value in 400 (2.0E23 as 1.9999999999999998E23).
 */
export function doubleText(value: number): string {
  const size = Math.abs(value)
  if (size >= 1e-3 && size < 1e7) return Number.isInteger(value) ? `${value}.0` : String(value)
  // Where one digit is enough, Java prints the nearest number of two digits: 4.9E-324, not 5e-324. Above the subnormal
  // range the second digit is always zero.
  const isCoarse = size < SMALLEST_NORMAL_DOUBLE && /^\de/.test(String(size))
  return javaNotation(value, isCoarse ? size.toPrecision(2) : String(size))
}

/**
 * Returns a 32-bit float as Java prints it (Float.toString). `value` must be exactly a float. Java 17 and earlier print
 * a longer text for about one value in nine. For 2^-96, 2^87 and 2^90 this text has one digit more than Java's, because
 * only the nearest decimal of each length is tried.
 */
export function floatText(value: number): string {
  const size = Math.abs(value)
  if (size < 1e-3 || size >= 1e7 || Number.isNaN(size)) return javaNotation(value, shortestFloat(size))
  const shortest = shortestPlainFloat(value, size)
  return Number.isInteger(shortest) ? `${shortest}.0` : String(shortest)
}

/** Appends `doubleText` of a number. */
export function writeDouble(value: number, out: ByteWriter): void {
  if (!writeShortDecimal(value, out)) out.ascii(doubleText(value))
}

/** Appends `floatText` of a float. */
export function writeFloat(value: number, out: ByteWriter): void {
  const size = Math.abs(value)
  if (!(size >= 1e-3 && size < 1e7) || !writeShortDecimal(shortestPlainFloat(value, size), out))
    out.ascii(floatText(value))
}

/**
 * Returns a decimal as java.math.BigDecimal.toString prints it: plain, or with an exponent when six zeros follow the
 * point.
 */
export function bigDecimalText(value: Decimal): string {
  const digits = String(value.unscaled < 0 ? -value.unscaled : value.unscaled)
  const exponent = digits.length - 1 - value.scale
  if (value.scale >= 0 && exponent >= -6) return value.toString()
  const fraction = digits.length === 1 ? '' : `.${digits.slice(1)}`
  return `${value.unscaled < 0 ? '-' : ''}${digits.charAt(0)}${fraction}E${exponent < 0 ? '' : '+'}${exponent}`
}

const SMALLEST_NORMAL_DOUBLE = 2 ** -1022
/**
 * Returns the double that JavaScript prints with the fewest digits that parse to the same float, for 10^-3 ≤ size <
 * 10^7. Calculates it in 0.2 µs, where `toPrecision` and parsing take 3 µs. A whole number of up to nine digits divided
 * by a power of ten is the double nearest to that decimal, so that it prints as exactly those digits.
 */
function shortestPlainFloat(value: number, size: number): number {
  let scale = 1
  for (let bound = 1e5; size < bound && scale < 1e8; bound /= 10) scale *= 10
  // Every decimal of six digits survives conversion to a float and back, so that fewer digits need not be tried.
  for (let tries = 0; tries < 3; tries++) {
    const candidate = roundToEven(value * scale) / scale
    if (Math.fround(candidate) === value) return candidate
    scale *= 10
  }
  return roundToEven(value * scale) / scale
}

function roundToEven(value: number): number {
  const below = Math.floor(value)
  const rest = value - below
  if (rest !== 0.5) return rest < 0.5 ? below : below + 1
  return below % 2 === 0 ? below : below + 1
}

const SMALLEST_NORMAL_FLOAT = 2 ** -126

/** Returns the fewest digits that parse to the same float, in any notation; ties go to the even digit. */
function shortestFloat(value: number): string {
  for (let digits = value < SMALLEST_NORMAL_FLOAT ? 2 : 6; digits < 9; digits++) {
    const text = toEvenPrecision(value, digits)
    if (Math.fround(Number(text)) === value) return text
  }
  return value.toPrecision(9)
}

/** Rounds to the given number of digits. `toPrecision` rounds a tie up, Java rounds it to the even digit. */
function toEvenPrecision(value: number, digits: number): string {
  const text = value.toPrecision(digits)
  const [mantissa = '', exponent] = text.split('e')
  const last = mantissa.charCodeAt(mantissa.length - 1) - 0x30
  if (last % 2 === 0) return text
  const oneMore = value.toPrecision(digits + 1)
  const isTie = oneMore.split('e')[0]?.endsWith('5') === true && Number(oneMore) === value
  if (!isTie) return text
  const even = `${mantissa.slice(0, -1)}${last - 1}`
  return exponent === undefined ? even : `${even}e${exponent}`
}

/** `text`: |value| in any notation of JavaScript. */
function javaNotation(value: number, text: string): string {
  if (!Number.isFinite(value)) return String(value)
  const sign = value < 0 || Object.is(value, -0) ? '-' : ''
  if (value === 0) return `${sign}0.0`
  const [mantissa = '', exponentText = '0'] = text.split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  const allDigits = whole + fraction
  let first = 0
  while (allDigits.charAt(first) === '0') first += 1
  let end = allDigits.length
  while (allDigits.charAt(end - 1) === '0') end -= 1
  const digits = allDigits.slice(first, end)
  /** Power of ten of the first digit that is not zero. */
  const exponent = whole.length - 1 - first + Number(exponentText)
  if (exponent < -3 || exponent >= 7) return `${sign}${digits.charAt(0)}.${digits.slice(1) || '0'}E${exponent}`
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`
  const padded = digits.padEnd(exponent + 2, '0')
  return `${sign}${padded.slice(0, exponent + 1)}.${padded.slice(exponent + 1)}`
}
