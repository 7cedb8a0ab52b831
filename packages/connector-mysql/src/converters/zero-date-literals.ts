import { dateOfDays, daysSince1970, isExistingDate, MICROS_PER_DAY } from '../schema/civil-time.ts'

/** A date and time, or an instant in UTC: the date as YYYYMMDD, and the microseconds since midnight. */
export interface Moment {
  readonly date: number
  readonly microsOfDay: number
}

/** Whether an option means that zero dates become null: empty, or `NULL` in any case. */
export function isNullToken(text: string | undefined): boolean {
  return text === undefined || text.trim() === '' || text.trim().toUpperCase() === 'NULL'
}

/** `yyyy-MM-dd`, a date that exists; null for any other text. */
export function parseDate(text: string): Moment | null {
  const match = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text.trim())
  return match === null ? null : momentOf(match)
}

/** `yyyy-MM-dd HH:mm:ss` */
export function parseDatetime(text: string): Moment | null {
  const match = /^(\d{4})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)$/.exec(text.trim())
  return match === null ? null : momentOf(match)
}

/** ISO 8601 with an offset, such as `1970-01-01T00:00:00Z`, as the moment in UTC. */
export function parseInstant(text: string): Moment | null {
  const match =
    /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(?:Z|([+-])(\d\d)(?::(\d\d)(?::(\d\d))?)?)$/i.exec(
      text.trim(),
    )
  if (match === null) return null
  const local = momentOf(match)
  if (local === null) return null
  const [, , , , , , , , sign, hours = '0', minutes = '0', seconds = '0'] = match
  const offset = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)
  if (offset > OFFSET_SECONDS_MAX) return null
  const micros = local.microsOfDay - (sign === '-' ? -offset : offset) * 1_000_000
  return { date: shiftedDate(local.date, Math.floor(micros / MICROS_PER_DAY)), microsOfDay: modulo(micros) }
}

/** As of java.time.ZoneOffset. */
const OFFSET_SECONDS_MAX = 18 * 3600

function momentOf(match: readonly (string | undefined)[]): Moment | null {
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = ''] = match
  const date = Number(year) * 10_000 + Number(month) * 100 + Number(day)
  if (!isExistingDate(date) || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return null
  const seconds = Number(hour) * 3600 + Number(minute) * 60 + Number(second)
  return { date, microsOfDay: seconds * 1_000_000 + Number(fraction.slice(0, 6).padEnd(6, '0')) }
}

function shiftedDate(date: number, days: number): number {
  return days === 0 ? date : dateOfDays(daysSince1970(date) + days)
}

function modulo(micros: number): number {
  return ((micros % MICROS_PER_DAY) + MICROS_PER_DAY) % MICROS_PER_DAY
}
