import type { Decimal } from '@tributary/connect-api'
import {
  type ConnectValue,
  DATE_SCHEMA_NAME,
  DECIMAL_SCHEMA_NAME,
  Schema,
  Schemas,
  TIME_SCHEMA_NAME,
  TIMESTAMP_SCHEMA_NAME,
} from '@tributary/connect-api'
import { MS_PER_DAY } from '../java-date/format-date.ts'
import { SimpleDateFormat } from '../java-date/simple-date-format.ts'
import { compact, doubleOf, lowLong, parseBigDecimal, precisionOf } from '../java-values/big-decimal.ts'

/** A value with its schema. Floats are not rounded yet: the double prints as the digits of the literal. */
export interface Literal {
  /** Null: the type is unknown, as that of an empty list is. */
  readonly schema: Schema | null
  readonly value: ConnectValue
}

const INT8 = Schema.of('int8')
const INT16 = Schema.of('int16')
const FLOAT = Schema.of('float')
const DOUBLE = Schema.of('double')

/** A number has the shortest type that holds it; null: the text is no number. */
export function numberLiteral(token: string): Literal | null {
  const decimal = parseBigDecimal(token)
  if (decimal === null) return null
  const whole = wholeLiteral(decimal)
  if (whole !== null) return whole
  const value = doubleOf(decimal)
  if (decimal.scale !== 0 && Number.isFinite(Math.fround(value))) return { schema: FLOAT, value }
  if (decimal.scale !== 0 && Number.isFinite(value)) return { schema: DOUBLE, value }
  const parameters = { scale: String(decimal.scale) }
  return { schema: Schema.of('bytes', { name: DECIMAL_SCHEMA_NAME, version: 1, parameters }), value: decimal }
}

/** Null: the number has a fraction, or more bits than a long. */
function wholeLiteral(decimal: Decimal): Literal | null {
  const { scale, unscaled } = decimal
  if (precisionOf(decimal) - scale > LONG_DIGITS) return Number(unscaled) === 0 ? { schema: INT8, value: 0 } : null
  const isWhole = scale <= 0 || BigInt(unscaled) % 10n ** BigInt(Math.min(scale, SCALE_MAX)) === 0n
  if (!isWhole) return null
  const low = lowLong(decimal)
  const exact = scale <= 0 ? BigInt(unscaled) * 10n ** BigInt(-scale) : low
  if (exact !== low) return null
  const value = compact(low)
  if (BigInt.asIntN(8, low) === low) return { schema: INT8, value }
  if (BigInt.asIntN(16, low) === low) return { schema: INT16, value }
  return { schema: BigInt.asIntN(32, low) === low ? Schemas.int32 : Schemas.int64, value }
}

const LONG_DIGITS = 19
/** A literal of so many digits is longer than an option may be. */
const SCALE_MAX = 100_000

const FORMS = [
  { length: 10, format: new SimpleDateFormat('yyyy-MM-dd'), type: 'int32', name: DATE_SCHEMA_NAME, unit: MS_PER_DAY },
  { length: 13, format: new SimpleDateFormat("HH:mm:ss.SSS'Z'"), type: 'int32', name: TIME_SCHEMA_NAME, unit: 1 },
  {
    length: 24,
    format: new SimpleDateFormat("yyyy-MM-dd'T'HH:mm:ss.SSS'Z'"),
    type: 'int64',
    name: TIMESTAMP_SCHEMA_NAME,
    unit: 1,
  },
] as const

/** A date, time or timestamp in Connect's form; null: the text is none of these. */
export function temporalLiteral(token: string): Literal | null {
  const text = token.replaceAll('\\:', ':')
  const form = FORMS.find(({ length }) => length === text.length)
  const ms = form?.format.parse(text) ?? null
  if (form === undefined || ms === null) return null
  return { schema: Schema.of(form.type, { name: form.name, version: 1 }), value: Math.floor(Number(ms) / form.unit) }
}
