import type { OffsetDocument, SourcePartition } from '@tributary/connect-api'
import type { TableChange } from '../relational/table-change.ts'

/** One change of the schema, as it is stored. */
export interface HistoryRecord {
  readonly source: SourcePartition
  /** Where in the log it stands: the connector's offset at that statement. */
  readonly position: OffsetDocument
  readonly timestampMs: number
  readonly databaseName: string | null
  readonly ddl: string | null
  readonly changes: readonly TableChange[]
}

/**
 * The memory of how the tables looked when: a reader of the log needs the definitions of the time of each event, and the
 * database only knows today's. Written by one task; a statement is stored before the first row under it is sent.
 */
export interface SchemaHistory extends AsyncDisposable {
  /** Is there a place for it, with anything in it? */
  exists(signal?: AbortSignal): Promise<boolean>
  /** Connects, without asking for the place or making it: what comes next then takes less time. */
  connect(signal?: AbortSignal): Promise<void>
  /** Makes the place where it is kept, or checks that it has the right settings. */
  initialize(signal?: AbortSignal): Promise<void>
  /** Connects to what `append` needs, so that it does not have to. */
  prepare(signal?: AbortSignal): Promise<void>
  /** Resolves when the records are safe. */
  append(records: readonly HistoryRecord[], signal?: AbortSignal): Promise<void>
  /** Gives every record in order; those that cannot be read are logged and left out. */
  recover(onRecord: (record: HistoryRecord) => void, signal?: AbortSignal): Promise<void>
}
