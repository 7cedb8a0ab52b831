import type { Database } from '@tributary/testkit'
import { type ExactJson, ExactNumber, isExactArray, member } from './exact-json.ts'

/** A column of a row: its name and type from information_schema, and the value as text of the server. */
export interface ServerValue {
  readonly column: string
  readonly dataType: string
  readonly text: string | null
}

type Connection = Awaited<ReturnType<Database['connect']>>

/** All rows of a table, as SELECT returns them. Sets the time zone of the session to UTC. */
export async function selectTexts(session: Connection, database: string, table: string): Promise<ServerValue[][]> {
  await session.query("SET time_zone = '+00:00'")
  const [columns] = await session.query({
    sql: `SELECT column_name, data_type FROM information_schema.columns
          WHERE table_schema = ? AND table_name = ? ORDER BY ordinal_position`,
    values: [database, table],
    rowsAsArray: true,
  })
  // The statement selects two texts per column.
  const named = (columns as [string, string][]).map(([column, dataType]) => ({
    column,
    dataType: dataType.toLowerCase(),
  }))
  const quote = (name: string): string => `\`${name.replaceAll('`', '``')}\``
  const [versions] = await session.query({ sql: 'SELECT VERSION()', rowsAsArray: true })
  const isMySql = !String((versions as [string][])[0]?.[0]).includes('MariaDB')
  const list = named.map(({ column, dataType }) => expression(dataType, quote(column), isMySql)).join(', ')
  const [rows] = await session.query({
    sql: `SELECT ${list} FROM ${quote(database)}.${quote(table)}`,
    rowsAsArray: true,
  })
  // Every expression returns a text or a double.
  return (rows as (string | number | null)[][]).map((row) =>
    named.map((each, i) => ({ ...each, text: textOf(row[i]) })),
  )
}

function textOf(selected: string | number | null = null): string | null {
  return typeof selected === 'number' ? doubleText(selected) : selected
}

/**
 * A lossless text of the value, bytes in hexadecimal; for floating-point numbers a double, because a cast to CHAR drops
 * digits beyond 22 characters.
 */
export function expression(dataType: string, column: string, isMySql: boolean): string {
  switch (dataType) {
    case 'float':
    case 'double':
      return `${column} * 1e0`
    case 'bit':
      return `HEX(${column})`
    case 'year':
      return `CAST(${column} + 0 AS CHAR)`
    case 'vector':
      return `HEX(${column})`
    case 'uuid':
    case 'inet4':
    case 'inet6':
      return `HEX(CAST(${column} AS CHAR))`
    default:
      if (SPATIAL.test(dataType)) {
        const wkb = isMySql ? `ST_AsWKB(${column}, 'axis-order=long-lat')` : `ST_AsWKB(${column})`
        return `CONCAT(ST_SRID(${column}), ' ', HEX(${wkb}))`
      }
      if (/binary$|blob$/.test(dataType)) return `HEX(${column})`
      if (/char$|text$|^(enum|set)$/.test(dataType)) return `HEX(CONVERT(CAST(${column} AS CHAR) USING utf8mb4))`
      return `CAST(${column} AS CHAR)`
  }
}

const SPATIAL = /^(geometry|geom(etry)?collection|(multi)?(point|linestring|polygon))$/

/** The server's text in the same form as `recordText` returns. */
export function serverText({ dataType, text }: ServerValue): string {
  if (text === null) return 'NULL'
  switch (dataType) {
    case 'float':
      return doubleText(Math.fround(Number(text)))
    case 'double':
      return doubleText(Number(text))
    case 'bit':
      return BigInt(`0x${text}`).toString()
    case 'json':
      return text.replaceAll(/"(?:[^"\\]|\\.)*"| /g, (token) => (token === ' ' ? '' : token))
    case 'time':
    case 'datetime':
      return withSixDigits(text)
    default:
      // Numbers with ZEROFILL.
      return /int$|^decimal$/.test(dataType) ? text.replace(/^(-?)0+(?=\d)/, '$1') : text
  }
}

/** The text that the server would have for a value of a record. Covers the default modes of the connector. */
export function recordText(schema: ExactJson | undefined, value: ExactJson): string {
  if (value === null) return 'NULL'
  const number = value instanceof ExactNumber ? value.text : ''
  const text = typeof value === 'string' ? value : ''
  const name = member(schema, 'name')
  switch (name) {
    case 'org.apache.kafka.connect.data.Decimal':
      return decimalText(Buffer.from(text, 'base64'), Number(member(member(schema, 'parameters'), 'scale')))
    case 'io.debezium.data.Bits':
      return BigInt(`0x0${Buffer.from(text, 'base64').reverse().toString('hex')}`).toString()
    case 'io.debezium.time.Date':
    case 'org.apache.kafka.connect.data.Date':
      return new Date(Number(number) * 86_400_000).toISOString().slice(0, 10)
    case 'io.debezium.time.MicroTime':
      return timeText(Number(number))
    case 'io.debezium.time.Timestamp':
    case 'org.apache.kafka.connect.data.Timestamp':
      return momentText(BigInt(number) * 1000n)
    case 'io.debezium.time.MicroTimestamp':
      return momentText(BigInt(number))
    case 'io.debezium.time.ZonedTimestamp':
      return text.replace('T', ' ').replace(/Z$/, '')
    case 'io.debezium.data.Json':
      return text
    case 'io.debezium.data.geometry.Point':
    case 'io.debezium.data.geometry.Geometry':
      return geometryText(value)
    case 'io.debezium.data.FloatVector':
      return vectorText(value)
    default:
      return plainText(member(schema, 'type'), value)
  }
}

function plainText(type: ExactJson | undefined, value: ExactJson): string {
  if (typeof value === 'boolean') return value ? '1' : '0'
  if (value instanceof ExactNumber) {
    if (type === 'float') return doubleText(Math.fround(Number(value.text)))
    return type === 'double' ? doubleText(Number(value.text)) : value.text
  }
  return Buffer.from(typeof value === 'string' ? value : JSON.stringify(value), type === 'bytes' ? 'base64' : 'utf8')
    .toString('hex')
    .toUpperCase()
}

/** SRID and well-known binary, which has the coordinates of a point too. */
function geometryText(value: ExactJson): string {
  const [wkb, srid] = [member(value, 'wkb'), member(value, 'srid')]
  const bytes = Buffer.from(typeof wkb === 'string' ? wkb : '', 'base64')
  const text = `${srid instanceof ExactNumber ? srid.text : '0'} ${bytes.toString('hex').toUpperCase()}`
  const [x, y] = [member(value, 'x'), member(value, 'y')]
  if (!(x instanceof ExactNumber) || !(y instanceof ExactNumber)) return text
  const isSame = Object.is(Number(x.text), bytes.readDoubleLE(5)) && Object.is(Number(y.text), bytes.readDoubleLE(13))
  return isSame ? text : `${text}, x ${x.text}, y ${y.text}`
}

function vectorText(value: ExactJson): string {
  const numbers = isExactArray(value) ? value : []
  const bytes = Buffer.alloc(4 * numbers.length)
  for (const [i, number] of numbers.entries())
    bytes.writeFloatLE(number instanceof ExactNumber ? Number(number.text) : NaN, 4 * i)
  return bytes.toString('hex').toUpperCase()
}

function doubleText(value: number): string {
  return Object.is(value, -0) ? '-0' : String(value)
}

function decimalText(bytes: Buffer, scale: number): string {
  const unscaled = BigInt.asIntN(bytes.length * 8, BigInt(`0x${bytes.toString('hex')}`))
  const digits = String(unscaled < 0n ? -unscaled : unscaled).padStart(scale + 1, '0')
  const point = digits.length - scale
  return `${unscaled < 0n ? '-' : ''}${digits.slice(0, point)}${scale === 0 ? '' : `.${digits.slice(point)}`}`
}

function timeText(micros: number): string {
  const seconds = Math.floor(Math.abs(micros) / 1e6)
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
  const clock = parts.map((part) => String(part).padStart(2, '0')).join(':')
  return `${micros < 0 ? '-' : ''}${clock}.${String(Math.abs(micros) % 1e6).padStart(6, '0')}`
}

function momentText(micros: bigint): string {
  const fraction = ((micros % 1_000_000n) + 1_000_000n) % 1_000_000n
  const seconds = new Date(Number((micros - fraction) / 1000n)).toISOString().slice(0, 19)
  return `${seconds.replace('T', ' ')}.${String(fraction).padStart(6, '0')}`
}

function withSixDigits(text: string): string {
  const [whole = '', fraction = ''] = text.split('.')
  return `${whole}.${fraction.padEnd(6, '0')}`
}

/** The fields of the row in a record's schema, by name. */
export function rowFields(value: ExactJson, side: 'before' | 'after'): ReadonlyMap<string, ExactJson> {
  const fields = (schema: ExactJson | undefined): readonly ExactJson[] => {
    const list = member(schema, 'fields')
    return isExactArray(list) ? list : []
  }
  const row = fields(member(value, 'schema')).find((field) => member(field, 'field') === side)
  return new Map(fields(row).map((field) => [nameOf(field), field]))
}

function nameOf(field: ExactJson): string {
  const name = member(field, 'field')
  return typeof name === 'string' ? name : ''
}

/** Whether a date has a zero part, or a day that its month does not have. Records contain no value for it. */
export function isNoDate(text: string): boolean {
  const [date = '', month, day] = /^\d{4}-(\d\d)-(\d\d)/.exec(text) ?? []
  if (date === '') return false
  return month === '00' || day === '00' || date.startsWith('0000') || new Date(date).toISOString().slice(0, 10) !== date
}

/**
 * Describes the columns whose value in the record differs from the server's. A NULL in a column with a default is
 * written as that default (replace.null.with.default); an invalid date is NULL, or the epoch in a NOT NULL column.
 */
export function rowDifferences(
  row: ExactJson | undefined,
  fields: ReadonlyMap<string, ExactJson>,
  values: readonly ServerValue[],
  { adjustsYears = false }: { readonly adjustsYears?: boolean } = {},
): string[] {
  return values
    .filter(({ column }) => fields.has(column))
    .map((value) => {
      const schema = fields.get(value.column)
      const ours = recordText(schema, member(row, value.column) ?? null)
      const server = adjustsYears ? withAdjustedYear(value) : serverText(value)
      return ours === substitute(schema, server)
        ? null
        : `${value.column}: the record has ${ours}, the server ${server}`
    })
    .filter((difference) => difference !== null)
}

/** The server's text with `enable.time.adjuster` applied: years 0 to 99 become 1970 to 2069. */
function withAdjustedYear(value: ServerValue): string {
  const text = serverText(value)
  if (!value.dataType.startsWith('date') || isNoDate(text)) return text
  return text.replace(/^00(?=\d\d-)/, Number(text.slice(2, 4)) < 70 ? '20' : '19')
}

/** The text that a record must have for a NULL or an invalid date. */
function substitute(schema: ExactJson | undefined, server: string): string {
  if (server !== 'NULL' && !isNoDate(server)) return server
  const fallback = member(schema, 'default')
  if (fallback !== undefined) return recordText(schema, fallback)
  if (member(schema, 'optional') === true) return 'NULL'
  return recordText(schema, new ExactNumber('0'))
}
