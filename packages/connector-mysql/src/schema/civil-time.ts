import type { ByteWriter } from '@tributary/support'

export { daysSince1970 } from '@tributary/mysql'

/**
 * Calendar arithmetic on plain numbers: no Date, no time zone. Dates are numbers YYYYMMDD, as the decoders return them.
 */

export const MILLIS_PER_DAY = 86_400_000
export const MICROS_PER_DAY = 86_400_000_000

const DAYS_OF_MONTH = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/** Whether the date exists; dates with a zero part, or such as 30 February, do not. */
export function isExistingDate(date: number): boolean {
  const day = date % 100
  const month = Math.floor(date / 100) % 100
  if (date < 10_000 || month < 1 || month > 12 || day < 1) return false
  if (day <= 28) return true
  const year = Math.floor(date / 10_000)
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
  return day <= (month === 2 && isLeap ? 29 : (DAYS_OF_MONTH[month - 1] as number))
}

/** The date, YYYYMMDD, of a number of days since 1970. */
export function dateOfDays(days: number): number {
  const shifted = days + 719_468
  const era = Math.floor(shifted / 146_097)
  const dayOfEra = shifted - era * 146_097
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  )
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const shiftedMonth = Math.floor((5 * dayOfYear + 2) / 153)
  const day = dayOfYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  return year * 10_000 + month * 100 + day
}

/** `enable.time.adjuster`: a year below 100 is one of 1970 to 2069. */
export function adjustTwoDigitYear(date: number): number {
  const year = Math.floor(date / 10_000)
  if (year >= 100) return date
  return date + (year < 70 ? 2000 : 1900) * 10_000
}

/** `YYYY-MM-DD`. */
export function formatDate(date: number): string {
  const year = Math.floor(date / 10_000)
  return `${String(year).padStart(4, '0')}-${two(Math.floor(date / 100) % 100)}-${two(date % 100)}`
}

/** Appends `YYYY-MM-DD`. */
export function printDate(date: number, out: ByteWriter): void {
  const year = (date / 10_000) | 0
  const monthAndDay = date - year * 10_000
  const month = (monthAndDay / 100) | 0
  out.paddedInteger(year, 4)
  out.byte(DASH)
  out.paddedInteger(month, 2)
  out.byte(DASH)
  out.paddedInteger(monthAndDay - month * 100, 2)
}

/** Appends `hh:mm:ss`. */
export function printClock(secondsOfDay: number, out: ByteWriter): void {
  const minutes = (secondsOfDay / 60) | 0
  const hours = (minutes / 60) | 0
  out.paddedInteger(hours, 2)
  out.byte(COLON)
  out.paddedInteger(minutes - hours * 60, 2)
  out.byte(COLON)
  out.paddedInteger(secondsOfDay - minutes * 60, 2)
}

const DASH = 0x2d
const COLON = 0x3a

/** `hh:mm:ss`, with exactly `fractionDigits` digits of the fraction when that is not 0. */
export function formatClock(microsOfDay: number, fractionDigits: number): string {
  const seconds = Math.floor(microsOfDay / 1_000_000)
  const hours = Math.floor(seconds / 3600)
  const text = `${two(hours)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`
  if (fractionDigits === 0) return text
  const micros = String(microsOfDay - seconds * 1_000_000).padStart(6, '0')
  return `${text}.${micros.slice(0, fractionDigits)}`
}

function two(value: number): string {
  return value < 10 ? `0${value}` : String(value)
}
