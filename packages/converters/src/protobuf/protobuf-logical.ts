import { Decimal, type ConnectValue } from '@tributary/connect-api'
import type { ByteWriter } from '@tributary/support'
import { writeInteger, writeUnsigned } from './protobuf-bytes.ts'

const MS_PER_DAY = 86_400_000

/** Appends the fields of `confluent.type.Decimal`; false for another value, or a scale other than the schema's. */
export function writeDecimal(value: ConnectValue, scale: number, out: ByteWriter): boolean {
  if (!(value instanceof Decimal) || value.scale !== scale) return false
  const bytes = value.toBytes()
  out.byte(0x0a)
  writeUnsigned(bytes.length, out)
  out.write(bytes)
  const digits = BigInt(value.unscaled).toString().replace('-', '').length
  writeField(0x10, digits, out)
  writeField(0x18, value.scale, out)
  return true
}

/** Appends the fields of `google.type.Date`: the days since 1970 in the calendar of Java, Julian before 1582. */
export function writeDate(value: ConnectValue, out: ByteWriter): boolean {
  if (typeof value !== 'number' || (value | 0) !== value) return false
  const [year, month, day] = value < GREGORIAN_SINCE ? julianDate(value) : gregorianDate(value)
  // Java counts the years before Christ as an era of its own.
  writeField(0x08, year > 0 ? year : 1 - year, out)
  writeField(0x10, month, out)
  writeField(0x18, day, out)
  return true
}

/** 15 October 1582. */
const GREGORIAN_SINCE = -141_427

/** Days from 1 March of the year 0 in the calendar of its own. Years begin in March, so that they end with the leap day. */
function gregorianDate(days: number): readonly [year: number, month: number, day: number] {
  const shifted = days + 719_468
  const era = Math.floor(shifted / 146_097)
  const inEra = shifted - era * 146_097
  const yearOfEra = Math.floor(
    (inEra - Math.floor(inEra / 1460) + Math.floor(inEra / 36_524) - Math.floor(inEra / 146_096)) / 365,
  )
  const inYear = inEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  return fromMarch(era * 400 + yearOfEra, inYear)
}

function julianDate(days: number): readonly [year: number, month: number, day: number] {
  const shifted = days + 719_470
  const cycle = Math.floor(shifted / 1461)
  const inCycle = shifted - cycle * 1461
  const yearOfCycle = Math.min(3, Math.floor(inCycle / 365))
  return fromMarch(cycle * 4 + yearOfCycle, inCycle - yearOfCycle * 365)
}

function fromMarch(marchYear: number, inYear: number): readonly [year: number, month: number, day: number] {
  const fifth = Math.floor((5 * inYear + 2) / 153)
  const day = inYear - Math.floor((153 * fifth + 2) / 5) + 1
  const month = fifth < 10 ? fifth + 3 : fifth - 9
  return [month <= 2 ? marchYear + 1 : marchYear, month, day]
}

/** Appends the fields of `google.type.TimeOfDay`; false outside of a day, which Java refuses too. */
export function writeTime(value: ConnectValue, out: ByteWriter): boolean {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > MS_PER_DAY) return false
  const seconds = Math.floor(value / 1000)
  writeField(0x08, Math.floor(seconds / 3600) % 24, out)
  writeField(0x10, Math.floor(seconds / 60) % 60, out)
  writeField(0x18, seconds % 60, out)
  writeField(0x20, (value % 1000) * 1_000_000, out)
  return true
}

/** Appends the fields of `google.protobuf.Timestamp`. */
export function writeTimestamp(value: ConnectValue, out: ByteWriter): boolean {
  const ms = typeof value === 'bigint' ? Number(value) : value
  if (typeof ms !== 'number' || !Number.isSafeInteger(ms)) return false
  const seconds = Math.floor(ms / 1000)
  writeField(0x08, seconds, out)
  writeField(0x10, (ms - seconds * 1000) * 1_000_000, out)
  return true
}

/** A field without presence: zero is omitted. */
function writeField(tag: number, value: number, out: ByteWriter): void {
  if (value === 0) return
  out.byte(tag)
  writeInteger(value, out)
}
