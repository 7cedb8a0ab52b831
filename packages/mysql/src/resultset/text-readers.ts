import { ByteWriter } from '@tributary/support'
import { compactJson } from '../values/json-string.ts'
import { checkValue } from '../values/check-value.ts'
import type { ColumnTarget } from '../values/column-target.ts'
import { daysSince1970 } from './civil-days.ts'

/** Converts the text of one column to its value. */
export type TextValueReader<T> = (bytes: Buffer, start: number, end: number) => T

const MINUS = 0x2d
const POINT = 0x2e
const ZERO = 0x30
const ZEROS_OF_TWO = ZERO * 11
const MICROS_PER_SECOND = 1_000_000
const DIGITS_EXACT = 15
const POWERS_OF_TEN: readonly number[] = Array.from({ length: DIGITS_EXACT + 1 }, (_, i) => 10 ** i)

export function textReader<T>(target: ColumnTarget<T>): TextValueReader<T> {
  switch (target.kind) {
    case 'integer':
    case 'year': {
      const { of } = target as { readonly of: ((value: number | bigint) => T) | null }
      return of === null
        ? (readInteger as TextValueReader<T>)
        : (bytes, start, end) => of(readInteger(bytes, start, end))
    }
    case 'enum':
      return (bytes, start, end) => target.of(Number(readInteger(bytes, start, end)))
    case 'set':
      return (bytes, start, end) => target.of(readInteger(bytes, start, end))
    case 'float':
    case 'double': {
      const { of } = target
      return of === null
        ? (readDouble as unknown as TextValueReader<T>)
        : (bytes, start, end) => of(readDouble(bytes, start, end))
    }
    case 'decimal':
      return (bytes, start, end) => readDecimal(bytes, start, end, target.of)
    case 'text':
    case 'binary':
    case 'bit':
    case 'raw':
      return target.of
    case 'geometry':
    case 'vector':
      return checkedReader(target)
    case 'uuid':
    case 'inet4':
    case 'inet6':
      return (bytes, start, end) => target.of(bytes.latin1Slice(start, end))
    case 'json':
      return jsonReader(target.of)
    default:
      return temporalReader(target)
  }
}

function checkedReader<T>({ kind, of }: Extract<ColumnTarget<T>, { kind: 'geometry' | 'vector' }>): TextValueReader<T> {
  return (bytes, start, end) => {
    checkValue(kind, bytes, start, end)
    return of(bytes, start, end)
  }
}

function temporalReader<T>(
  target: Extract<ColumnTarget<T>, { kind: 'date' | 'time' | 'datetime' | 'timestamp' }>,
): TextValueReader<T> {
  switch (target.kind) {
    case 'date':
      return (bytes, start) => target.of(readDate(bytes, start))
    case 'time':
      return (bytes, start, end) => target.of(readTime(bytes, start, end))
    case 'datetime':
      return (bytes, start, end) => target.of(readDate(bytes, start), readTime(bytes, start + 11, end))
    case 'timestamp':
      return (bytes, start, end) => readTimestamp(bytes, start, end, target.of)
  }
}

/** Digits, at most the 20 of an unsigned 64-bit number, with a sign. */
function readInteger(bytes: Buffer, start: number, end: number): number | bigint {
  if (end - start > 15) {
    const value = exactInteger(bytes.latin1Slice(start, end))
    return BigInt.asIntN(54, value) === value ? Number(value) : value
  }
  const isNegative = bytes[start] === MINUS
  let value = 0
  for (let i = isNegative ? start + 1 : start; i < end; i++) value = value * 10 + ((bytes[i] as number) - ZERO)
  return isNegative && value !== 0 ? -value : value
}

function exactInteger(digits: string): bigint {
  try {
    return BigInt(digits)
  } catch {
    throw new RangeError('a number has other characters than digits')
  }
}

/**
 * A number of at most 15 digits without an exponent is the quotient of two integers that are exact doubles, and
 * division rounds correctly. Others are parsed from a string, which takes three times as long.
 */
function readDouble(bytes: Buffer, start: number, end: number): number {
  const isNegative = bytes[start] === MINUS
  const first = isNegative ? start + 1 : start
  if (end - first > DIGITS_EXACT) return Number(bytes.latin1Slice(start, end))
  let value = 0
  let point = end
  for (let i = first; i < end; i++) {
    const digit = (bytes[i] as number) - ZERO
    if (digit >= 0 && digit <= 9) value = value * 10 + digit
    else if (digit === POINT - ZERO) point = i
    else return Number(bytes.latin1Slice(start, end))
  }
  if (point < end - 1) value /= POWERS_OF_TEN[end - point - 1] as number
  return isNegative ? -value : value
}

function readDecimal<T>(
  bytes: Buffer,
  start: number,
  end: number,
  of: (unscaled: number | bigint, scale: number) => T,
): T {
  if (end - start > 15) return readLongDecimal(bytes, start, end, of)
  const isNegative = bytes[start] === MINUS
  let value = 0
  let scale = 0
  for (let i = isNegative ? start + 1 : start; i < end; i++) {
    const byte = bytes[i] as number
    if (byte === POINT) scale = end - i - 1
    else value = value * 10 + (byte - ZERO)
  }
  return of(isNegative && value !== 0 ? -value : value, scale)
}

function readLongDecimal<T>(
  bytes: Buffer,
  start: number,
  end: number,
  of: (unscaled: number | bigint, scale: number) => T,
): T {
  const text = bytes.latin1Slice(start, end)
  const point = text.indexOf('.')
  const value = exactInteger(point < 0 ? text : text.slice(0, point) + text.slice(point + 1))
  const scale = point < 0 ? 0 : text.length - point - 1
  return of(BigInt.asIntN(54, value) === value ? Number(value) : value, scale)
}

function digits(bytes: Buffer, start: number, count: number): number {
  let value = 0
  for (let i = start; i < start + count; i++) value = value * 10 + ((bytes[i] as number) - ZERO)
  return value
}

/** The number of two digits. */
function twoDigits(bytes: Buffer, at: number): number {
  return (bytes[at] as number) * 10 + (bytes[at + 1] as number) - ZEROS_OF_TWO
}

/** `YYYY-MM-DD` as YYYYMMDD. */
function readDate(bytes: Buffer, start: number): number {
  return (
    twoDigits(bytes, start) * 1_000_000 +
    twoDigits(bytes, start + 2) * 10_000 +
    twoDigits(bytes, start + 5) * 100 +
    twoDigits(bytes, start + 8)
  )
}

/** `[-]h…h:mm:ss[.f…f]` in microseconds. */
function readTime(bytes: Buffer, start: number, end: number): number {
  const isNegative = bytes[start] === MINUS
  let at = isNegative ? start + 1 : start
  let hours = 0
  while (at < end && bytes[at] !== COLON) hours = hours * 10 + ((bytes[at++] as number) - ZERO)
  if (at >= end) throw new RangeError('a time has no colon')
  const seconds = hours * 3600 + twoDigits(bytes, at + 1) * 60 + twoDigits(bytes, at + 4)
  const micros = seconds * MICROS_PER_SECOND + readFraction(bytes, at + 6, end)
  return isNegative && micros !== 0 ? -micros : micros
}

/** `.f…f` in microseconds; 0 without a fraction. */
function readFraction(bytes: Buffer, start: number, end: number): number {
  const count = end - start - 1
  return count <= 0 ? 0 : digits(bytes, start + 1, count) * (MICROS_OF_DIGIT[count] as number)
}

/** Microseconds per unit of the last digit, by number of digits. */
const MICROS_OF_DIGIT: readonly number[] = [0, 100_000, 10_000, 1_000, 100, 10, 1]

/** `YYYY-MM-DD hh:mm:ss[.f…f]` in UTC (the session’s time_zone must be +00:00). */
function readTimestamp<T>(bytes: Buffer, start: number, end: number, of: (seconds: number, micros: number) => T): T {
  const date = readDate(bytes, start)
  if (date === 0) return of(0, 0)
  const clock = readTime(bytes, start + 11, end)
  const second = Math.floor(clock / MICROS_PER_SECOND)
  return of(daysSince1970(date) * 86_400 + second, clock - second * MICROS_PER_SECOND)
}

function jsonReader<T>(of: (bytes: Buffer, start: number, end: number) => T): TextValueReader<T> {
  const out = new ByteWriter(1024)
  return (bytes, start, end) => {
    out.reset()
    compactJson(bytes, start, end, out)
    const text = out.copy()
    return of(text, 0, text.length)
  }
}

const COLON = 0x3a
