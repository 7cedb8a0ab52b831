import {
  type ConnectValue,
  DATE_SCHEMA_NAME,
  EncodedText,
  type Int64,
  Schema,
  Schemas,
  TIME_SCHEMA_NAME,
  TIMESTAMP_SCHEMA_NAME,
} from '@tributary/connect-api'
import { transformErrors } from '../errors.ts'
import { momentOf, MS_PER_DAY } from '../java-date/format-date.ts'
import { compact } from '../java-values/big-decimal.ts'
import { javaClassName, javaSchemaText } from '../stage/java-class.ts'
import type { TimestampForm, TimestampOptions, UnixUnit } from './timestamp-converter-config.ts'

/** The schemas of the forms: required and optional. */
const SCHEMAS: Readonly<Record<TimestampForm, readonly [required: Schema, optional: Schema]>> = {
  string: [Schemas.string, Schemas.optionalString],
  unix: [Schemas.int64, Schemas.optionalInt64],
  Date: logical('int32', DATE_SCHEMA_NAME),
  Time: logical('int32', TIME_SCHEMA_NAME),
  Timestamp: logical('int64', TIMESTAMP_SCHEMA_NAME),
}

function logical(type: 'int32' | 'int64', name: string): readonly [Schema, Schema] {
  const required = Schema.of(type, { name, version: 1 })
  return [required, required.with({ optional: true })]
}

export function schemaOfForm(form: TimestampForm, isOptional: boolean): Schema {
  return SCHEMAS[form][isOptional ? 1 : 0]
}

/** @throws TIMESTAMP_SCHEMA */
export function formOfSchema(schema: Schema): TimestampForm {
  if (schema.name === TIMESTAMP_SCHEMA_NAME) return 'Timestamp'
  if (schema.name === DATE_SCHEMA_NAME) return 'Date'
  if (schema.name === TIME_SCHEMA_NAME) return 'Time'
  if (schema.type === 'string') return 'string'
  if (schema.type === 'int64') return 'unix'
  throw transformErrors.TIMESTAMP_SCHEMA({ schema: javaSchemaText(schema) })
}

/** @throws TIMESTAMP_CLASS */
export function formOfSchemaless(value: ConnectValue): TimestampForm {
  if (typeof value === 'bigint' || Number.isSafeInteger(value)) return 'unix'
  if (typeof value === 'string' || value instanceof EncodedText) return 'string'
  throw transformErrors.TIMESTAMP_CLASS({ found: javaClassName(null, value) })
}

/**
 * A point in time in the form of the options. `hasSchema`: without one, dates are milliseconds, as java.util.Date is.
 *
 * @throws TIMESTAMP_CLASS, TIMESTAMP_PATTERN, TIMESTAMP_RANGE, TIMESTAMP_FORMAT_MISSING
 */
export function convertTimestamp(
  value: ConnectValue,
  form: TimestampForm,
  options: TimestampOptions,
  hasSchema: boolean,
): ConnectValue {
  if (value === null) return null
  const ms = msOf(value, form, options)
  const { target, format, unit } = options
  switch (target) {
    case 'string':
      return format === null ? null : format.format(ms)
    case 'unix':
      return unixOf(ms, unit)
    case 'Date': {
      const { epochDay } = momentOf(ms)
      if (!hasSchema) return epochDay * MS_PER_DAY
      // Java cuts the high bits.
      if (Math.abs(epochDay) > DAY_MAX) throw transformErrors.TIMESTAMP_RANGE({ ms })
      return epochDay
    }
    case 'Time':
      return momentOf(ms).msOfDay
    case 'Timestamp':
      return ms
  }
}

function msOf(value: ConnectValue, form: TimestampForm, { format, unit }: TimestampOptions): Int64 {
  if (form === 'string') {
    const text = typeof value === 'string' ? value : value instanceof EncodedText ? value.toString() : ''
    if (format === null) throw transformErrors.TIMESTAMP_FORMAT_MISSING({})
    const parsed = format.parse(text)
    if (parsed !== null) return parsed
    throw transformErrors.TIMESTAMP_PATTERN({ value: text.slice(0, TEXT_MAX), pattern: format.pattern })
  }
  if (typeof value !== 'number' && typeof value !== 'bigint') {
    throw transformErrors.TIMESTAMP_CLASS({ found: javaClassName(null, value) })
  }
  if (form === 'Date') return Number(value) * MS_PER_DAY
  return form === 'unix' ? msOfUnix(value, unit) : value
}

const PER_SECOND: Readonly<Record<UnixUnit, bigint>> = {
  seconds: 1n,
  milliseconds: 1000n,
  microseconds: 1_000_000n,
  nanoseconds: 1_000_000_000n,
}

/** Java's TimeUnit cuts fractions, and limits the result to the range of a long. */
function scaled(value: Int64, from: bigint, to: bigint): Int64 {
  if (from === to) return value
  const result = (BigInt(value) * to) / from
  const isInRange = BigInt.asIntN(64, result) === result
  return isInRange ? compact(result) : result < 0n ? -(2n ** 63n) : 2n ** 63n - 1n
}

function msOfUnix(value: Int64, unit: UnixUnit): Int64 {
  return scaled(value, PER_SECOND[unit], PER_SECOND.milliseconds)
}

function unixOf(ms: Int64, unit: UnixUnit): Int64 {
  return scaled(ms, PER_SECOND.milliseconds, PER_SECOND[unit])
}

/** Dates are int32. */
const DAY_MAX = 2 ** 31 - 1

/** Characters of a value in an error. */
const TEXT_MAX = 200
