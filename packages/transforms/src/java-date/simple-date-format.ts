import type { Int64 } from '@tributary/connect-api'
import { type Clock, systemClock } from '@tributary/support'
import { parseDatePattern, type PatternPart } from './date-pattern.ts'
import { formatDate, momentOf, MS_PER_DAY } from './format-date.ts'
import { dateOf, gregorianDay } from './hybrid-calendar.ts'
import { parseDate } from './parse-date.ts'

/**
 * Java's SimpleDateFormat in UTC, with English names, weeks that begin on Sunday, and lenient parsing.
 *
 *     new SimpleDateFormat('yyyy-MM-dd').format(0)   // 1970-01-01
 */
export class SimpleDateFormat {
  readonly pattern: string
  readonly #parts: readonly PatternPart[]
  readonly #clock: Clock

  /** @throws SyntaxError for a pattern that Java refuses */
  constructor(pattern: string, clock: Clock = systemClock) {
    this.pattern = pattern
    this.#parts = parseDatePattern(pattern)
    this.#clock = clock
  }

  /** `ms`: since 1970. */
  format(ms: Int64): string {
    return formatDate(this.#parts, ms)
  }

  /** Milliseconds since 1970; null: the text does not match. */
  parse(text: string): Int64 | null {
    return parseDate(this.#parts, text, eightyYearsBefore(this.#clock.now()))
  }
}

/** The time 80 years before: where the century of years of two digits begins. */
function eightyYearsBefore(ms: number): number {
  const { epochDay, msOfDay } = momentOf(ms)
  const { year, month, day } = dateOf(epochDay)
  return gregorianDay(year - 80, month, day) * MS_PER_DAY + msOfDay
}
