import type { ByteWriter } from '@tributary/support'
import { writeJsonString } from '../values/json-string.ts'
import { ColumnTypeCode } from './column-type.ts'
import { decimalReader } from './number-readers.ts'
import { RowCursor } from './row-cursor.ts'

interface Range {
  readonly start: number
  readonly end: number
}

/**
 * Writes a value of a column type inside a JSON document (opaque value) in the server's form (Json_wrapper::to_string):
 * decimals as numbers, dates and times as strings, texts of utf16, utf32 and ucs2 columns as strings of their bytes (a
 * fault of the server), anything else as `"base64:type<number>:…"`. Throws RangeError for
 * bytes that are not such a value.
 */
export function writeOpaque(type: number, bytes: Buffer, { start, end }: Range, out: ByteWriter): void {
  switch (type) {
    case ColumnTypeCode.newDecimal:
      out.ascii(decimalText(bytes, start, end))
      return
    case ColumnTypeCode.date:
      out.ascii(`"${dateText(packedTime(bytes, start, end))}"`)
      return
    case ColumnTypeCode.datetime:
    case ColumnTypeCode.timestamp:
      out.ascii(`"${datetimeText(packedTime(bytes, start, end))}"`)
      return
    case ColumnTypeCode.time:
      out.ascii(`"${timeText(packedTime(bytes, start, end))}"`)
      return
    case ColumnTypeCode.varString:
      writeJsonString(bytes, start, end, out)
      return
    default:
      out.ascii(`"base64:type${type}:`)
      out.ascii(inLines(bytes.toString('base64', start, end)))
      out.byte(0x22)
  }
}

/** int<1> precision · int<1> scale · the digits as in a DECIMAL column. */
function decimalText(bytes: Buffer, start: number, end: number): string {
  const precision = bytes[start] as number
  const scale = bytes[start + 1] as number
  if (end - start < 3 || precision > DECIMAL_DIGITS_MAX || scale > precision) {
    throw new RangeError(`DECIMAL(${precision},${scale}) in a JSON document`)
  }
  const cursor = new RowCursor()
  cursor.bytes = bytes
  cursor.at = start + 2
  const text = (unscaled: number | bigint, scale: number): string => {
    const isNegative = unscaled < 0
    const digits = String(unscaled)
      .slice(isNegative ? 1 : 0)
      .padStart(scale + 1, '0')
    const point = digits.length - scale
    return `${isNegative ? '-' : ''}${digits.slice(0, point)}${scale === 0 ? '' : `.${digits.slice(point)}`}`
  }
  const decimal = decimalReader({ kind: 'decimal', of: text }, precision, scale)(cursor)
  if (cursor.at !== end)
    throw new RangeError(`DECIMAL(${precision},${scale}) of ${end - start} bytes in a JSON document`)
  return decimal
}

/** Nine groups of nine digits: an intermediate result may have more than the 65 digits of a column. */
const DECIMAL_DIGITS_MAX = 81

function packedTime(bytes: Buffer, start: number, end: number): bigint {
  if (end - start !== 8) throw new RangeError(`a time of ${end - start} bytes in a JSON document`)
  return bytes.readBigInt64LE(start)
}

/**
 * int<8> packed time (TIME_to_longlong_datetime_packed): year × 13 + month, 5 bits day, 5 bits hour, 6 bits minute, 6
 * bits second, 24 bits microsecond.
 */
function dateText(packed: bigint): string {
  const days = packed >> 41n
  const yearMonth = days >> 5n
  return `${pad(yearMonth / 13n, 4)}-${pad(yearMonth % 13n, 2)}-${pad(days & 31n, 2)}`
}

function datetimeText(packed: bigint): string {
  return `${dateText(packed)} ${clockText((packed >> 24n) & 0x1_ffffn, packed & 0xff_ffffn)}`
}

/**
 * The same without the date, with 10 bits for the hour; the whole number is negated for a negative time
 * (TIME_to_longlong_time_packed).
 */
function timeText(packed: bigint): string {
  const magnitude = packed < 0n ? -packed : packed
  return `${packed < 0n ? '-' : ''}${clockText(magnitude >> 24n, magnitude & 0xff_ffffn)}`
}

function clockText(clock: bigint, micros: bigint): string {
  const hour = clock >> 12n
  return `${pad(hour, 2)}:${pad((clock >> 6n) & 63n, 2)}:${pad(clock & 63n, 2)}.${pad(micros, 6)}`
}

function pad(value: bigint, width: number): string {
  return String(value).padStart(width, '0')
}

/** The server breaks base64 after 76 characters; in JSON text the line end is escaped. */
function inLines(base64: string): string {
  return base64.replaceAll(/.{76}(?=.)/g, String.raw`$&\n`)
}
