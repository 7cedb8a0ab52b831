import { daysSince1970 } from './civil-time.ts'

/** The difference of local time from UTC in seconds: one for each offset that the moment may have; none for no such moment. */
type Offsets = readonly number[]

/**
 * A local time as the same instant in UTC, both in seconds since 1970; null when the zone is not known, or when its clocks
 * skip or repeat that time.
 *
 * @param zone a value of the variable time_zone: `+05:00`, `Europe/Berlin`. `SYSTEM` has to be replaced by the caller.
 */
export function utcOf(local: number, zone: string): number | null {
  const fixed = /^([+-])(\d{1,2}):(\d\d)$/.exec(zone)
  if (fixed !== null) {
    const [, sign, hours, minutes] = fixed
    return local - (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60
  }
  if (/^(UTC|Etc\/UTC|Zulu)$/i.test(zone)) return local
  const [offset, ...others] = offsetsAt(local, zone)
  return offset === undefined || others.length > 0 ? null : local - offset
}

function offsetsAt(local: number, zone: string): Offsets {
  const format = formatOf(zone)
  if (format === null) return []
  // No zone changes its clock twice in two days.
  const around = new Set([local - DAY_SECONDS, local, local + DAY_SECONDS].map((seconds) => offsetAt(seconds, format)))
  return [...around].filter((offset) => offsetAt(local - offset, format) === offset)
}

function formatOf(zone: string): Intl.DateTimeFormat | null {
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
  } catch (error) {
    // An unknown name.
    if (error instanceof RangeError) return null
    throw error
  }
}

function offsetAt(utc: number, format: Intl.DateTimeFormat): number {
  const parts = new Map(format.formatToParts(utc * 1000).map(({ type, value }) => [type, Number(value)]))
  const part = (name: Intl.DateTimeFormatPartTypes): number => parts.get(name) ?? 0
  const date = part('year') * 10_000 + part('month') * 100 + part('day')
  return daysSince1970(date) * DAY_SECONDS + part('hour') * 3600 + part('minute') * 60 + part('second') - utc
}

const DAY_SECONDS = 86_400
