import type { ColumnKind, ColumnTarget } from '../values/column-target.ts'

/** A target that prints its arguments, so that tests can compare all of them; a timestamp like UNIX_TIMESTAMP. */
export function textTarget(kind: ColumnKind, isUnsigned = false): ColumnTarget<string> {
  switch (kind) {
    case 'integer':
      return { kind, isUnsigned, of: String }
    case 'decimal':
      return { kind, of: decimalText }
    case 'float':
    case 'double':
      return { kind, of: doubleText }
    case 'text':
    case 'json':
      return { kind, of: (bytes, start, end) => bytes.toString('utf8', start, end) }
    case 'binary':
    case 'bit':
    case 'geometry':
    case 'vector':
    case 'raw':
      return { kind, of: (bytes, start, end) => bytes.toString('hex', start, end).toUpperCase() }
    case 'date':
      return { kind, of: dateText }
    case 'time':
      return { kind, of: timeText }
    case 'datetime':
      return { kind, of: (date, micros) => `${dateText(date)} ${timeText(micros)}` }
    case 'timestamp':
      return { kind, of: (seconds, micros) => `${seconds}.${pad(micros, 6)}` }
    case 'year':
    case 'enum':
    case 'set':
      return { kind, of: String }
    case 'uuid':
    case 'inet4':
    case 'inet6':
      return { kind, of: (text) => text }
  }
}

/** The text that a SELECT of the column returns. */
function decimalText(unscaled: number | bigint, scale: number): string {
  const digits = String(unscaled)
    .replace('-', '')
    .padStart(scale + 1, '0')
  const whole = digits.slice(0, digits.length - scale)
  const fraction = scale === 0 ? '' : `.${digits.slice(digits.length - scale)}`
  return `${unscaled < 0 ? '-' : ''}${whole}${fraction}`
}

/** Zero keeps its sign. */
export function doubleText(value: number): string {
  return Object.is(value, -0) ? '-0' : String(value)
}

function pad(value: number, width: number): string {
  return String(value).padStart(width, '0')
}

function dateText(date: number): string {
  return `${pad(Math.floor(date / 10_000), 4)}-${pad(Math.floor(date / 100) % 100, 2)}-${pad(date % 100, 2)}`
}

function timeText(micros: number): string {
  const magnitude = Math.abs(micros)
  const seconds = Math.floor(magnitude / 1_000_000)
  const clock = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
  const sign = micros < 0 || Object.is(micros, -0) ? '-' : ''
  return `${sign}${clock.map((part) => pad(part, 2)).join(':')}.${pad(magnitude % 1_000_000, 6)}`
}
