import { type ConnectValue, Schema } from '@tributary/connect-api'
import type { ColumnType, TimestampPrinter } from '@tributary/mysql'
import {
  adjustTwoDigitYear,
  dateOfDays,
  daysSince1970,
  formatClock,
  formatDate,
  isExistingDate,
  MICROS_PER_DAY,
  MILLIS_PER_DAY,
  printClock,
  printDate,
} from '../schema/civil-time.ts'
import type { TypeMapping } from './column-mapping.ts'
import { parseDateLiteral, parseDatetimeLiteral, parseTimeLiteral } from '../schema/temporal-literals.ts'
import type { ValueOptions } from './value-options.ts'

/** The representation of a temporal type in one mode: its schema, and its value from the numbers of the decoders. */
interface Representation<V extends readonly number[]> {
  readonly type: 'int32' | 'int64' | 'string'
  readonly name: string
  readonly of: (...parts: V) => ConnectValue
  readonly fallback: ConnectValue
}

const CONNECT = 'org.apache.kafka.connect.data'
const DEBEZIUM = 'io.debezium.time'

function schemaOf({ type, name }: Representation<never>): TypeMapping['schema'] {
  return (common) => Schema.of(type, { ...common, name, version: 1 })
}

/** DATE. A date that does not exist (a zero part, 30 February) is null, and the epoch in a column without NULL. */
export function dateMapping(options: ValueOptions): TypeMapping {
  const form = dateForm(options)
  const adjust = options.adjustsTwoDigitYears ? adjustTwoDigitYear : (date: number) => date
  const valueOf = (date: number): ConnectValue => (isExistingDate(date) ? form.of(adjust(date)) : null)
  return {
    schema: schemaOf(form),
    target: (fallback) => ({ kind: 'date', of: (date) => valueOf(date) ?? fallback }),
    fallback: form.fallback,
    parseDefault: (literal) => {
      const date = parseDateLiteral(literal)
      return date === undefined ? undefined : (valueOf(date) ?? undefined)
    },
  }
}

function dateForm({ timePrecision }: ValueOptions): Representation<[date: number]> {
  switch (timePrecision) {
    case 'connect':
      return { type: 'int32', name: `${CONNECT}.Date`, of: daysSince1970, fallback: 0 }
    case 'isostring':
      return {
        type: 'string',
        name: `${DEBEZIUM}.IsoDate`,
        of: (date) => `${formatDate(date)}Z`,
        fallback: '1970-01-01Z',
      }
    default:
      return { type: 'int32', name: `${DEBEZIUM}.Date`, of: daysSince1970, fallback: 0 }
  }
}

/** DATETIME: a date and time without a zone, represented as if it were UTC. */
export function datetimeMapping(type: ColumnType, options: ValueOptions): TypeMapping {
  const form = datetimeForm(type, options)
  const adjust = options.adjustsTwoDigitYears ? adjustTwoDigitYear : (date: number) => date
  const valueOf = (date: number, microsOfDay: number): ConnectValue =>
    isExistingDate(date) ? form.of(adjust(date), microsOfDay) : null
  return {
    schema: schemaOf(form),
    target: (fallback) => ({ kind: 'datetime', of: (date, micros) => valueOf(date, micros) ?? fallback }),
    fallback: form.fallback,
    parseDefault: (literal) => {
      const parts = parseDatetimeLiteral(literal)
      return parts === undefined ? undefined : (valueOf(parts.date, parts.microsOfDay) ?? undefined)
    },
  }
}

function datetimeForm(
  type: ColumnType,
  { timePrecision }: ValueOptions,
): Representation<[date: number, micros: number]> {
  const digits = type.length ?? 0
  switch (timePrecision) {
    case 'connect':
      return { type: 'int64', name: `${CONNECT}.Timestamp`, of: millisSince1970, fallback: 0 }
    case 'isostring':
      return {
        type: 'string',
        name: `${DEBEZIUM}.IsoTimestamp`,
        of: (date, micros) => `${formatDate(date)}T${formatClock(micros, fewestDigits(micros))}Z`,
        fallback: '1970-01-01T00:00:00Z',
      }
    case 'nanoseconds':
      return {
        type: 'int64',
        name: `${DEBEZIUM}.NanoTimestamp`,
        of: (date, micros) => nanosSince1970(date, micros),
        fallback: 0,
      }
    case 'microseconds':
      return { type: 'int64', name: `${DEBEZIUM}.MicroTimestamp`, of: microsSince1970, fallback: 0 }
    case 'adaptive_time_microseconds':
      return digits <= 3
        ? { type: 'int64', name: `${DEBEZIUM}.Timestamp`, of: millisSince1970, fallback: 0 }
        : { type: 'int64', name: `${DEBEZIUM}.MicroTimestamp`, of: microsSince1970, fallback: 0 }
  }
}

export function millisSince1970(date: number, micros: number): number {
  return daysSince1970(date) * MILLIS_PER_DAY + Math.floor(micros / 1000)
}

/** Exact: a bigint before 1684 and after 2255, where numbers would be rounded. */
export function microsSince1970(date: number, micros: number): number | bigint {
  const days = daysSince1970(date)
  if (days > -DAYS_EXACT && days < DAYS_EXACT) return days * MICROS_PER_DAY + micros
  return BigInt(days) * BigInt(MICROS_PER_DAY) + BigInt(micros)
}

/** Null outside the range of 64 bits (1677 to 2262). */
function nanosSince1970(date: number, micros: number): number | bigint | null {
  const value = BigInt(microsSince1970(date, micros)) * 1000n
  if (BigInt.asIntN(64, value) !== value) return null
  return BigInt.asIntN(54, value) === value ? Number(value) : value
}

/** Microseconds of this many days fit 2^53. */
const DAYS_EXACT = 104_249

/** ISO texts have as few digits of the fraction as possible (ISO_OFFSET_DATE_TIME of java.time). */
export function fewestDigits(micros: number): number {
  let digits = 6
  for (let fraction = micros % 1_000_000; digits > 0 && fraction % 10 === 0; fraction /= 10) digits -= 1
  return digits
}

/** TIME: a duration, which can be negative or longer than a day. */
export function timeMapping(options: ValueOptions): TypeMapping {
  const form = timeForm(options)
  return {
    schema: schemaOf(form),
    target: (fallback) => ({ kind: 'time', of: (micros) => form.of(micros) ?? fallback }),
    fallback: form.fallback,
    parseDefault: (literal) => {
      const micros = parseTimeLiteral(literal)
      return micros === undefined ? undefined : (form.of(micros) ?? undefined)
    },
  }
}

function timeForm({ timePrecision }: ValueOptions): Representation<[micros: number]> {
  switch (timePrecision) {
    case 'connect':
      return {
        type: 'int32',
        name: `${CONNECT}.Time`,
        of: (micros) => (micros < 0 || micros > MICROS_PER_DAY ? null : Math.floor(micros / 1000)),
        fallback: 0,
      }
    case 'isostring':
      return {
        type: 'string',
        name: `${DEBEZIUM}.IsoTime`,
        of: (micros) => (micros < 0 || micros > MICROS_PER_DAY ? null : isoTime(micros % MICROS_PER_DAY)),
        fallback: '00:00:00Z',
      }
    case 'nanoseconds':
      return { type: 'int64', name: `${DEBEZIUM}.NanoTime`, of: (micros) => micros * 1000, fallback: 0 }
    default:
      return { type: 'int64', name: `${DEBEZIUM}.MicroTime`, of: (micros) => micros, fallback: 0 }
  }
}

function isoTime(micros: number): string {
  return `${formatClock(micros, fewestDigits(micros))}Z`
}

/**
 * TIMESTAMP: an instant, as ISO text in UTC with exactly as many digits of the fraction as the column has. (The
 * reference omits trailing zeros in snapshots and writes them in the stream; here both have the form of the stream.)
 */
export function timestampMapping(type: ColumnType): TypeMapping {
  const digits = type.length ?? 0
  const format = instantFormatter(digits)
  const print = instantPrinter(digits)
  return {
    schema: (common) => Schema.of('string', { ...common, name: `${DEBEZIUM}.ZonedTimestamp`, version: 1 }),
    // Second 0 is the zero timestamp: the first instant that a column can store is one second later.
    target: (fallback) => ({
      kind: 'timestamp',
      of: (seconds, micros) => (seconds === 0 ? fallback : format(seconds, micros)),
      print,
    }),
    fallback: format(0, 0),
    parseDefault: (literal) => {
      const parts = parseDatetimeLiteral(literal)
      if (parts === undefined || !isExistingDate(parts.date)) return undefined
      const seconds = daysSince1970(parts.date) * 86_400 + Math.floor(parts.microsOfDay / 1_000_000)
      // In records of the schema history this represents CURRENT_TIMESTAMP.
      return seconds === 0 ? undefined : format(seconds, parts.microsOfDay % 1_000_000)
    },
  }
}

/** Caches the text of the last day: timestamps of a table are mostly of the same day. */
function instantFormatter(digits: number): (seconds: number, micros: number) => string {
  let lastDay = -1
  let lastText = ''
  return (seconds, micros) => {
    const day = Math.floor(seconds / 86_400)
    if (day !== lastDay) {
      lastDay = day
      lastText = `${formatDate(dateOfDays(day))}T`
    }
    return `${lastText}${formatClock((seconds - day * 86_400) * 1_000_000 + micros, digits)}Z`
  }
}

/** Appends the same text digit by digit, except for second 0: ten times as fast as a string that is copied. */
function instantPrinter(digits: number): TimestampPrinter {
  const unit = 10 ** (6 - digits)
  let lastDay = -1
  let date = 0
  return (seconds, micros, out) => {
    if (seconds === 0) return false
    const day = Math.floor(seconds / 86_400)
    if (day !== lastDay) {
      lastDay = day
      date = dateOfDays(day)
    }
    printDate(date, out)
    out.byte(LETTER_T)
    printClock(seconds - day * 86_400, out)
    if (digits > 0) {
      out.byte(POINT)
      out.paddedInteger(Math.floor(micros / unit), digits)
    }
    out.byte(LETTER_Z)
    return true
  }
}

const LETTER_T = 0x54
const LETTER_Z = 0x5a
const POINT = 0x2e
