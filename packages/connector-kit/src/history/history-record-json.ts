import type { OffsetDocument, SourcePartition } from '@tributary/connect-api'
import { prettyJson, type JsonValue } from '../relational/pretty-json.ts'
import { tableChangesFromJson, tableChangesToJson } from '../relational/table-change-json.ts'
import type { HistoryRecord } from './schema-history.ts'

/** A history record as text: Debezium's HistoryRecord document, pretty-printed as it prints it. */
export function formatHistoryRecord(record: HistoryRecord): string {
  const document: { readonly [name: string]: JsonValue | undefined } = {
    source: record.source,
    position: record.position,
    ts_ms: record.timestampMs,
    databaseName: record.databaseName ?? undefined,
    ddl: record.ddl ?? undefined,
    tableChanges: tableChangesToJson(record.changes),
  }
  return prettyJson(document)
}

/** Parses such a text, also of older releases; undefined when it is not a history record. */
export function parseHistoryRecord(text: string): HistoryRecord | undefined {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    return undefined
  }
  if (!isObject(parsed) || !isObject(parsed['source']) || !isObject(parsed['position'])) return undefined
  const { source, position, ts_ms: timestampMs, databaseName, ddl, tableChanges } = parsed
  return {
    source: source as SourcePartition,
    position: position as OffsetDocument,
    timestampMs: typeof timestampMs === 'number' ? timestampMs : 0,
    databaseName: typeof databaseName === 'string' ? databaseName : null,
    ddl: typeof ddl === 'string' ? ddl : null,
    changes: tableChangesFromJson(tableChanges) ?? [],
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
