import type { OffsetDocument } from '@tributary/connect-api'

/** What a checkpoint sums up, and of what. */
export interface CheckpointHeader {
  /** `topic.prefix` of the connector whose records it sums up. */
  readonly server: string
  /** It has the effect of all records of the schema history before this offset. */
  readonly end: bigint
  /** `SchemaHistory.fingerprint` of the record before `end`: proves that the topic is the one that was summed up. */
  readonly fingerprint: string
  /** No record that it sums up has a later position. */
  readonly position: OffsetDocument
  /** On what, besides the records, the entries depend: a reader with other settings must not use them. */
  readonly model: string
  readonly createdMs: number
}

/** A checkpoint that was read completely. */
export interface StoredCheckpoint extends CheckpointHeader {
  /** JSON documents in the order in which they were written. Each call unpacks them anew. */
  entries(): Iterable<string>
}

/**
 * Keeps the state that a schema history leads to, so that a start need not read all of the history. A checkpoint is
 * never needed: without one, or when it does not fit, the history is read from its beginning.
 *
 * The store knows nothing of the entries. It keeps two checkpoints: the newer one may be ahead of the offset of a task
 * that crashed.
 */
export interface CheckpointStore extends AsyncDisposable {
  /**
   * The complete checkpoints of a connector, the newest first; none when there is no topic. Rejects with an error that
   * is not retriable when the topic may not be read.
   */
  read(server: string, signal?: AbortSignal): Promise<readonly StoredCheckpoint[]>
  /**
   * Replaces the older checkpoint. Takes the entries piece by piece, and lets other work run in between. Resolves when
   * the brokers have acknowledged it.
   */
  write(header: CheckpointHeader, entries: Iterable<string>, signal?: AbortSignal): Promise<void>
}
