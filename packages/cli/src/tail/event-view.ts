import { type ConnectValue, EncodedText, type SourceRecord, Struct } from '@tributary/connect-api'
import { literalOf, sessionSettingsOf } from '@tributary/connector-mysql'
import { isOperation, type RowEvent, type ShownColumn, type StatementEvent } from '../events/row-event.ts'

/** Reads a record whose columns have literals; null: it is neither of the two. */
export function viewEvent(record: SourceRecord): RowEvent | StatementEvent | null {
  const { value } = record
  if (!(value instanceof Struct)) return null
  const source = fieldOf(value, 'source')
  if (!(source instanceof Struct)) return null
  const isOfSnapshot = isMarked(fieldOf(source, 'snapshot'))
  const place = isOfSnapshot ? null : `${textOf(fieldOf(source, 'file'))}:${textOf(fieldOf(source, 'pos'))}`
  const op = textOf(fieldOf(value, 'op'))
  const database = textOf(fieldOf(source, 'db'))
  if (!isOperation(op)) {
    const sql = fieldOf(value, 'ddl')
    if (sql === null) return null
    return {
      tag: 'statement',
      database: textOf(fieldOf(value, 'databaseName')),
      sql: textOf(sql),
      isOfSnapshot,
      session: sessionSettingsOf(record),
      seconds: isOfSnapshot ? null : secondsOf(source),
      place,
    }
  }
  return {
    tag: 'row',
    op,
    database,
    table: textOf(fieldOf(source, 'table')),
    before: columnsOf(fieldOf(value, 'before')) ?? (op === 'u' || op === 'd' ? columnsOf(record.key) : null),
    after: columnsOf(fieldOf(value, 'after')),
    key: record.keySchema === null ? null : record.keySchema.fields.map(({ name }) => name),
    place,
    seconds: isOfSnapshot ? null : secondsOf(source),
  }
}

/** Null also when the struct has no such field: the record formats differ. */
function fieldOf(struct: Struct, name: string): ConnectValue {
  const field = struct.schema.field(name)
  return field === null ? null : struct.at(field.index)
}

function columnsOf(row: ConnectValue): readonly ShownColumn[] | null {
  if (!(row instanceof Struct)) return null
  return row.schema.fields.map(({ name, schema }, i) => {
    const inner = schema.fields[0]?.schema ?? schema
    return { name, literal: literalOf(row.at(i)), form: inner.name ?? inner.type }
  })
}

function isMarked(snapshot: ConnectValue): boolean {
  return snapshot === true || (typeof snapshot === 'string' && snapshot !== 'false')
}

/** The record formats have different fields for it. */
function secondsOf(source: Struct): number | null {
  const seconds = fieldOf(source, 'ts_sec')
  if (seconds !== null) return Number(seconds)
  const millis = fieldOf(source, 'ts_ms')
  return millis === null ? null : Number(millis) / 1000
}

/** Of a name, a number or a text; other values are no parts of a source block. */
function textOf(value: ConnectValue): string {
  if (value instanceof EncodedText) return value.toString()
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint' ? String(value) : ''
}
