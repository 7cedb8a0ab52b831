import type { HistoryRecord, SchemaHistory } from './schema-history.ts'

/** A schema history in memory, for tests. */
export class MemorySchemaHistory implements SchemaHistory {
  readonly records: HistoryRecord[] = []

  exists(): Promise<boolean> {
    return Promise.resolve(this.records.length > 0)
  }

  connect(): Promise<void> {
    return Promise.resolve()
  }

  initialize(): Promise<void> {
    return Promise.resolve()
  }

  prepare(): Promise<void> {
    return Promise.resolve()
  }

  append(records: readonly HistoryRecord[]): Promise<void> {
    this.records.push(...records)
    return Promise.resolve()
  }

  recover(onRecord: (record: HistoryRecord) => void): Promise<void> {
    for (const record of this.records) onRecord(record)
    return Promise.resolve()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve()
  }
}
