/** The difference of local time from UTC in ms: one for each offset that the moment may have; none for no such moment. */
type Offsets = readonly number[]

/**
 * A local time as the same instant in UTC, in ms since 1970, both; null when the zone is not known, or when its clocks
 * skip or repeat that time.
 *
 * @param zone a value of the variable time_zone: `+05:00`, `Europe/Berlin`. `SYSTEM` has to be replaced by the caller.
 */
export function utcOf(localMs: number, zone: string): number | null {
  const fixed = /^([+-])(\d{1,2}):(\d\d)$/.exec(zone)
  if (fixed !== null) {
    const [, sign, hours, minutes] = fixed
    return localMs - (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000
  }
  if (/^(UTC|Etc\/UTC|Zulu)$/i.test(zone)) return localMs
  const [offset, ...others] = offsetsAt(localMs, zone)
  return offset === undefined || others.length > 0 ? null : localMs - offset
}

function offsetsAt(localMs: number, zone: string): Offsets {
  const format = formatOf(zone)
  if (format === null) return []
  // No zone changes its clock twice in two days.
  const around = new Set([localMs - DAY_MS, localMs, localMs + DAY_MS].map((ms) => offsetAt(ms, format)))
  return [...around].filter((offset) => offsetAt(localMs - offset, format) === offset)
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

function offsetAt(utcMs: number, format: Intl.DateTimeFormat): number {
  const parts = new Map(format.formatToParts(utcMs).map(({ type, value }) => [type, Number(value)]))
  const part = (name: Intl.DateTimeFormatPartTypes): number => parts.get(name) ?? 0
  const local = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'))
  return local - Math.floor(utcMs / 1000) * 1000
}

const DAY_MS = 86_400_000
