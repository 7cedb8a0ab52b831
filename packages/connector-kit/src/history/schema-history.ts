import type { OffsetDocument, SourcePartition } from '@tributary/connect-api'
import type { TableChange } from '../relational/table-change.ts'

/** One change of the schema, as it is stored. */
export interface HistoryRecord {
  readonly source: SourcePartition
  /** The connector's offset after the statement. */
  readonly position: OffsetDocument
  readonly timestampMs: number
  readonly databaseName: string | null
  readonly ddl: string | null
  readonly changes: readonly TableChange[]
}

/**
 * The definitions of the tables over time: a reader of the log needs those of the time of each event, and the database
 * only knows today's. One task writes it; it stores a statement before it sends the first row under it.
 */
export interface SchemaHistory extends AsyncDisposable {
  /** Whether the topic exists and has a record. */
  exists(signal?: AbortSignal): Promise<boolean>
  /** Connects ahead of time, so that the next call need not. Neither reads nor creates the topic. */
  connect(signal?: AbortSignal): Promise<void>
  /** Creates the topic, or checks its settings. */
  initialize(signal?: AbortSignal): Promise<void>
  /** Connects to the brokers that `append` needs, so that `append` need not. */
  prepare(signal?: AbortSignal): Promise<void>
  /** Resolves when the records are acknowledged. */
  append(records: readonly HistoryRecord[], signal?: AbortSignal): Promise<void>
  /** Reads every record in order; those that cannot be read are logged and skipped. */
  recover(onRecord: (record: HistoryRecord) => void, signal?: AbortSignal): Promise<void>
}
