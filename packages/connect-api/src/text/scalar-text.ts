import type { ConnectValue, Schema } from '../data.ts'
import { Decimal } from '../decimal.ts'
import { EncodedText } from '../encoded-text.ts'
import { DATE_SCHEMA_NAME, TIME_SCHEMA_NAME, TIMESTAMP_SCHEMA_NAME } from './logical-types.ts'
import { bigDecimalText, doubleText, floatText } from './java-number.ts'
import { momentText } from './moment-text.ts'

const MS_PER_DAY = 86_400_000

/**
 * Returns a scalar value as Java's plain text converters print it; null for bytes, arrays, maps and structs. Without a
 * schema a whole number is printed as an integer.
 */
export function scalarText(schema: Schema | null, value: ConnectValue): string | null {
  if (typeof value === 'string') return value
  if (typeof value === 'number') return numberText(schema, value)
  if (value === null || typeof value === 'boolean' || typeof value === 'bigint') return String(value)
  if (value instanceof EncodedText) return value.toString()
  return value instanceof Decimal ? bigDecimalText(value) : null
}

function numberText(schema: Schema | null, value: number): string {
  if (schema?.name === DATE_SCHEMA_NAME) return momentText(value * MS_PER_DAY)
  if (schema?.name === TIME_SCHEMA_NAME || schema?.name === TIMESTAMP_SCHEMA_NAME) return momentText(value)
  if (schema?.type === 'float') return floatText(value)
  return schema?.type === 'double' || !Number.isInteger(value) ? doubleText(value) : String(value)
}
