import type { Int64 } from '@tributary/connect-api'
import { compact } from '../java-values/big-decimal.ts'
import { type CalendarField, CalendarFields } from './calendar-fields.ts'
import { ERAS, HALF_DAYS, MONTHS, shortName, WEEKDAYS } from './date-names.ts'
import type { PatternPart } from './date-pattern.ts'
import { momentOf, MS_PER_DAY } from './format-date.ts'
import { dateOf } from './hybrid-calendar.ts'
import { parseIsoZone, parseZone } from './parse-zone.ts'
import { isoToCalendar, resolveFields } from './resolve-fields.ts'

type FieldPart = Extract<PatternPart, { readonly tag: 'field' }>

/** Fields that are numbers without more rules. */
const NUMBERS: Readonly<Record<string, CalendarField>> = {
  d: 'dayOfMonth',
  H: 'hourOfDay',
  m: 'minute',
  s: 'second',
  S: 'millisecond',
  D: 'dayOfYear',
  F: 'dayOfWeekInMonth',
  w: 'weekOfYear',
  W: 'weekOfMonth',
  K: 'hour',
}

/**
 * Parses a text as a lenient SimpleDateFormat does, in UTC and with English names. Text after the date is ignored. Null:
 * the text does not match.
 *
 * `centuryStart`: the earliest time that a year of two digits means.
 */
export function parseDate(parts: readonly PatternPart[], text: string, centuryStart: number): Int64 | null {
  const parser = new DateParser(text, centuryStart)
  for (const [i, part] of parts.entries()) {
    const matches = part.tag === 'text' ? parser.skip(part.text) : parser.parse(part, isNumeric(parts[i + 1]))
    if (!matches) return null
  }
  return parser.result()
}

/** Numbers that follow each other without text have as many digits as the pattern has letters. */
function isNumeric(part: PatternPart | undefined): boolean {
  if (part?.tag !== 'field') return false
  return part.letter === 'M' || part.letter === 'L' ? part.count <= 2 : !'GEazZX'.includes(part.letter)
}

class DateParser {
  readonly #text: string
  readonly #centuryStart: number
  readonly #fields = new CalendarFields()
  #at = 0
  #isAmbiguousYear = false

  constructor(text: string, centuryStart: number) {
    this.#text = text
    this.#centuryStart = centuryStart
  }

  skip(expected: string): boolean {
    if (!this.#text.startsWith(expected, this.#at)) return false
    this.#at += expected.length
    return true
  }

  parse({ letter, count }: FieldPart, isBeforeNumber: boolean): boolean {
    const start = this.#at
    while (/[ \t]/.test(this.#text.charAt(this.#at))) this.#at += 1
    if (this.#at >= this.#text.length) return false
    switch (letter) {
      case 'G':
        return this.#name('era', start, [ERAS], 0)
      case 'a':
        return this.#name('halfDay', start, [HALF_DAYS], 0)
      case 'E':
        return this.#name('dayOfWeek', start, [WEEKDAYS, WEEKDAYS.map(shortName)], 1)
      case 'z':
      case 'Z':
        return this.#moveTo(parseZone(this.#text, this.#at, this.#fields))
      case 'X':
        return this.#moveTo(parseIsoZone(this.#text, this.#at, count, this.#fields))
      case 'M':
      case 'L':
        if (count >= 3) return this.#name('month', start, [MONTHS, MONTHS.map(shortName)], 0)
    }
    const first = this.#at
    const value = this.#number(isBeforeNumber ? start + count : null)
    if (value === null) return false
    this.#setNumber(letter, value, { count, digits: this.#text.slice(first, this.#at) })
    return true
  }

  #setNumber(letter: string, value: number, { count, digits }: { count: number; digits: string }): void {
    const plain = NUMBERS[letter]
    if (plain !== undefined) this.#fields.set(plain, value)
    else if (letter === 'M' || letter === 'L') this.#fields.set('month', value - 1)
    else if (letter === 'k') this.#fields.set('hourOfDay', value === 24 ? 0 : value)
    else if (letter === 'h') this.#fields.set('hour', value === 12 ? 0 : value)
    else if (letter === 'u') this.#fields.set('dayOfWeek', isoToCalendar(value))
    else {
      const isShort = count <= 2 && /^\d\d$/.test(digits)
      this.#fields.set(letter === 'y' ? 'year' : 'weekYear', isShort ? this.#fullYear(value) : value)
    }
  }

  /** The year within the century that begins 80 years ago. */
  #fullYear(value: number): number {
    const startYear = dateOf(momentOf(this.#centuryStart).epochDay).year
    const inCentury = startYear % 100
    this.#isAmbiguousYear = value === inCentury
    return value + startYear - inCentury + (value < inCentury ? 100 : 0)
  }

  /** Java looks for a name before the spaces. */
  #name(field: CalendarField, start: number, names: readonly (readonly string[])[], offset: number): boolean {
    const rest = this.#text.slice(start, start + NAME_LENGTH_MAX).toLowerCase()
    for (const list of names) {
      const found = list.findIndex((name) => rest.startsWith(name.toLowerCase()))
      if (found < 0) continue
      this.#fields.set(field, found + offset)
      return this.#moveTo(start + (list[found] ?? '').length)
    }
    return false
  }

  #moveTo(end: number | null): boolean {
    if (end === null) return false
    this.#at = end
    return true
  }

  /** The number at the position, as Java's int; null: there is none. `end`: where it ends at the latest. */
  #number(end: number | null): number | null {
    if (end !== null && end > this.#text.length) return null
    const digits = /-?\d+/y
    digits.lastIndex = this.#at
    const found = digits.exec(end === null ? this.#text : this.#text.slice(0, end))?.[0]
    if (found === undefined) return null
    this.#at += found.length
    if (found.length <= 9) return Number(found)
    if (found.length > DIGITS_MAX) return found.startsWith('-') ? -(2 ** 31) : 2 ** 31 - 1
    const value = BigInt(found)
    if (BigInt.asIntN(64, value) === value) return Number(BigInt.asIntN(32, value))
    return value < 0n ? -(2 ** 31) : 2 ** 31 - 1
  }

  result(): Int64 | null {
    const ms = this.#msOf()
    const isEarly = this.#isAmbiguousYear && ms !== null && ms < this.#centuryStart
    if (!isEarly) return ms
    this.#fields.addYears(100)
    return this.#msOf()
  }

  #msOf(): Int64 | null {
    const { epochDay, msOfDay } = resolveFields(this.#fields)
    const ms = epochDay * MS_PER_DAY + msOfDay
    if (Number.isSafeInteger(ms)) return ms
    const exact = BigInt(epochDay) * BigInt(MS_PER_DAY) + BigInt(msOfDay)
    return BigInt.asIntN(64, exact) === exact ? compact(exact) : null
  }
}

/** Longer than any name. */
const NAME_LENGTH_MAX = 20
/** Longer numbers are the largest int in any case. */
const DIGITS_MAX = 30
