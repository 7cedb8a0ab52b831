import type { ConnectValue } from '@tributary/connect-api'
import type { Column } from '@tributary/connector-kit'
import { charsetNamed, type ColumnTarget, TextRowCodec } from '@tributary/mysql'
import { columnTypeOf } from '../schema/column-type-of.ts'
import { readDefaultValue } from '../schema/default-value.ts'
import type { ColumnMapping } from './column-mapping.ts'

/**
 * The value of a column that the image of an INSERT omits: its default (binlog_row_image=MINIMAL and NOBLOB). The server
 * always logs what only it can compute: expressions, stored columns, CURRENT_TIMESTAMP. Undefined: the default is
 * written in a way whose result is not certain here, such as a number that the server rounds.
 *
 * `logsVirtualColumns`: false on MariaDB, where a column without a default may be a virtual one, which has a value.
 */
export function omittedValue(
  column: Column,
  { target, nullValue, isLossy }: ColumnMapping,
  logsVirtualColumns: boolean,
): ConnectValue | undefined {
  // What a converter makes of a value is its own affair.
  if (isLossy === true) return undefined
  const literal = readDefaultValue(column)
  if (literal.tag === 'bytes') return undefined
  if (literal.tag === 'text') return valueOf(target, serverText(column, target.kind, literal.text))
  if (column.optional) return logsVirtualColumns ? (nullValue ?? null) : undefined
  // Without strict mode, the column of a row that does not name it gets the zero of its type.
  if (column.hasDefaultValue) return undefined
  return valueOf(target, target.kind === 'decimal' ? decimalText('0', column.scale ?? 0) : (ZEROS[target.kind] ?? null))
}

/** The value of a text in the server's own form, as a snapshot reads it. */
function valueOf(target: ColumnTarget<ConnectValue>, text: string | null): ConnectValue | undefined {
  if (text === null) return undefined
  const bytes = Buffer.from(text)
  if (bytes.length > LITERAL_BYTES_MAX) return undefined
  const row = Buffer.concat([Buffer.from([bytes.length]), bytes])
  return new TextRowCodec([target]).read(row, 0, row.length)[0]
}

/** A longer text would need another form of its length. */
const LITERAL_BYTES_MAX = 250

type Kind = ColumnTarget<unknown>['kind']

/** In the form of a snapshot, which selects the number of an ENUM's member. */
const ZEROS: Partial<Record<Kind, string>> = {
  integer: '0',
  float: '0',
  double: '0',
  text: '',
  binary: '',
  date: '0000-00-00',
  time: '00:00:00',
  datetime: '0000-00-00 00:00:00',
  year: '0000',
  enum: '1',
  set: '0',
}

/** A literal as the server prints the value that it makes of it; null when that is not certain. */
function serverText(column: Column, kind: Kind, literal: string): string | null {
  switch (kind) {
    case 'integer':
      return /^(0|-?[1-9]\d{0,19})$/.test(literal) ? literal : null
    case 'decimal':
      return decimalText(literal, column.scale ?? 0)
    case 'float':
      // SHOW CREATE TABLE prints six digits of a FLOAT, so that 1 may be 1.000001.
      return literal === '0' ? literal : null
    case 'double':
      return column.scale === null && /^-?\d{1,15}(\.\d{1,15})?$/.test(literal) ? literal : null
    case 'text':
      return isAscii(literal) && isItself(literal, column) && !literal.endsWith(' ') ? literal : null
    case 'binary':
      return isAscii(literal) ? literal : null
    case 'date':
      return /^\d{4}-\d\d-\d\d$/.test(literal) ? literal : null
    case 'time':
      return hasFraction(/^-?\d{2,3}:\d\d:\d\d(?:\.(\d+))?$/, literal, column) ? literal : null
    case 'datetime':
      return hasFraction(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.(\d+))?$/, literal, column) ? literal : null
    case 'year':
      return /^\d{4}$/.test(literal) ? literal : null
    case 'enum':
      return memberNumber(column, literal)
    case 'set':
      return memberBits(column, literal)
    default:
      return null
  }
}

function decimalText(literal: string, scale: number): string | null {
  const [, whole, fraction = ''] = /^(-?\d{1,65})(?:\.(\d{1,30}))?$/.exec(literal) ?? []
  if (whole === undefined || fraction.length > scale) return null
  return scale === 0 ? whole : `${whole}.${fraction.padEnd(scale, '0')}`
}

/** Of more digits than the column has, the server would round the time. */
function hasFraction(form: RegExp, literal: string, column: Column): boolean {
  const match = form.exec(literal)
  return match !== null && (match[1] ?? '').length <= (column.length ?? 0)
}

function memberNumber(column: Column, literal: string): string | null {
  const index = columnTypeOf(column).members.indexOf(literal)
  return index < 0 ? null : String(index + 1)
}

function memberBits(column: Column, literal: string): string | null {
  const { members } = columnTypeOf(column)
  const indexes = literal === '' ? [] : literal.split(',').map((member) => members.indexOf(member))
  if (indexes.includes(-1)) return null
  return String(indexes.reduce((bits, index) => bits | (1n << BigInt(index)), 0n))
}

function isAscii(text: string): boolean {
  // oxlint-disable-next-line no-control-regex -- ASCII has control characters
  return /^[\x00-\x7f]*$/.test(text)
}

/** Whether the bytes of an ASCII text are the same text in the charset of the column. */
function isItself(text: string, { charsetName }: Column): boolean {
  const bytes = Buffer.from(text)
  return charsetName === null || charsetNamed(charsetName)?.decode(bytes, 0, bytes.length) === text
}
