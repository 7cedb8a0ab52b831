import type { ColumnType, DefaultValue } from '@tributary/mysql'
import { dateOfDays, daysSince1970, formatClock, formatDate, isExistingDate } from './civil-time.ts'
import { utcOf } from './session-zone.ts'
import { parseDatetimeLiteral } from './temporal-literals.ts'

/** The default of a column in the session's terms, or why it does not follow from the statement. */
export type DefaultInUtc =
  | { readonly tag: 'value'; readonly value: DefaultValue | null }
  | { readonly tag: 'unclear'; readonly reason: string }

/**
 * A default whose time, for a TIMESTAMP, is in UTC, as SHOW CREATE TABLE prints it in a session of UTC.
 *
 * @param zone the time_zone of the session; null: the statement was printed in UTC
 */
export function defaultInUtc(value: DefaultValue | null, type: ColumnType, zone: string | null): DefaultInUtc {
  const written = textOf(value)
  if (written === null || !TIMES.has(type.name)) return { tag: 'value', value }
  // MySQL rounds and MariaDB truncates, or the other way round: both have a sql_mode for it.
  const excess = /\.(\d+)$/.exec(written)?.[1]?.slice(type.length ?? 0) ?? ''
  if (/[1-9]/.test(excess)) return { tag: 'unclear', reason: 'a default has more digits of a second than its column' }
  // MySQL 8.0.19: '2020-06-01 12:00:00+05:00' is converted to the zone of the session.
  if (/:\d\d(\.\d*)?[+-]\d\d?:\d\d$/.test(written))
    return { tag: 'unclear', reason: 'a default has a time zone of its own' }
  if (type.name !== 'TIMESTAMP' || zone === null) return { tag: 'value', value }
  const literal = parseDatetimeLiteral(written)
  // Zero dates have no zone.
  if (literal === undefined || !isExistingDate(literal.date)) return { tag: 'value', value }
  const { date, microsOfDay } = literal
  const local = daysSince1970(date) * DAY_SECONDS + Math.floor(microsOfDay / 1_000_000)
  const utc = utcOf(local, zone)
  if (utc === null) return { tag: 'unclear', reason: `a default is a time in the zone ${zone}` }
  if (utc === local) return { tag: 'value', value }
  const text = printed(utc, microsOfDay % 1_000_000, type.length ?? 0)
  return { tag: 'value', value: { tag: 'string', value: text } }
}

const TIMES: ReadonlySet<string> = new Set(['TIME', 'DATETIME', 'TIMESTAMP'])

function textOf(value: DefaultValue | null): string | null {
  switch (value?.tag) {
    case 'string':
      return value.value
    case 'number':
      return value.text
    default:
      return null
  }
}

/** As the server prints it: with the digits of the column. */
function printed(seconds: number, micros: number, digits: number): string {
  const days = Math.floor(seconds / DAY_SECONDS)
  const clock = formatClock((seconds - days * DAY_SECONDS) * 1_000_000 + micros, digits)
  return `${formatDate(dateOfDays(days))} ${clock}`
}

const DAY_SECONDS = 86_400
