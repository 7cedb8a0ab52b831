import type { ColumnTarget, TimestampPrinter } from '../values/column-target.ts'
import type { ColumnPrinter } from './column-printer.ts'
import type { ColumnReader, RowCursor } from './row-cursor.ts'

type Target<K extends ColumnTarget<unknown>['kind'], T> = Extract<ColumnTarget<T>, { kind: K }>

const MICROS_PER_SECOND = 1_000_000

/** DATE: int<3> little-endian: day in 5 bits, month in 4, year in 15. */
export function dateReader<T>({ of }: Target<'date', T>): ColumnReader<T> {
  return (cursor) => {
    const { bytes, at } = cursor
    const packed = (bytes[at] as number) | ((bytes[at + 1] as number) << 8) | ((bytes[at + 2] as number) << 16)
    cursor.at = at + 3
    return of((packed >> 9) * 10_000 + ((packed >> 5) & 15) * 100 + (packed & 31))
  }
}

/** YEAR: one byte: 0 or year - 1900. */
export function yearReader<T>({ of }: Target<'year', T>): ColumnReader<T> {
  return (cursor) => {
    const byte = cursor.bytes[cursor.at++] as number
    const year = byte === 0 ? 0 : 1900 + byte
    return of === null ? (year as T) : of(year)
  }
}

/**
 * DATETIME2 (MySQL 5.6, my_datetime_packed_from_binary): five bytes big-endian: 1 bit sign (set), 17 bits year × 13 +
 * month, 5 bits day, 5 bits hour, 6 bits minute, 6 bits second; then the fraction.
 */
export function datetimeReader<T>({ of }: Target<'datetime', T>, fractionDigits: number): ColumnReader<T> {
  const readFraction = fractionReader(fractionDigits)
  return (cursor) => {
    const { bytes, at } = cursor
    const high = ((bytes[at] as number) << 16) | ((bytes[at + 1] as number) << 8) | (bytes[at + 2] as number)
    const low = ((bytes[at + 3] as number) << 8) | (bytes[at + 4] as number)
    cursor.at = at + 5
    const yearMonth = (high & 0x7f_ff_ff) >> 6
    const year = (yearMonth / 13) | 0
    const date = year * 10_000 + (yearMonth - year * 13) * 100 + ((high & 0x3f) >> 1)
    const hour = ((high & 1) << 4) | (low >> 12)
    const seconds = hour * 3600 + ((low >> 6) & 63) * 60 + (low & 63)
    return of(date, seconds * MICROS_PER_SECOND + readFraction(cursor))
  }
}

/** TIMESTAMP2: int<4> big-endian seconds since 1970, then the fraction. */
export function timestampReader<T>({ of }: Target<'timestamp', T>, fractionDigits: number): ColumnReader<T> {
  const readFraction = fractionReader(fractionDigits)
  return (cursor) => {
    const { bytes, at } = cursor
    const seconds =
      (bytes[at] as number) * 0x1_00_00_00 +
      (((bytes[at + 1] as number) << 16) | ((bytes[at + 2] as number) << 8) | (bytes[at + 3] as number))
    cursor.at = at + 4
    return of(seconds, readFraction(cursor))
  }
}

/** Prints a TIMESTAMP2. */
export function timestampPrinter(print: TimestampPrinter, fractionDigits: number): ColumnPrinter {
  const fractionBytes = (fractionDigits + 1) >> 1
  const microsPerUnit = 10 ** (6 - 2 * fractionBytes)
  return (bytes, start, end, out) => {
    let seconds = 0
    for (let at = start; at < start + 4; at++) seconds = seconds * 256 + (bytes[at] as number)
    let fraction = 0
    for (let at = start + 4; at < end; at++) fraction = fraction * 256 + (bytes[at] as number)
    return print(seconds, fraction * microsPerUnit, out)
  }
}

/**
 * TIME2 (my_time_packed_from_binary): three bytes and the fraction's bytes, big-endian, as one number with an offset of
 * 0x80 in the first byte. Its magnitude has 10 bits hour, 6 bits minute, 6 bits second and the fraction.
 */
export function timeReader<T>({ of }: Target<'time', T>, fractionDigits: number): ColumnReader<T> {
  const fractionBytes = (fractionDigits + 1) >> 1
  const fractionSpan = 256 ** fractionBytes
  const microsPerUnit = 10 ** (6 - 2 * fractionBytes)
  return (cursor) => {
    const { bytes, at } = cursor
    const whole = ((bytes[at] as number) << 16) | ((bytes[at + 1] as number) << 8) | (bytes[at + 2] as number)
    let fraction = 0
    for (let i = 0; i < fractionBytes; i++) fraction = fraction * 256 + (bytes[at + 3 + i] as number)
    cursor.at = at + 3 + fractionBytes
    const packed = (whole - 0x80_00_00) * fractionSpan + fraction
    const magnitude = Math.abs(packed)
    const clock = Math.floor(magnitude / fractionSpan)
    const seconds = ((clock >> 12) & 1023) * 3600 + ((clock >> 6) & 63) * 60 + (clock & 63)
    const micros = seconds * MICROS_PER_SECOND + (magnitude - clock * fractionSpan) * microsPerUnit
    return of(packed < 0 ? -micros : micros)
  }
}

/** Fractions of seconds: two decimal digits per byte, big-endian; an odd last digit is the upper one of its byte. */
function fractionReader(digits: number): (cursor: RowCursor) => number {
  const count = (digits + 1) >> 1
  const microsPerUnit = 10 ** (6 - 2 * count)
  if (count === 0) return () => 0
  return (cursor) => {
    let value = 0
    for (let i = 0; i < count; i++) value = value * 256 + (cursor.bytes[cursor.at++] as number)
    return value * microsPerUnit
  }
}

/** TIMESTAMP of tables made before MySQL 5.6: int<4> little-endian seconds. */
export function oldTimestampReader<T>({ of }: Target<'timestamp', T>): ColumnReader<T> {
  return (cursor) => {
    cursor.at += 4
    return of(cursor.bytes.readUInt32LE(cursor.at - 4), 0)
  }
}

/** DATETIME of tables made before MySQL 5.6: int<8> little-endian, the decimal number YYYYMMDDhhmmss. */
export function oldDatetimeReader<T>({ of }: Target<'datetime', T>): ColumnReader<T> {
  return (cursor) => {
    cursor.at += 8
    const packed = Number(cursor.bytes.readBigUInt64LE(cursor.at - 8))
    const date = Math.floor(packed / 1_000_000)
    const clock = packed - date * 1_000_000
    const seconds = ((clock / 10_000) | 0) * 3600 + (((clock / 100) | 0) % 100) * 60 + (clock % 100)
    return of(date, seconds * MICROS_PER_SECOND)
  }
}

/** TIME of tables made before MySQL 5.6: int<3> little-endian, signed, the decimal number hhmmss. */
export function oldTimeReader<T>({ of }: Target<'time', T>): ColumnReader<T> {
  return (cursor) => {
    cursor.at += 3
    const packed = cursor.bytes.readIntLE(cursor.at - 3, 3)
    const clock = Math.abs(packed)
    const seconds = ((clock / 10_000) | 0) * 3600 + (((clock / 100) | 0) % 100) * 60 + (clock % 100)
    return of((packed < 0 ? -seconds : seconds) * MICROS_PER_SECOND)
  }
}
