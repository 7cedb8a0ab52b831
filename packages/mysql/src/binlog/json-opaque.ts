import type { ByteWriter } from '@tributary/support'
import { ColumnTypeCode } from './column-type.ts'
import { decimalReader } from './number-readers.ts'
import { RowCursor } from './row-cursor.ts'

interface Range {
  readonly start: number
  readonly end: number
}

/**
 * A value of a column type inside a JSON document (opaque value): decimals as numbers, dates and times as strings, anything
 * else as `"base64:type<number>:…"`; the server's forms (Json_wrapper::to_string).
 */
export function writeOpaque(type: number, bytes: Buffer, { start, end }: Range, out: ByteWriter): void {
  switch (type) {
    case ColumnTypeCode.newDecimal:
      out.ascii(decimalText(bytes, start))
      return
    case ColumnTypeCode.date:
      out.ascii(`"${dateText(bytes.readBigInt64LE(start))}"`)
      return
    case ColumnTypeCode.datetime:
    case ColumnTypeCode.timestamp:
      out.ascii(`"${datetimeText(bytes.readBigInt64LE(start))}"`)
      return
    case ColumnTypeCode.time:
      out.ascii(`"${timeText(bytes.readBigInt64LE(start))}"`)
      return
    default:
      out.ascii(`"base64:type${type}:`)
      out.ascii(inLines(bytes.toString('base64', start, end)))
      out.byte(0x22)
  }
}

/** int<1> precision · int<1> scale · the digits as in a DECIMAL column. */
function decimalText(bytes: Buffer, start: number): string {
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
  return decimalReader({ kind: 'decimal', of: text }, bytes[start] as number, bytes[start + 1] as number)(cursor)
}

/**
 * int<8> packed time (TIME_to_longlong_datetime_packed): year × 13 + month, 5 bits day, 5 bits hour, 6 bits minute, 6 bits
 * second, 24 bits microsecond.
 */
function dateText(packed: bigint): string {
  const days = packed >> 41n
  const yearMonth = days >> 5n
  return `${pad(yearMonth / 13n, 4)}-${pad(yearMonth % 13n, 2)}-${pad(days & 31n, 2)}`
}

function datetimeText(packed: bigint): string {
  return `${dateText(packed)} ${clockText((packed >> 24n) & 0x1_ffffn, packed & 0xff_ffffn)}`
}

/** The same without the date, with 10 bits for the hour; negative as a whole (TIME_to_longlong_time_packed). */
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
