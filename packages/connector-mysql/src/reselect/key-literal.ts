import { type ConnectValue, Decimal, EncodedText, type Schema } from '@tributary/connect-api'
import type { Charset, ColumnType } from '@tributary/mysql'
import { dateOfDays, formatClock, formatDate, MICROS_PER_DAY } from '../schema/civil-time.ts'
import type { BinaryMode } from '../values/value-options.ts'

/** A column of a key: its type, and the schema of its values in events. */
export interface KeyColumn {
  readonly type: ColumnType
  readonly schema: Schema
  /** Of a text whose bytes are those in the table; null for other values. */
  readonly charset: Charset | null
  /** `binary.handling.mode` */
  readonly binary: BinaryMode
}

/**
 * The SQL literal that equals the value of a column, from its form in events; null when that form is not exact
 * (`decimal.handling.mode=double`, milliseconds of a DATETIME(6), values that a converter changed).
 */
export function keyLiteral({ type, schema, charset, binary }: KeyColumn, value: ConnectValue): string | null {
  if (value === null) return null
  switch (type.name) {
    case 'TINYINT':
    case 'SMALLINT':
    case 'MEDIUMINT':
    case 'INT':
    case 'BIGINT':
      return integerLiteral(type, value)
    case 'YEAR':
      return typeof value === 'number' ? String(value) : null
    case 'DECIMAL':
      return value instanceof Decimal || typeof value === 'string' ? value.toString() : null
    case 'BIT':
      if (typeof value === 'boolean') return value ? '1' : '0'
      return value instanceof Uint8Array ? bitsLiteral(value) : null
    case 'DATE':
    case 'TIME':
    case 'DATETIME':
    case 'TIMESTAMP':
      return temporalLiteral(type, schema, value)
    case 'BINARY':
    case 'VARBINARY':
      return binaryLiteral(binary, value)
    case 'CHAR':
    case 'VARCHAR':
    case 'ENUM':
    case 'SET':
      return textLiteral(charset, value)
    case 'UUID':
    case 'INET4':
    case 'INET6':
      return typeof value === 'string' && /^[\da-f.:-]+$/.test(value) ? `'${value}'` : null
    default:
      return null
  }
}

/** With `bigint.unsigned.handling.mode=long`, values above 2^63-1 are negative in events. */
function integerLiteral({ isUnsigned }: ColumnType, value: ConnectValue): string | null {
  if (value instanceof Decimal) return value.toString()
  if (typeof value !== 'number' && typeof value !== 'bigint') return null
  return isUnsigned && value < 0 ? String(BigInt.asUintN(64, BigInt(value))) : String(value)
}

function binaryLiteral(mode: BinaryMode, value: ConnectValue): string | null {
  if (value instanceof Uint8Array) return hexLiteral(Buffer.from(value))
  if (typeof value !== 'string') return null
  return hexLiteral(Buffer.from(value, mode === 'hex' ? 'hex' : mode === 'base64' ? 'base64' : 'base64url'))
}

/** A text that is not as in the table does not find its row if other bytes are the same text. */
function textLiteral(charset: Charset | null, value: ConnectValue): string | null {
  if (charset !== null && value instanceof EncodedText && value.charset === charset)
    return `_${charset.name} ${hexLiteral(value.bytes.subarray(value.start, value.end))}`
  if (charset?.isLossy === true) return null
  const isText = typeof value === 'string' || value instanceof EncodedText
  return isText ? `_utf8mb4 ${hexLiteral(Buffer.from(value.toString()))}` : null
}

/** The lowest byte is the first one. */
function bitsLiteral(bytes: Uint8Array): string {
  return String(BigInt(`0x0${Buffer.from(bytes).reverse().toString('hex')}`))
}

function hexLiteral(bytes: Buffer): string {
  return `x'${bytes.toString('hex')}'`
}

function temporalLiteral({ length }: ColumnType, { name }: Schema, value: ConnectValue): string | null {
  const isInMillis = (length ?? 0) <= 3
  const number = typeof value === 'number' || typeof value === 'bigint' ? BigInt(value) : null
  switch (name) {
    case 'io.debezium.time.Date':
    case 'org.apache.kafka.connect.data.Date':
      return number === null ? null : `'${formatDate(dateOfDays(Number(number)))}'`
    case 'io.debezium.time.Timestamp':
    case 'org.apache.kafka.connect.data.Timestamp':
      return number === null || !isInMillis ? null : datetimeLiteral(number * 1000n)
    case 'io.debezium.time.MicroTimestamp':
      return number === null ? null : datetimeLiteral(number)
    case 'io.debezium.time.NanoTimestamp':
      return number === null ? null : datetimeLiteral(floorDivide(number, 1000n))
    case 'io.debezium.time.MicroTime':
      return number === null ? null : timeLiteral(number)
    case 'io.debezium.time.NanoTime':
      return number === null ? null : timeLiteral(number / 1000n)
    case 'org.apache.kafka.connect.data.Time':
      return number === null || !isInMillis ? null : timeLiteral(number * 1000n)
    case 'io.debezium.time.IsoDate':
    case 'io.debezium.time.IsoTime':
    case 'io.debezium.time.IsoTimestamp':
    case 'io.debezium.time.ZonedTimestamp':
      return typeof value === 'string' ? isoLiteral(value) : null
    default:
      return null
  }
}

/** ISO texts in UTC, which is the time zone of the session. */
function isoLiteral(text: string): string | null {
  return /^[\d:.T-]+Z$/.test(text) ? `'${text.slice(0, -1).replace('T', ' ')}'` : null
}

function datetimeLiteral(micros: bigint): string {
  const day = floorDivide(micros, BigInt(MICROS_PER_DAY))
  const rest = Number(micros - day * BigInt(MICROS_PER_DAY))
  return `'${formatDate(dateOfDays(Number(day)))} ${formatClock(rest, 6)}'`
}

/** TIME is also negative and longer than a day. */
function timeLiteral(micros: bigint): string {
  const size = Number(micros < 0n ? -micros : micros)
  return `'${micros < 0n ? '-' : ''}${formatClock(size, 6)}'`
}

function floorDivide(value: bigint, divisor: bigint): bigint {
  const quotient = value / divisor
  return value % divisor < 0n ? quotient - 1n : quotient
}
