import type { Database } from '@tributary/testkit'
import { type ExactJson, isExactArray, member } from './exact-json.ts'
import type { RecordedRecord, Recording } from './recording.ts'
import { recordText, rowDifferences, rowFields, selectTexts, serverText, type ServerValue } from './server-text.ts'

/** The rows of tables as SELECT returns them, by topic. */
export type SelectedTables = ReadonlyMap<string, readonly (readonly ServerValue[])[]>

type Connection = Awaited<ReturnType<Database['connect']>>

export async function selectTables(session: Connection, databases: readonly string[]): Promise<SelectedTables> {
  const selected = new Map<string, readonly (readonly ServerValue[])[]>()
  for (const database of databases) {
    const [rows] = await session.query({
      sql: `SELECT table_name FROM information_schema.tables
            WHERE table_schema = ? AND table_type IN ('BASE TABLE', 'SYSTEM VERSIONED')`,
      values: [database],
      rowsAsArray: true,
    })
    // As selected: one text.
    for (const [table] of rows as [string][]) {
      selected.set(`PFX.${database}.${table}`, await selectTexts(session, database, table))
    }
  }
  return selected
}

/**
 * Differences, as text, between the last record of each row and the current row of the table. Tables without a record
 * or without a key are skipped. Valid for scripts that change no rows by DDL.
 */
export function differencesFromSelect({ topics }: Recording, selected: SelectedTables): string[] {
  return [...selected].flatMap(([topic, rows]) => {
    const records = topics.get(topic) ?? []
    const keys = keyFields(records.at(-1)).map(nameOf)
    if (keys.length === 0) return []
    const last = new Map(records.map((record) => [keyOf(record), record]))
    return rows.flatMap((row) => {
      const key = keys.map((name) => textOf(row.find(({ column }) => column === name))).join()
      const value = last.get(key)?.value ?? null
      const after = member(member(value, 'payload'), 'after')
      if (after === undefined || after === null) return [`${topic} ${key}: the row has no record`]
      const found = rowDifferences(after, rowFields(value, 'after'), row, { adjustsYears: true })
      return found.map((difference) => `${topic} ${key}: ${difference}`)
    })
  })
}

function keyFields(record: RecordedRecord | undefined): readonly ExactJson[] {
  const fields = member(member(record?.key, 'schema'), 'fields')
  return isExactArray(fields) ? fields : []
}

function nameOf(field: ExactJson): string {
  const name = member(field, 'field')
  return typeof name === 'string' ? name : ''
}

function keyOf(record: RecordedRecord): string {
  const payload = member(record.key, 'payload')
  return keyFields(record)
    .map((field) => recordText(field, member(payload, nameOf(field)) ?? null))
    .join()
}

function textOf(value: ServerValue | undefined): string {
  return value === undefined ? '(absent)' : serverText(value)
}
