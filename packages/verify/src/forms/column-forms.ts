import type { Schema } from '@tributary/connect-api'
import type { ColumnType } from '@tributary/mysql'
import { type ColumnForm, numberLiteral, plainTextLiteral, textLiteral } from './column-form.ts'
import { canonicalJson } from './json-document.ts'
import { doubleOf, ExactNumber, integerText, isObject, type JsonValue } from './json-value.ts'
import { dateForm, dateTimeForm, timeForm, timestampForm } from './temporal-forms.ts'

/** How values are spelled in records. */
export interface Spelling {
  /** Decimals are text although their schema has bytes: Avro is read so. */
  readonly hasDecimalTexts: boolean
  /** `binary.handling.mode` */
  readonly binary: 'bytes' | 'base64' | 'base64-url-safe' | 'hex'
}

/** How a column of that type is compared whose events have that schema; null: it cannot be. */
export function columnForm(type: ColumnType, schema: Schema, spelling: Spelling): ColumnForm | null {
  const digits = type.length ?? 0
  switch (type.name) {
    case 'TINYINT':
    case 'SMALLINT':
    case 'MEDIUMINT':
    case 'INT':
    case 'BIGINT':
      return integerForm(type, schema, spelling)
    case 'YEAR':
      return { ...integer('0'), ofTopic: integerText }
    case 'DECIMAL':
      return decimalForm(type, schema, spelling)
    case 'FLOAT':
      return floatForm((value) => Math.fround(value))
    case 'DOUBLE':
      return floatForm((value) => value)
    case 'BIT':
      return bitForm
    case 'DATE':
      return dateForm
    case 'DATETIME':
      return dateTimeForm(schema.name ?? '', digits)
    case 'TIMESTAMP':
      return timestampForm(digits)
    case 'TIME':
      return timeForm(schema.name ?? '', digits)
    case 'JSON':
      return jsonForm
    default:
      return stringForm(type, spelling)
  }
}

function stringForm(type: ColumnType, spelling: Spelling): ColumnForm | null {
  switch (type.name) {
    case 'CHAR':
    case 'VARCHAR':
      return textForm
    case 'TINYTEXT':
    case 'TEXT':
    case 'MEDIUMTEXT':
    case 'LONGTEXT':
      return { ...textForm, isLong: true }
    case 'ENUM':
    case 'SET':
      // Their order is that of their numbers.
      return { ...textForm, literal: null }
    case 'BINARY':
      return binaryForm(spelling, type.length ?? 1)
    case 'VARBINARY':
      return binaryForm(spelling, 0)
    case 'TINYBLOB':
    case 'BLOB':
    case 'MEDIUMBLOB':
    case 'LONGBLOB':
      return { ...binaryForm(spelling, 0), isLong: true }
    case 'UUID':
    case 'INET4':
    case 'INET6':
      return { ...textForm, sql: (column) => `CAST(${column} AS CHAR)`, literal: plainTextLiteral }
    case 'GEOMETRY':
    case 'POINT':
    case 'LINESTRING':
    case 'POLYGON':
    case 'MULTIPOINT':
    case 'MULTILINESTRING':
    case 'MULTIPOLYGON':
    case 'GEOMETRYCOLLECTION':
      return geometryForm
    default:
      return null
  }
}

/** `addend`: makes a number of a column whose text has leading zeros. */
function integer(addend: string): Omit<ColumnForm, 'ofTopic'> {
  return { sql: (column) => `CAST(${column} + ${addend} AS CHAR)`, kind: 'plain', literal: numberLiteral }
}

function integerForm(type: ColumnType, schema: Schema, spelling: Spelling): ColumnForm {
  if (schema.type === 'boolean') {
    return {
      sql: (column) => `CAST(${column} > 0 AS CHAR)`,
      kind: 'plain',
      ofTopic: (value) => (typeof value === 'boolean' ? (value ? '1' : '0') : null),
      literal: null,
    }
  }
  const isUnsignedLong = type.name === 'BIGINT' && type.isUnsigned
  return {
    sql: (column) => (type.isZerofill ? `CAST(CAST(${column} AS UNSIGNED) AS CHAR)` : `CAST(${column} AS CHAR)`),
    kind: 'plain',
    ofTopic: (value) => {
      // A decimal in the mode `precise`.
      if (schema.type === 'bytes') return decimalText(value, 0, !spelling.hasDecimalTexts)
      const text = integerText(value)
      // A long of Java has no room for the upper half of the numbers.
      return text !== null && isUnsignedLong ? String(BigInt.asUintN(64, BigInt(text))) : text
    },
    literal: numberLiteral,
  }
}

function decimalForm(type: ColumnType, schema: Schema, { hasDecimalTexts }: Spelling): ColumnForm {
  const scale = type.scale ?? 0
  const cast = `DECIMAL(${type.length ?? 10},${scale})`
  const exact = {
    sql: (column: string) => (type.isZerofill ? `CAST(${column} AS CHAR)` : `CAST(CAST(${column} AS ${cast}) AS CHAR)`),
    literal: numberLiteral,
  }
  if (schema.type === 'double') return { ...floatForm((value) => value), literal: numberLiteral }
  const ofServer = (text: string): string => text.replace(/^(-?)0+(?=\d)/, '$1')
  return {
    ...exact,
    kind: type.isZerofill ? 'raw' : 'plain',
    ...(type.isZerofill ? { ofServer } : {}),
    ofTopic: (value) => decimalText(value, scale, schema.type === 'bytes' && !hasDecimalTexts),
  }
}

/** `12.340`: bytes of the unscaled number in base64, or its text, or a number. */
export function decimalText(value: JsonValue, scale: number, isBytes: boolean): string | null {
  if (typeof value === 'number') return decimalOfText(String(value), scale)
  if (value instanceof ExactNumber) return decimalOfText(value.source, scale)
  if (typeof value !== 'string') return null
  if (!isBytes) return decimalOfText(value, scale)
  const bytes = Buffer.from(value, 'base64')
  if (bytes.length === 0) return null
  return placed(BigInt.asIntN(bytes.length * 8, BigInt(`0x${bytes.toString('hex')}`)), scale)
}

function decimalOfText(text: string, scale: number): string | null {
  const found = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text)
  if (found === null) return null
  const [, sign = '', whole = '', fraction = ''] = found
  if (fraction.length > scale && /[1-9]/.test(fraction.slice(scale))) return null
  return placed(BigInt(`${sign}${whole}${fraction.padEnd(scale, '0').slice(0, scale)}`), scale)
}

function placed(unscaled: bigint, scale: number): string {
  const digits = String(unscaled < 0n ? -unscaled : unscaled).padStart(scale + 1, '0')
  const text = scale === 0 ? digits : `${digits.slice(0, -scale)}.${digits.slice(-scale)}`
  return unscaled < 0n ? `-${text}` : text
}

/** Numbers by their value: the server and the connector spell them differently. */
function floatForm(rounded: (value: number) => number): ColumnForm {
  const textOf = (value: number): string => (Object.is(value, -0) ? '0' : String(rounded(value)))
  return {
    // With all digits, which the text of a FLOAT does not have.
    sql: (column) => `CAST(${column} * 1e0 AS CHAR)`,
    kind: 'raw',
    ofServer: (text) => textOf(Number(text)),
    ofTopic: (value) => {
      const number = doubleOf(value)
      return number === null ? null : textOf(number)
    },
    literal: null,
  }
}

/** BIT as a number: a boolean, or its bytes, the lowest first. */
const bitForm: ColumnForm = {
  ...integer('0'),
  ofTopic: (value) => {
    if (typeof value === 'boolean') return value ? '1' : '0'
    if (typeof value !== 'string') return null
    const hex = Buffer.from(value, 'base64').toReversed()
    return String(BigInt(`0x0${Buffer.from(hex).toString('hex')}`))
  },
}

const jsonForm: ColumnForm = {
  // A column of JSON is sent as bytes, which the driver would read in another charset.
  sql: (column) => `CAST(${column} AS CHAR)`,
  kind: 'raw',
  ofServer: (text) => canonicalJson(text) ?? text,
  ofTopic: (value) => (typeof value === 'string' ? (canonicalJson(value) ?? value) : null),
  literal: null,
}

const textForm: ColumnForm = {
  sql: (column) => `CONVERT(${column} USING utf8mb4)`,
  kind: 'free',
  ofTopic: (value) => (typeof value === 'string' ? value : null),
  literal: textLiteral,
}

/** Bytes as digits. The column fills them with zeros to its length. */
function binaryForm({ binary }: Spelling, lengthMin: number): ColumnForm {
  // Node reads both alphabets of base64.
  const encoding = binary === 'hex' ? 'hex' : 'base64'
  return {
    sql: (column) => `HEX(${column})`,
    kind: 'plain',
    ofTopic: (value) => {
      if (typeof value !== 'string') return null
      const digits = Buffer.from(value, encoding).toString('hex').toUpperCase()
      return digits.padEnd(lengthMin * 2, '0')
    },
    literal: (text) => `x'${text}'`,
  }
}

/** As the server stores it: the number of the reference system, then the well-known bytes. */
const geometryForm: ColumnForm = {
  sql: (column) => `HEX(${column})`,
  kind: 'plain',
  isLong: true,
  ofTopic: (value) => {
    if (!isObject(value)) return null
    const { wkb, srid } = value
    if (typeof wkb !== 'string') return null
    const prefix = Buffer.alloc(4)
    prefix.writeUInt32LE(typeof srid === 'number' ? srid : 0)
    return Buffer.concat([prefix, Buffer.from(wkb, 'base64')])
      .toString('hex')
      .toUpperCase()
  },
  literal: null,
}
