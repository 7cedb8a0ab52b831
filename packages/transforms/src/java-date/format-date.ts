import type { Int64 } from '@tributary/connect-api'
import { ERAS, HALF_DAYS, MONTHS, shortName, WEEKDAYS } from './date-names.ts'
import type { PatternPart } from './date-pattern.ts'
import {
  type CalendarDate,
  CUTOVER_YEAR,
  dateOf,
  dayOfWeek,
  dayOnOrBefore,
  firstDayOfMonth,
  gregorianDay,
  julianDay,
  weekNumber,
} from './hybrid-calendar.ts'

export const MS_PER_DAY = 86_400_000

/** A point in time in UTC. */
export interface Moment {
  /** Since 1 January 1970. */
  readonly epochDay: number
  readonly msOfDay: number
}

export function momentOf(ms: Int64): Moment {
  if (typeof ms === 'number') {
    const epochDay = Math.floor(ms / MS_PER_DAY)
    return { epochDay, msOfDay: ms - epochDay * MS_PER_DAY }
  }
  const perDay = BigInt(MS_PER_DAY)
  const msOfDay = ((ms % perDay) + perDay) % perDay
  return { epochDay: Number((ms - msOfDay) / perDay), msOfDay: Number(msOfDay) }
}

/** The text that SimpleDateFormat makes in UTC, with English names. */
export function formatDate(parts: readonly PatternPart[], ms: Int64): string {
  const moment = momentOf(ms)
  const date = dateOf(moment.epochDay)
  let text = ''
  for (const part of parts) text += part.tag === 'text' ? part.text : fieldText(part, moment, date)
  return text
}

type FieldPart = Extract<PatternPart, { readonly tag: 'field' }>

function fieldText({ letter, count }: FieldPart, { epochDay, msOfDay }: Moment, date: CalendarDate): string {
  const hour = Math.floor(msOfDay / 3_600_000)
  switch (letter) {
    case 'G':
      return ERAS[date.year > 0 ? 1 : 0] ?? ''
    case 'y':
      return yearText(date.year > 0 ? date.year : 1 - date.year, count)
    case 'Y':
      return yearText(weekYear(epochDay, date), count)
    case 'M':
    case 'L':
      return count < 3 ? padded(date.month, count) : nameText(MONTHS[date.month - 1], count)
    case 'w':
      return padded(weekOfYear(epochDay, date), count)
    case 'W':
      return padded(weekNumber(firstDayOfMonth(date.year, date.month), epochDay), count)
    case 'D':
      return padded(epochDay - firstDayOfYear(date.year) + 1, count)
    case 'd':
      return padded(date.day, count)
    case 'F':
      return padded(Math.floor((epochDay - firstDayOfMonth(date.year, date.month)) / 7) + 1, count)
    case 'E':
      return nameText(WEEKDAYS[dayOfWeek(epochDay) - 1], count)
    case 'u':
      return padded(((dayOfWeek(epochDay) + 5) % 7) + 1, count)
    case 'a':
      return HALF_DAYS[hour < 12 ? 0 : 1] ?? ''
    case 'z':
      return count >= 4 ? 'Coordinated Universal Time' : 'UTC'
    case 'Z':
      return '+0000'
    case 'X':
      return 'Z'
    default:
      return padded(timeField(letter, hour, msOfDay), count)
  }
}

function timeField(letter: string, hour: number, msOfDay: number): number {
  switch (letter) {
    case 'H':
      return hour
    case 'k':
      return hour === 0 ? 24 : hour
    case 'K':
      return hour % 12
    case 'h':
      return hour % 12 === 0 ? 12 : hour % 12
    case 'm':
      return Math.floor(msOfDay / 60_000) % 60
    case 's':
      return Math.floor(msOfDay / 1000) % 60
    default:
      return msOfDay % 1000
  }
}

function nameText(name = '', count: number): string {
  return count >= 4 ? name : shortName(name)
}

/** Two letters are the last two digits. */
function yearText(year: number, count: number): string {
  return count === 2 ? padded(year % 100, 2) : padded(year, count)
}

function padded(value: number, digits: number): string {
  const text = String(Math.abs(value)).padStart(digits, '0')
  return value < 0 ? `-${text}` : text
}

/** In the year of the change of calendars, days are counted from the beginning in the Julian calendar. */
export function firstDayOfYear(year: number): number {
  return year > CUTOVER_YEAR ? gregorianDay(year, 1, 1) : julianDay(year, 1, 1)
}

/** The last days of a year are in week 1 of the next year if that week has one of its days. */
function isInNextYear(epochDay: number, { year }: CalendarDate): boolean {
  return epochDay >= dayOnOrBefore(firstDayOfYear(year + 1), 1)
}

function weekOfYear(epochDay: number, date: CalendarDate): number {
  return isInNextYear(epochDay, date) ? 1 : weekNumber(firstDayOfYear(date.year), epochDay)
}

function weekYear(epochDay: number, date: CalendarDate): number {
  return isInNextYear(epochDay, date) ? date.year + 1 : date.year
}
