/**
 * Dates and times as the servers print them. Written apart from the conversions of the connector, which this package
 * checks.
 */

const MICROS_PER_DAY = 86_400_000_000n

/** `2026-11-25` of a number of days since 1970, in the proleptic Gregorian calendar. Null outside the years 0 to 9999. */
export function dateText(days: number): string | null {
  if (!Number.isSafeInteger(days) || days < DAY_MIN || days > DAY_MAX) return null
  let rest = days - DAY_MIN
  // The calendar repeats after 400 years, which have 146,097 days.
  let year = Math.floor(rest / 146_097) * 400
  rest %= 146_097
  while (rest >= daysOfYear(year)) {
    rest -= daysOfYear(year)
    year += 1
  }
  let month = 1
  while (rest >= daysOfMonth(year, month)) {
    rest -= daysOfMonth(year, month)
    month += 1
  }
  return `${String(year).padStart(4, '0')}-${twoDigits(month)}-${twoDigits(rest + 1)}`
}

/** 0000-01-01 and 9999-12-31. */
const DAY_MIN = -719_528
const DAY_MAX = 2_932_896

function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
}

function daysOfYear(year: number): number {
  return isLeapYear(year) ? 366 : 365
}

function daysOfMonth(year: number, month: number): number {
  if (month === 2) return isLeapYear(year) ? 29 : 28
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
}

function twoDigits(value: number | bigint): string {
  return String(value).padStart(2, '0')
}

/** `2026-11-25 12:34:56.789` of microseconds since 1970, with that many digits of the fraction. */
export function dateTimeText(micros: bigint, digits: number): string | null {
  const ofDay = ((micros % MICROS_PER_DAY) + MICROS_PER_DAY) % MICROS_PER_DAY
  const date = dateText(Number((micros - ofDay) / MICROS_PER_DAY))
  return date === null ? null : `${date} ${clockText(ofDay, digits)}`
}

/** `-838:59:59.000000` of microseconds, with that many digits of the fraction. */
export function timeText(micros: bigint, digits: number): string {
  return micros < 0n ? `-${clockText(-micros, digits)}` : clockText(micros, digits)
}

function clockText(micros: bigint, digits: number): string {
  const seconds = micros / 1_000_000n
  const clock = `${twoDigits(seconds / 3600n)}:${twoDigits((seconds / 60n) % 60n)}:${twoDigits(seconds % 60n)}`
  if (digits === 0) return clock
  return `${clock}.${String(micros % 1_000_000n)
    .padStart(6, '0')
    .slice(0, digits)}`
}

/** The server's text with another number of digits of the fraction; surplus digits are cut. */
export function withDigits(text: string, digits: number): string {
  const [whole = '', fraction = ''] = text.split('.')
  return digits === 0 ? whole : `${whole}.${fraction.padEnd(digits, '0').slice(0, digits)}`
}

/** Whether a date of the server has a day that exists: events cannot have others. */
export function isExistingDate(text: string): boolean {
  const found = /^(\d{4})-(\d\d)-(\d\d)/.exec(text)
  if (found === null) return false
  const [year, month, day] = [Number(found[1]), Number(found[2]), Number(found[3])]
  return month >= 1 && month <= 12 && day >= 1 && day <= daysOfMonth(year, month)
}
