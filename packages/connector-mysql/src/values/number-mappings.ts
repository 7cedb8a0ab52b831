import { type ConnectValue, Decimal, DECIMAL_SCHEMA_NAME, Schema, type SchemaOptions } from '@tributary/connect-api'
import type { ColumnTarget, ColumnType } from '@tributary/mysql'
import type { TypeMapping } from './column-mapping.ts'
import { parseDecimal, parseInteger } from './number-literals.ts'
import type { ValueOptions } from './value-options.ts'

type IntegerSchema = 'int16' | 'int32' | 'int64'

/** The smallest Connect type for all values; for BIGINT UNSIGNED its mode decides. */
const INTEGER_SCHEMAS: Readonly<Record<string, { signed: IntegerSchema; unsigned: IntegerSchema }>> = {
  TINYINT: { signed: 'int16', unsigned: 'int16' },
  SMALLINT: { signed: 'int16', unsigned: 'int32' },
  MEDIUMINT: { signed: 'int32', unsigned: 'int32' },
  INT: { signed: 'int32', unsigned: 'int64' },
  BIGINT: { signed: 'int64', unsigned: 'int64' },
}

export function integerMapping(type: ColumnType, options: ValueOptions): TypeMapping {
  const { isUnsigned } = type
  if (type.name === 'BIGINT' && isUnsigned) return bigintUnsignedMapping(options)
  const widths = INTEGER_SCHEMAS[type.name] ?? { signed: 'int64', unsigned: 'int64' }
  const schemaType = isUnsigned ? widths.unsigned : widths.signed
  return {
    schema: (common) => Schema.of(schemaType, common),
    target: () => ({ kind: 'integer', isUnsigned, of: null }),
    fallback: 0,
    parseDefault: parseInteger,
  }
}

function bigintUnsignedMapping({ bigintUnsigned }: ValueOptions): TypeMapping {
  if (bigintUnsigned === 'precise') {
    return {
      schema: (common) => decimalSchema(20, 0, common),
      target: () => ({ kind: 'integer', isUnsigned: true, of: (value) => new Decimal(value, 0) }),
      fallback: new Decimal(0, 0),
      parseDefault: (literal) => {
        const value = parseInteger(literal)
        return value === undefined ? undefined : new Decimal(value, 0)
      },
    }
  }
  return {
    schema: (common) => Schema.of('int64', common),
    // The mode `long` reads the 64 bits as signed: values above 2^63-1 become negative, as documented.
    target: () => ({ kind: 'integer', isUnsigned: true, of: asSigned }),
    fallback: 0,
    parseDefault: (literal) => {
      const value = parseInteger(literal)
      return value === undefined ? undefined : asSigned(value)
    },
  }
}

function asSigned(value: number | bigint): number | bigint {
  return typeof value === 'number' ? value : BigInt.asIntN(64, value)
}

/** BOOLEAN of a schema history that Debezium began: a TINYINT on the server. */
export function booleanMapping(): TypeMapping {
  return {
    schema: (common) => Schema.of('boolean', common),
    target: () => ({ kind: 'integer', isUnsigned: false, of: (value) => value !== 0 }),
    fallback: false,
    parseDefault: (literal) => {
      const value = parseInteger(literal)
      return value === undefined ? undefined : value !== 0
    },
  }
}

/** REAL of a schema history that Debezium began: a DOUBLE on the server, which its topics have as a float. */
export function realMapping(): TypeMapping {
  return {
    schema: (common) => Schema.of('float', common),
    target: () => ({ kind: 'double', of: Math.fround }),
    select: 'double',
    fallback: 0,
    parseDefault: (literal) => {
      const value = parseFloatingPoint(literal)
      return value === undefined ? undefined : Math.fround(value)
    },
  }
}

export function yearMapping(): TypeMapping {
  return {
    schema: (common) => Schema.of('int32', { ...common, name: 'io.debezium.time.Year', version: 1 }),
    target: () => ({ kind: 'year', of: null }),
    fallback: 0,
    parseDefault: (literal) => {
      const year = Number(parseInteger(literal) ?? Number.NaN)
      if (Number.isNaN(year)) return undefined
      // The server's own rule for years of two digits; as a number 0 stays 0.
      return year === 0 || year > 99 ? year : year + (year < 70 ? 2000 : 1900)
    },
  }
}

export function decimalMapping(type: ColumnType, { decimal }: ValueOptions): TypeMapping {
  const precision = type.length ?? 10
  const scale = type.scale ?? 0
  switch (decimal) {
    case 'precise':
      return {
        schema: (common) => decimalSchema(precision, scale, common),
        target: () => decimalTarget((unscaled, digits) => new Decimal(unscaled, digits)),
        fallback: new Decimal(0, scale),
        parseDefault: (literal) => parseDecimal(literal, scale),
      }
    case 'string':
      return {
        schema: (common) => Schema.of('string', common),
        target: () => ({
          kind: 'decimal',
          isPlainText: true,
          of: (unscaled, digits) => new Decimal(unscaled, digits).toString(),
        }),
        fallback: '0',
        parseDefault: (literal) => parseDecimal(literal, scale)?.toString(),
      }
    case 'double':
      return {
        schema: (common) => Schema.of('double', common),
        target: () => decimalTarget(nearestDouble),
        fallback: 0,
        parseDefault: (literal) => {
          const value = parseDecimal(literal, scale)
          return value === undefined ? undefined : Number(value.toString())
        },
      }
  }
}

/**
 * The double nearest to a decimal. Integers up to 2^53 and powers of ten up to 10^22 are exact doubles, so their
 * quotient is rounded once, like the result of parsing the text.
 */
function nearestDouble(unscaled: number | bigint, scale: number): number {
  const power = POWERS[scale]
  return typeof unscaled === 'number' && power !== undefined
    ? unscaled / power
    : Number(new Decimal(unscaled, scale).toString())
}

const POWERS = Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`))

function decimalTarget(of: (unscaled: number | bigint, scale: number) => ConnectValue): ColumnTarget<ConnectValue> {
  return { kind: 'decimal', of }
}

function decimalSchema(precision: number, scale: number, common: SchemaOptions): Schema {
  const parameters = { scale: String(scale), 'connect.decimal.precision': String(precision) }
  return Schema.of('bytes', { ...common, name: DECIMAL_SCHEMA_NAME, version: 1, parameters })
}

/** FLOAT is single precision; like the reference, FLOAT(M,D) becomes a double. */
export function floatMapping(type: ColumnType): TypeMapping {
  const isSingle = type.name === 'FLOAT' && type.scale === null
  return {
    schema: (common) => Schema.of(isSingle ? 'float' : 'double', common),
    target: () => ({ kind: isSingle ? 'float' : 'double', of: null }),
    select: 'double',
    fallback: 0,
    parseDefault: parseFloatingPoint,
  }
}

function parseFloatingPoint(literal: string): number | undefined {
  const value = Number(literal)
  return literal.trim() === '' || Number.isNaN(value) ? undefined : value
}
