import { type ExactJson, isExactArray, isExactObject, member } from './exact-json.ts'
import type { RecordedRecord } from './recording.ts'

/** The record of a table without these columns. They must not be part of the key. */
export function withoutColumns(record: RecordedRecord, columns: readonly string[]): RecordedRecord {
  const { value } = record
  if (!isExactObject(value)) return record
  const payload = member(value, 'payload')
  const rows = ['before', 'after'].map((side) => [side, withoutMembers(member(payload, side), columns)] as const)
  return {
    ...record,
    value: {
      schema: envelopeWithout(member(value, 'schema'), columns),
      payload: { ...(isExactObject(payload) ? payload : {}), ...Object.fromEntries(rows) },
    },
  }
}

function envelopeWithout(envelope: ExactJson | undefined, columns: readonly string[]): ExactJson {
  const fields = member(envelope, 'fields')
  if (!isExactObject(envelope) || !isExactArray(fields)) return envelope ?? null
  return { ...envelope, fields: fields.map((field) => (isRow(field) ? structWithout(field, columns) : field)) }
}

function isRow(field: ExactJson): boolean {
  return member(field, 'field') === 'before' || member(field, 'field') === 'after'
}

function structWithout(struct: ExactJson, columns: readonly string[]): ExactJson {
  const fields = member(struct, 'fields')
  if (!isExactObject(struct) || !isExactArray(fields)) return struct
  return { ...struct, fields: fields.filter((field) => !columns.some((name) => member(field, 'field') === name)) }
}

function withoutMembers(row: ExactJson | undefined, columns: readonly string[]): ExactJson {
  if (!isExactObject(row)) return row ?? null
  return Object.fromEntries(Object.entries(row).filter(([name]) => !columns.includes(name)))
}
