import { daysOf } from '../../stage/civil-date.ts'

/** The offsets of a time zone from UTC, in seconds: those of Java's ZoneRules. */
export interface ZoneOffsets {
  /** At a time, in milliseconds since 1970. */
  at(epochMs: number): number
  /**
   * At a local time of the zone, in milliseconds since 1970 as if it were UTC. For a time that the clock shows twice or
   * never, the offset before the change.
   */
  ofLocal(localMs: number): number
}

const FIXED = /^([+-])(\d{2}):(\d{2})(?::(\d{2}))?$/
const FIXED_SECONDS_MAX = 18 * 3600

/** Null: there is no such zone. `+08:00` is a zone too. */
export function zoneOffsets(name: string): ZoneOffsets | null {
  const fixed = FIXED.exec(name)
  if (fixed !== null) {
    const [, sign, hours, minutes, seconds = '0'] = fixed
    const total = (sign === '-' ? -1 : 1) * (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds))
    if (Math.abs(total) > FIXED_SECONDS_MAX || Number(minutes) > 59 || Number(seconds) > 59) return null
    return { at: () => total, ofLocal: () => total }
  }
  try {
    return new NamedZone(name)
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

const DAY_SECONDS = 86_400
const DAY_MS = 86_400_000
/** 27 years of days: those that a snapshot of old rows needs. */
const DAYS_MAX = 10_000

class NamedZone implements ZoneOffsets {
  readonly #format: Intl.DateTimeFormat
  /** By local day: the offset of days without a change of it in the days around; null for the others. */
  #days = new Map<number, number | null>()

  constructor(timeZone: string) {
    this.#format = new Intl.DateTimeFormat('en-US', {
      timeZone,
      calendar: 'iso8601',
      hourCycle: 'h23',
      era: 'short',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
  }

  at(epochMs: number): number {
    const parts: Record<string, string> = {}
    for (const { type, value } of this.#format.formatToParts(epochMs)) parts[type] = value
    const year = Number(parts['year'])
    const days = daysOf({
      year: parts['era'] === 'BC' ? 1 - year : year,
      month: Number(parts['month']),
      day: Number(parts['day']),
    })
    const time = Number(parts['hour']) * 3600 + Number(parts['minute']) * 60 + Number(parts['second'])
    return days * DAY_SECONDS + time - Math.floor(epochMs / 1000)
  }

  ofLocal(localMs: number): number {
    const day = Math.floor(localMs / DAY_MS)
    let offset = this.#days.get(day)
    if (offset === undefined) {
      const [first, last] = [this.at((day - 1) * DAY_MS), this.at((day + 2) * DAY_MS)]
      offset = first === last ? first : null
      if (this.#days.size >= DAYS_MAX) this.#days = new Map()
      this.#days.set(day, offset)
    }
    return offset ?? this.#nearChange(localMs)
  }

  #nearChange(localMs: number): number {
    const [before, after] = [this.at(localMs - DAY_MS), this.at(localMs + DAY_MS)]
    const isValid = (offset: number): boolean => this.at(localMs - offset * 1000) === offset
    return !isValid(before) && isValid(after) ? after : before
  }
}
