// Java's calendar: Julian up to 4 October 1582, Gregorian from the day after, which is 15 October 1582. Days are counted
// from 1 January 1970; months from 1. Years are calculated as if they began in March, so that they end with the leap day.

const MARCH_YEAR_DAYS = 1461 / 4
const GREGORIAN_OFFSET = 719_468
const JULIAN_OFFSET = 719_470
const ERA_YEARS = 400
const ERA_DAYS = 146_097

/** 15 October 1582. */
export const CUTOVER_DAY = -141_427
export const CUTOVER_YEAR = 1582

export interface CalendarDate {
  /** 0 is 1 BC. */
  readonly year: number
  readonly month: number
  readonly day: number
}

export type DayCounter = (year: number, month: number, day: number) => number

export const gregorianDay: DayCounter = (year, month, day) => {
  const marchYear = month <= 2 ? year - 1 : year
  const era = Math.floor(marchYear / ERA_YEARS)
  const yearOfEra = marchYear - era * ERA_YEARS
  const dayOfEra =
    yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfMarchYear(month, day)
  return era * ERA_DAYS + dayOfEra - GREGORIAN_OFFSET
}

export const julianDay: DayCounter = (year, month, day) => {
  const marchYear = month <= 2 ? year - 1 : year
  return Math.floor(marchYear * MARCH_YEAR_DAYS) + dayOfMarchYear(month, day) - JULIAN_OFFSET
}

function dayOfMarchYear(month: number, day: number): number {
  return Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1
}

export function dateOf(epochDay: number): CalendarDate {
  return epochDay >= CUTOVER_DAY ? gregorianDate(epochDay) : julianDate(epochDay)
}

function gregorianDate(epochDay: number): CalendarDate {
  const shifted = epochDay + GREGORIAN_OFFSET
  const era = Math.floor(shifted / ERA_DAYS)
  const dayOfEra = shifted - era * ERA_DAYS
  const leapDays = Math.floor(dayOfEra / 1460) - Math.floor(dayOfEra / 36_524) + Math.floor(dayOfEra / 146_096)
  const yearOfEra = Math.floor((dayOfEra - leapDays) / 365)
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  return dateInMarchYear(era * ERA_YEARS + yearOfEra, dayOfYear)
}

function julianDate(epochDay: number): CalendarDate {
  const shifted = epochDay + JULIAN_OFFSET
  const marchYear = Math.floor((4 * shifted + 3) / 1461)
  return dateInMarchYear(marchYear, shifted - Math.floor(marchYear * MARCH_YEAR_DAYS))
}

function dateInMarchYear(marchYear: number, dayOfYear: number): CalendarDate {
  const monthFromMarch = Math.floor((5 * dayOfYear + 2) / 153)
  const day = dayOfYear - Math.floor((153 * monthFromMarch + 2) / 5) + 1
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
  return { year: month <= 2 ? marchYear + 1 : marchYear, month, day }
}

/** The first day of a month, in the calendar of that time. */
export function firstDayOfMonth(year: number, month: number): number {
  const gregorian = gregorianDay(year, month, 1)
  return gregorian >= CUTOVER_DAY ? gregorian : julianDay(year, month, 1)
}

/** 1 is Sunday, as in Java. */
export function dayOfWeek(epochDay: number): number {
  return modulo(epochDay + 4, 7) + 1
}

/** The last day up to `epochDay` that is a `weekday`. */
export function dayOnOrBefore(epochDay: number, weekday: number): number {
  return epochDay - modulo(epochDay + 5 - weekday, 7)
}

/** The week of a day in a period that begins with `first`. Weeks begin on Sunday, the first one with the period. */
export function weekNumber(first: number, epochDay: number): number {
  return Math.floor((epochDay - dayOnOrBefore(first, 1)) / 7) + 1
}

export function modulo(value: number, divisor: number): number {
  return ((value % divisor) + divisor) % divisor
}
