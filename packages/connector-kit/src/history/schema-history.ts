import type { OffsetDocument, SourcePartition } from '@tributary/connect-api'
import type { TableChange } from '../relational/table-change.ts'
import type { CheckpointStore } from './checkpoint.ts'

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

/** The offsets of the records that a history has: `begin` of the first, `end` after the last. */
export interface HistoryExtent {
  readonly begin: bigint
  readonly end: bigint
}

export interface RecoverOptions {
  /** The offset of the first record to read. Default: the first that there is. */
  readonly from?: bigint
  /** Called, in order with the records, with the offset of each one that cannot be read. */
  readonly onUnreadable?: (offset: bigint) => void
  readonly signal?: AbortSignal
}

/**
 * The definitions of the tables over time: a reader of the log needs those of the time of each event, and the database
 * only knows today's. One task writes it; it stores a statement before it sends the first row under it.
 */
export interface SchemaHistory extends AsyncDisposable {
  /** Connects ahead of time, so that the next call need not. Neither reads nor creates the topic. */
  connect(signal?: AbortSignal): Promise<void>
  /** Creates the topic, or checks its settings. */
  initialize(signal?: AbortSignal): Promise<void>
  /** Connects to the brokers that `append` needs, so that `append` need not. */
  prepare(signal?: AbortSignal): Promise<void>
  /** Resolves when the records are acknowledged. */
  append(records: readonly HistoryRecord[], signal?: AbortSignal): Promise<void>
  /**
   * Reads every record in order; those that cannot be read are logged and skipped. Null: there is no topic.
   */
  recover(onRecord: (record: HistoryRecord) => void, options?: RecoverOptions): Promise<HistoryExtent | null>
  /** Null: there is no topic. */
  extent(signal?: AbortSignal): Promise<HistoryExtent | null>
  /** Identifies the record at that offset by its content; null when there is none. */
  fingerprint(offset: bigint, signal?: AbortSignal): Promise<string | null>
  /**
   * The offset after the last record that this object has read or appended, if no other program writes to the topic,
   * else an earlier one. Null: not known.
   */
  readonly end: bigint | null
  /** Finds out `end`, unless records are appended meanwhile. */
  measure(signal?: AbortSignal): Promise<void>
  /** Sums up this history. */
  readonly checkpoints: CheckpointStore
}
