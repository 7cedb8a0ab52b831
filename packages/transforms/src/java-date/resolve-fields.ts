import type { CalendarFields } from './calendar-fields.ts'
import { MS_PER_DAY, type Moment } from './format-date.ts'
import {
  CUTOVER_DAY,
  CUTOVER_YEAR,
  type DayCounter,
  dayOnOrBefore,
  gregorianDay,
  julianDay,
  modulo,
} from './hybrid-calendar.ts'

/** The fields from which the day is calculated, beside the year. */
type DayRule = 'dayOfMonth' | 'weekOfMonth' | 'dayOfWeekInMonth' | 'dayOfYear' | 'weekOfYear'

/** The point in time that the fields mean, as a lenient GregorianCalendar of Java calculates it. */
export function resolveFields(fields: CalendarFields): Moment {
  const time = timeOf(fields)
  const carried = Math.floor(time / MS_PER_DAY)
  const day = carried + (isWeekDate(fields) ? dayOfWeekDate(fields) : dayOf(fields, carried))
  const ms = time - carried * MS_PER_DAY - fields.get('zoneOffsetMs')
  const days = Math.floor(ms / MS_PER_DAY)
  return { epochDay: day + days, msOfDay: ms - days * MS_PER_DAY }
}

function timeOf(fields: CalendarFields): number {
  const minutes = hoursOf(fields) * 60 + fields.get('minute')
  return (minutes * 60 + fields.get('second')) * 1000 + fields.get('millisecond')
}

function hoursOf(fields: CalendarFields): number {
  const ofDay = fields.stampOf('hourOfDay')
  const best = Math.max(ofDay, fields.stampOfBoth('hour', 'halfDay'))
  if (best !== 0 && best === ofDay) return fields.get('hourOfDay')
  return fields.get('hour') + 12 * fields.get('halfDay')
}

function isWeekDate(fields: CalendarFields): boolean {
  return fields.has('weekYear') && fields.stampOf('weekYear') > fields.stampOf('year')
}

function dayOfWeekDate(fields: CalendarFields): number {
  const year = fields.get('weekYear')
  const [weeks, weekday] = validWeekday(fields.get('weekOfYear', 1), fields.get('dayOfWeek', 1))
  const firstDay = year > CUTOVER_YEAR ? gregorianDay(year, 1, 1) : julianDay(year, 1, 1)
  return dayOnOrBefore(firstDay, 1) + weekday - 1 + 7 * (weeks - 1)
}

/** A number beyond the week is in another week. */
function validWeekday(week: number, weekday: number): readonly [week: number, weekday: number] {
  if (weekday >= 1 && weekday <= 7) return [week, weekday]
  if (weekday >= 8) return [week + Math.floor((weekday - 1) / 7), isoToCalendar(((weekday - 1) % 7) + 1)]
  const weeksBefore = Math.ceil((1 - weekday) / 7)
  return [week - weeksBefore, isoToCalendar(weekday + 7 * weeksBefore)]
}

export function isoToCalendar(isoWeekday: number): number {
  if (isoWeekday < 1 || isoWeekday > 7) return isoWeekday
  return isoWeekday === 7 ? 1 : isoWeekday + 1
}

/** `carried`: days of the time of day, which may change the calendar. The result does not include them. */
function dayOf(fields: CalendarFields, carried: number): number {
  const rule = dayRule(fields)
  const year = fields.has('year') ? fields.get('year') : 1970
  const normalized = fields.get('era', 1) === 0 ? 1 - year : year
  const gregorian = dayBy(fields, rule, normalized, gregorianDay)
  const julian = dayBy(fields, rule, normalized, julianDay)
  if (normalized === CUTOVER_YEAR && (rule === 'dayOfYear' || rule === 'weekOfYear')) return julian
  if (normalized < CUTOVER_YEAR) return julian
  // Ten dates of 1582 do not exist: Java counts them in the Julian calendar.
  return gregorian + carried >= CUTOVER_DAY ? gregorian : julian
}

/** Calendar's rule: the combination that was set last, else a field alone. */
function dayRule(fields: CalendarFields): DayRule {
  const dayOfMonth = fields.stampOf('dayOfMonth')
  let weekOfMonth = fields.stampOfBoth('weekOfMonth', 'dayOfWeek')
  let inMonth = fields.stampOfBoth('dayOfWeekInMonth', 'dayOfWeek')
  const dayOfYear = fields.stampOf('dayOfYear')
  const weekOfYear = fields.stampOfBoth('weekOfYear', 'dayOfWeek')
  let best = Math.max(dayOfMonth, weekOfMonth, inMonth, dayOfYear, weekOfYear)
  if (best === 0) {
    weekOfMonth = fields.stampOf('weekOfMonth')
    inMonth = Math.max(fields.stampOf('dayOfWeekInMonth'), fields.stampOf('dayOfWeek'))
    best = Math.max(weekOfMonth, inMonth, fields.stampOf('weekOfYear'))
    if (best === 0) return 'dayOfMonth'
  }
  if (best === dayOfMonth) return 'dayOfMonth'
  const [byWeek, byCount] = [fields.stampOf('weekOfMonth'), fields.stampOf('dayOfWeekInMonth')]
  const ofYear = fields.stampOf('weekOfYear')
  const isInMonth = (best === weekOfMonth && byWeek >= ofYear) || (best === inMonth && byCount >= ofYear)
  if (!isInMonth) return best === dayOfYear ? 'dayOfYear' : 'weekOfYear'
  if (weekOfMonth === inMonth) return byWeek >= byCount ? 'weekOfMonth' : 'dayOfWeekInMonth'
  return best === weekOfMonth ? 'weekOfMonth' : 'dayOfWeekInMonth'
}

function dayBy(fields: CalendarFields, rule: DayRule, year: number, dayIn: DayCounter): number {
  const isInMonth = rule !== 'dayOfYear' && rule !== 'weekOfYear'
  const month = isInMonth ? fields.get('month') : 0
  const yearOfMonth = year + Math.floor(month / 12)
  const monthOfYear = modulo(month, 12) + 1
  const first = dayIn(yearOfMonth, monthOfYear, 1)
  switch (rule) {
    case 'dayOfMonth':
      return first + fields.get('dayOfMonth', 1) - 1
    case 'dayOfYear':
      return first + fields.get('dayOfYear') - 1
    case 'weekOfMonth':
    case 'weekOfYear': {
      const sunday = dayOnOrBefore(first, 1)
      const day = fields.has('dayOfWeek') ? dayOnOrBefore(sunday + 6, fields.get('dayOfWeek')) : sunday
      return day + 7 * (fields.get(rule) - 1)
    }
    case 'dayOfWeekInMonth': {
      const weekday = fields.get('dayOfWeek', 1)
      const count = fields.get('dayOfWeekInMonth', 1)
      if (count >= 0) return dayOnOrBefore(first + 7 * count - 1, weekday)
      const next = monthOfYear === 12 ? dayIn(yearOfMonth + 1, 1, 1) : dayIn(yearOfMonth, monthOfYear + 1, 1)
      return dayOnOrBefore(next + 7 * (count + 1) - 1, weekday)
    }
  }
}
