import { type ConnectValue, Decimal, EncodedText, type Schema, isJavaDate } from '@tributary/connect-api'
import { transformErrors } from '../errors.ts'
import { compact, doubleOf, lowLong, parseBigDecimal } from '../java-values/big-decimal.ts'
import { narrowWhole } from '../java-values/narrow.ts'
import { javaClassName } from '../stage/java-class.ts'

/**
 * What MaskField writes instead of a value; null stays null.
 *
 * @throws MASK_TYPE, MASK_REPLACEMENT_TYPE, MASK_REPLACEMENT
 */
export function maskedValue(schema: Schema | null, value: ConnectValue, replacement: string | null): ConnectValue {
  if (value === null) return null
  return replacement === null ? emptyValue(schema, value) : replacedValue(schema, value, replacement)
}

function emptyValue(schema: Schema | null, value: ConnectValue): ConnectValue {
  if (typeof value === 'number' || typeof value === 'bigint') return 0
  if (typeof value === 'string' || value instanceof EncodedText) return ''
  if (typeof value === 'boolean') return false
  // Connect writes scale 0, which its converters refuse.
  if (value instanceof Decimal) return new Decimal(0, value.scale)
  if (Array.isArray(value)) return []
  if (value instanceof Map) return new Map()
  throw transformErrors.MASK_TYPE({ found: javaClassName(schema, value) })
}

function replacedValue(schema: Schema | null, value: ConnectValue, replacement: string): ConnectValue {
  if (typeof value === 'string' || value instanceof EncodedText) return replacement
  if (value instanceof Decimal) return rescaled(numberOf(replacement, 'number'), value.scale, replacement)
  const isNumber = (typeof value === 'number' || typeof value === 'bigint') && !isJavaDate(schema)
  if (!isNumber) throw transformErrors.MASK_REPLACEMENT_TYPE({ found: javaClassName(schema, value) })
  const number = numberOf(replacement, 'a number')
  const type = schema?.type ?? (Number.isSafeInteger(value) || typeof value === 'bigint' ? 'int64' : 'double')
  switch (type) {
    case 'int8':
    case 'int16':
    case 'int32':
    case 'int64':
      return narrowWhole(compact(lowLong(number)), type)
    case 'float':
      // Java rounds to a double first.
      return Math.fround(doubleOf(number))
    default:
      return doubleOf(number)
  }
}

function numberOf(replacement: string, target: string): Decimal {
  const number = parseBigDecimal(replacement)
  if (number === null) throw transformErrors.MASK_REPLACEMENT({ replacement, target })
  return number
}

/** All values of a decimal schema have its scale. */
function rescaled(number: Decimal, scale: number, replacement: string): Decimal {
  const zeros = scale - number.scale
  const unscaled = BigInt(number.unscaled)
  const isShort = Math.abs(zeros) <= DIGITS_MAX
  if (isShort && zeros >= 0) return new Decimal(compact(unscaled * 10n ** BigInt(zeros)), scale)
  const power = isShort ? 10n ** BigInt(-zeros) : 1n
  if (!isShort || unscaled % power !== 0n) {
    throw transformErrors.MASK_REPLACEMENT({ replacement, target: `a decimal of scale ${scale}` })
  }
  return new Decimal(compact(unscaled / power), scale)
}

/** Decimals of MySQL have up to 65 digits. */
const DIGITS_MAX = 1000
