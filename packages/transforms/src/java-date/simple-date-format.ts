import type { Int64 } from '@tributary/connect-api'
import { type Clock, systemClock } from '@tributary/support'
import { parseDatePattern, type PatternPart } from './date-pattern.ts'
import { formatDate } from './format-date.ts'
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
    const start = new Date(this.#clock.now())
    start.setUTCFullYear(start.getUTCFullYear() - 80)
    return parseDate(this.#parts, text, start.getTime())
  }
}
