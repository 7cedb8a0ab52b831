import { type ConfigMap, type ConnectValue, Schema } from '@tributary/connect-api'
import type { RegexList } from '@tributary/connector-kit'
import type { ColumnTarget } from '@tributary/mysql'
import { connectorErrors } from '../errors.ts'
import { dateOfDays, daysSince1970, formatClock, formatDate, isExistingDate } from '../schema/civil-time.ts'
import { fewestDigits, microsSince1970, millisSince1970 } from '../values/temporal-mappings.ts'
import {
  type ColumnConverter,
  commonOptions,
  type Conversion,
  type ConvertibleColumn,
  nameOf,
} from './column-converter.ts'
import { namesIn, selectorOf } from './converter-options.ts'
import { isNullToken, type Moment, parseDate, parseDatetime, parseInstant } from './zero-date-literals.ts'

type ZeroDateType = 'DATE' | 'DATETIME' | 'TIMESTAMP'

/** How the literals of a type are written, and their parser. */
export const zeroDateLiterals: Readonly<
  Record<ZeroDateType, { readonly form: string; readonly parse: (text: string) => Moment | null }>
> = {
  DATE: { form: 'yyyy-MM-dd', parse: parseDate },
  DATETIME: { form: 'yyyy-MM-dd HH:mm:ss', parse: parseDatetime },
  TIMESTAMP: { form: 'a date and time with an offset, such as 1970-01-01T00:00:00Z', parse: parseInstant },
}

const TARGET_TYPES = 'DATE,DATETIME,TIMESTAMP'

/**
 * `ZeroDateFallbackConverter`: zero dates become null, so that the column is optional, or a literal. NULL becomes the
 * literal too, and so does the default of the schema; both are as in Debezium. The forms of the types do not depend on
 * `time.precision.mode`.
 */
export class ZeroDateFallback implements ColumnConverter {
  readonly #options: ConfigMap
  readonly #types: ReadonlySet<string>
  readonly #selector: RegexList | null

  /** @throws SyntaxError for a selector that is not a list of regular expressions */
  constructor(options: ConfigMap) {
    this.#options = options
    this.#types = new Set(namesIn((options['target.types'] ?? TARGET_TYPES).toUpperCase()))
    this.#selector = selectorOf(options['selector'])
  }

  conversionOf(found: ConvertibleColumn): Conversion | null {
    const type = zeroDateType(found.type.name)
    if (type === null || !this.#types.has(type) || this.#selector?.matches(nameOf(found)) === false) return null
    const fallback = this.#fallbackOf(type, nameOf(found))
    const { schema, target } = formOf(type, found, fallback)
    const { isOptional, defaultValue } = found.plain.schema
    const value = fallback === null ? null : valueOf(type, found, fallback)
    const options = {
      ...commonOptions(found.plain.schema, defaultValue === null ? null : value),
      optional: isOptional || fallback === null,
    }
    return {
      tag: 'converted',
      mapping: {
        schema: schema.with(options),
        target,
        select: found.plain.select,
        ...(isOptional && value !== null ? { nullValue: value } : {}),
      },
    }
  }

  /** The literal of the column, else of its type; null for null. @throws ZERO_DATE_LITERAL */
  #fallbackOf(type: ZeroDateType, name: string): Moment | null {
    const ofColumn = `column.${name}.fallback`
    const option = this.#options[ofColumn] === undefined ? `fallback.${type.toLowerCase()}` : ofColumn
    const value = this.#options[option]
    if (value === undefined || isNullToken(value)) return null
    const { parse, form } = zeroDateLiterals[type]
    const moment = parse(value)
    if (moment === null) throw connectorErrors.ZERO_DATE_LITERAL({ option, value, column: name, type, form })
    return moment
  }
}

function zeroDateType(name: string): ZeroDateType | null {
  return name === 'DATE' || name === 'DATETIME' || name === 'TIMESTAMP' ? name : null
}

interface Form {
  readonly schema: Schema
  readonly target: ColumnTarget<ConnectValue>
}

function formOf(type: ZeroDateType, found: ConvertibleColumn, fallback: Moment | null): Form {
  const zero = fallback === null ? null : valueOf(type, found, fallback)
  switch (type) {
    case 'DATE':
      return {
        schema: Schema.of('int32', { name: 'io.debezium.time.Date', version: 1 }),
        target: { kind: 'date', of: (date) => (isExistingDate(date) ? daysSince1970(date) : zero) },
      }
    case 'DATETIME': {
      const name = hasMicros(found) ? 'io.debezium.time.MicroTimestamp' : 'io.debezium.time.Timestamp'
      const since1970 = hasMicros(found) ? microsSince1970 : millisSince1970
      return {
        schema: Schema.of('int64', { name, version: 1 }),
        target: { kind: 'datetime', of: (date, micros) => (isExistingDate(date) ? since1970(date, micros) : zero) },
      }
    }
    case 'TIMESTAMP':
      return {
        schema: Schema.of('string', { name: 'io.debezium.time.ZonedTimestamp', version: 1 }),
        target: {
          kind: 'timestamp',
          of: (seconds, micros) => (seconds === 0 ? zero : instantText(secondsMoment(seconds, micros))),
        },
      }
  }
}

function valueOf(type: ZeroDateType, found: ConvertibleColumn, { date, microsOfDay }: Moment): ConnectValue {
  switch (type) {
    case 'DATE':
      return daysSince1970(date)
    case 'DATETIME':
      return hasMicros(found) ? microsSince1970(date, microsOfDay) : millisSince1970(date, microsOfDay)
    case 'TIMESTAMP':
      return instantText({ date, microsOfDay })
  }
}

function hasMicros({ column }: ConvertibleColumn): boolean {
  return (column.length ?? 0) >= 4
}

function secondsMoment(seconds: number, micros: number): Moment {
  const days = Math.floor(seconds / SECONDS_PER_DAY)
  return { date: dateOfDays(days), microsOfDay: (seconds - days * SECONDS_PER_DAY) * 1_000_000 + micros }
}

const SECONDS_PER_DAY = 86_400

/** As ISO_OFFSET_DATE_TIME of java.time: as few digits of the fraction as possible. */
function instantText({ date, microsOfDay }: Moment): string {
  return `${formatDate(date)}T${formatClock(microsOfDay, fewestDigits(microsOfDay))}Z`
}
