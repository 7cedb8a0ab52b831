import { type ConnectValue, Decimal, EncodedText, type Field, type SourceRecord, Struct } from '@tributary/connect-api'
import { textOf } from '../../src/testing/task-run.ts'

/**
 * The rows that a consumer has of each table: those that were inserted, less those that were deleted, each with all its
 * columns, so that keys do not matter. A table that is dropped, emptied or created anew has none.
 */
export class EventRows {
  readonly #counts = new Map<string, Map<string, number>>()
  events = 0

  take({ topic, value }: SourceRecord, schemaTopic: string): void {
    if (!(value instanceof Struct)) return
    if (topic === schemaTopic) {
      this.#define(value)
      return
    }
    const source = value.get('source')
    if (!(source instanceof Struct)) return
    this.events += 1
    const table = `${stringOf(source.get('db'))}.${stringOf(source.get('table'))}`
    if (value.get('op') === 't') {
      this.#counts.delete(table)
      return
    }
    this.#add(table, value.get('before'), -1)
    this.#add(table, value.get('after'), 1)
  }

  /** Rows of `database.table` as in `selectedRows`; a row that was deleted more often than inserted is marked. */
  of(table: string): readonly string[] {
    return [...(this.#counts.get(table) ?? [])].flatMap(([row, count]) =>
      count < 0 ? [`deleted without an insert: ${row}`] : Array.from({ length: count }, () => row),
    )
  }

  #add(table: string, row: ConnectValue, by: number): void {
    if (!(row instanceof Struct)) return
    const counts = this.#counts.get(table) ?? new Map<string, number>()
    this.#counts.set(table, counts)
    const text = JSON.stringify(row.schema.fields.map((field) => [field.name, comparable(row.at(field.index), field)]))
    const count = (counts.get(text) ?? 0) + by
    if (count === 0) counts.delete(text)
    else counts.set(text, count)
  }

  #define(value: Struct): void {
    if (/^DROP (DATABASE|SCHEMA)/i.test(stringOf(value.get('ddl')))) {
      const prefix = `${stringOf(value.get('databaseName'))}.`
      for (const table of this.#counts.keys()) if (table.startsWith(prefix)) this.#counts.delete(table)
    }
    const changes = value.get('tableChanges')
    if (!Array.isArray(changes)) return
    for (const change of changes) {
      if (!(change instanceof Struct) || change.get('type') === 'ALTER') continue
      this.#counts.delete(nameOf(stringOf(change.get('id'))))
    }
  }
}

function comparable(value: ConnectValue, { schema }: Field): unknown {
  if (value === null || value === undefined) return null
  if (value instanceof Decimal) return value.toString()
  if (value instanceof EncodedText) return jsonOrText(value.toString(), schema.name)
  if (typeof value === 'boolean') return value
  // The server prints six digits of a FLOAT.
  if (typeof value === 'number' && (schema.type === 'float' || schema.type === 'double')) return value.toPrecision(6)
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex')
  if (value instanceof Struct) {
    const srid = value.get('srid')
    const wkb = value.get('wkb')
    return `${wkb instanceof Uint8Array ? Buffer.from(wkb).toString('hex') : ''} ${typeof srid === 'number' ? srid : ''}`
  }
  return typeof value === 'string' ? jsonOrText(value, schema.name) : textOf(value)
}

function jsonOrText(text: string, name: string | null): string {
  return name === 'io.debezium.data.Json' ? JSON.stringify(JSON.parse(text)) : text
}

function stringOf(value: ConnectValue): string {
  return typeof value === 'string' ? value : ''
}

/** The name in `"database"."table"`. */
function nameOf(id: string): string {
  return id.slice(1, -1).replace('"."', '.')
}
