import {
  type ConnectValue,
  Decimal,
  EncodedText,
  type Schema,
  type SchemaType,
  scalarText,
  javaTypeName,
} from '@tributary/connect-api'
import { transformErrors } from '../errors.ts'
import { doubleOf, lowLong } from '../java-values/big-decimal.ts'
import {
  narrowFraction,
  narrowWhole,
  parseJavaFraction,
  parseJavaWhole,
  type WholeType,
} from '../java-values/narrow.ts'
import { floatOfLong, nearestFloat } from '../java-values/nearest-float.ts'
import { javaClassName } from '../stage/java-class.ts'
import { type CastType, isCastSource, SOURCE_LIST } from './cast-spec.ts'

/**
 * A value of that schema as another type, as Java casts it: whole numbers lose their high bits, fractions are cut and
 * limited to the range of an int or long, texts are parsed.
 *
 * @throws CAST_SOURCE, CAST_CLASS, CAST_RANGE, NOT_CONNECT_DATA
 */
export function castValue(schema: Schema | null, value: ConnectValue, target: CastType): ConnectValue {
  if (value === null) return null
  const source = schema?.type ?? schemalessType(value)
  if (!isCastSource(source)) throw transformErrors.CAST_SOURCE({ type: javaTypeName(source), types: SOURCE_LIST })
  if (target === 'string') return textOf(schema, value)
  if (value instanceof Uint8Array) throw transformErrors.CAST_CLASS({ found: javaClassName(schema, value) })
  const cast = value instanceof EncodedText ? value.toString() : value
  if (typeof cast === 'string') return ofText(cast, target)
  if (typeof cast === 'boolean') return target === 'boolean' ? cast : Number(cast)
  const isFraction = source === 'float' || source === 'double'
  if (typeof cast === 'number' && isFraction) return ofFraction(cast, target)
  if (typeof cast === 'number' || typeof cast === 'bigint') return ofWhole(cast, target)
  if (cast instanceof Decimal) return ofDecimal(cast, target)
  throw transformErrors.CAST_CLASS({ found: javaClassName(schema, value) })
}

/** A number without a schema may be of any type: whole ones count as int64, as far as they are exact. */
function schemalessType(value: ConnectValue): SchemaType {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? 'int64' : 'double'
  if (value instanceof Decimal) {
    throw transformErrors.NOT_CONNECT_DATA({ transformation: 'Cast', found: javaClassName(null, value) })
  }
  if (value instanceof Uint8Array) return 'bytes'
  if (value instanceof Map) return 'map'
  if (typeof value === 'boolean') return 'boolean'
  if (typeof value === 'bigint') return 'int64'
  return typeof value === 'string' || value instanceof EncodedText
    ? 'string'
    : Array.isArray(value)
      ? 'array'
      : 'struct'
}

function textOf(schema: Schema | null, value: ConnectValue): ConnectValue {
  if (value instanceof EncodedText) return value
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64')
  const text = scalarText(schema, value)
  if (text === null) throw transformErrors.CAST_CLASS({ found: javaClassName(schema, value) })
  return text
}

function ofText(text: string, target: Exclude<CastType, 'string'>): ConnectValue {
  switch (target) {
    case 'boolean':
      return text.toLowerCase() === 'true'
    case 'float':
    case 'double':
      return parsed(text, parseJavaFraction(text, target === 'float' ? nearestFloat : Number))
    case 'int8':
    case 'int16':
    case 'int32':
    case 'int64':
      return parsed(text, parseJavaWhole(text, target))
  }
}

function parsed(text: string, value: ConnectValue): ConnectValue {
  if (value === null) throw transformErrors.CAST_RANGE({ value: text.slice(0, TEXT_MAX) })
  return value
}

function ofWhole(value: number | bigint, target: Exclude<CastType, 'string'>): ConnectValue {
  if (target === 'boolean') return Number(value) !== 0
  if (target === 'float') return floatOfLong(value)
  return target === 'double' ? Number(value) : narrowWhole(value, target)
}

function ofFraction(value: number, target: Exclude<CastType, 'string'>): ConnectValue {
  if (target === 'boolean') return !Number.isNaN(value) && Math.trunc(value) !== 0
  if (target === 'float') return Math.fround(value)
  return target === 'double' ? value : narrowFraction(value, target)
}

function ofDecimal(value: Decimal, target: Exclude<CastType, 'string'>): ConnectValue {
  if (target === 'boolean') return lowLong(value) !== 0n
  if (target === 'float') return nearestFloat(value.toString())
  return target === 'double' ? doubleOf(value) : narrowWhole(lowLong(value), target satisfies WholeType)
}

/** Characters of a value in an error. */
const TEXT_MAX = 200
