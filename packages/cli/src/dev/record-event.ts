import { isObject, jsonText, type JsonValue, parseExactly, shownLiteral } from '@tributary/verify'
import { isOperation, type RowEvent, type ShownColumn, type StatementEvent } from '../events/row-event.ts'
import type { Payload } from './payload-reader.ts'

/**
 * Reads the payloads of a record of a topic; null: it is neither the change of a row nor a statement.
 *
 * @param key null: the record has none
 */
export function recordEvent(payload: Payload, key: Payload | null): RowEvent | StatementEvent | null {
  const value = parseExactly(payload.text)
  const source = memberOf(value, 'source')
  if (!isObject(value) || !isObject(source)) return null
  const isOfSnapshot = source['snapshot'] === true || !NOT_OF_SNAPSHOT.has(textOf(source['snapshot']))
  const origin = {
    place: isOfSnapshot ? null : `${textOf(source['file'])}:${textOf(source['pos'])}`,
    seconds: isOfSnapshot ? null : secondsOf(source),
  }
  const op = textOf(value['op'])
  if (!isOperation(op)) {
    if (typeof value['ddl'] !== 'string') return null
    const [database, sql] = [textOf(value['databaseName']), value['ddl']]
    return { tag: 'statement', database, sql, isOfSnapshot, session: null, ...origin }
  }
  const keyed = key === null ? null : parseExactly(key.text)
  const before = columnsOf(value['before'], fieldOf(payload.schema, 'before'))
  return {
    tag: 'row',
    op,
    database: textOf(source['db']),
    table: textOf(source['table']),
    before: before ?? (op === 'u' || op === 'd' ? columnsOf(keyed, key?.schema ?? null) : null),
    after: columnsOf(value['after'], fieldOf(payload.schema, 'after')),
    key: isObject(keyed) ? Object.keys(keyed) : null,
    ...origin,
  }
}

/** The record formats have null or the text; a missing field has the empty text. */
const NOT_OF_SNAPSHOT: ReadonlySet<string> = new Set(['', 'false'])

function columnsOf(row: JsonValue | undefined, schema: JsonValue): readonly ShownColumn[] | null {
  if (!isObject(row)) return null
  const fields = fieldsOf(schema)
  return Object.entries(row).map(([name, value = null]) => {
    const field = fields.find((each) => memberOf(each, 'field') === name) ?? null
    return { name, literal: shownLiteral(value, field), form: textOf(memberOf(field, 'name')) }
  })
}

function fieldOf(schema: JsonValue, name: string): JsonValue {
  return fieldsOf(schema).find((each) => memberOf(each, 'field') === name) ?? null
}

function fieldsOf(schema: JsonValue): readonly JsonValue[] {
  const fields = memberOf(schema, 'fields')
  return Array.isArray(fields) ? (fields as readonly JsonValue[]) : []
}

function memberOf(value: JsonValue, name: string): JsonValue | undefined {
  return isObject(value) ? value[name] : undefined
}

/** The record formats have different fields for it. */
function secondsOf(source: JsonValue): number | null {
  const seconds = memberOf(source, 'ts_sec') ?? null
  if (seconds !== null) return Number(jsonText(seconds))
  const millis = memberOf(source, 'ts_ms') ?? null
  return millis === null ? null : Number(jsonText(millis)) / 1000
}

/** Of a name or a number; empty for a null or a missing one. */
function textOf(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : jsonText(value)
}
