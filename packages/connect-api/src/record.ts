import type { ConnectValue, Schema } from './data.ts'

/** A header of a record; its value has a schema of its own, or none. */
export interface Header {
  readonly key: string
  readonly schema: Schema | null
  readonly value: ConnectValue
}

/**
 * Identifies what a source reads (a database, a file): a small object of primitives, one object for all its records.
 */
export type SourcePartition = Readonly<Record<string, OffsetPrimitive>>
export type OffsetPrimitive = string | number | bigint | boolean | null
/** An offset as it is stored: a flat object of primitives. */
export type OffsetDocument = Readonly<Record<string, OffsetPrimitive>>

/**
 * The position of a record in its source. A source creates one for every event, so it is small; it is converted to a
 * document only when it is committed.
 */
export interface SourceOffset {
  /** Time of the change by the source's clock, in milliseconds since 1970, for measuring the lag. Null: unknown. */
  readonly changedAtMs?: number | null
  /**
   * When the change was committed, by the source's clock, in milliseconds since 1970, for measuring the latency. Null:
   * unknown, or the record is of no change, as in a snapshot.
   */
  readonly committedAtMs?: number | null
  toDocument(): OffsetDocument
}

/**
 * A record on its way to a topic. Its values are valid until the task polls again: they may refer to memory that the
 * source reuses. `detach` copies a record that has to live longer.
 */
export interface SourceRecord {
  readonly sourcePartition: SourcePartition
  /** The position after this record: a task that starts there continues with the next one. */
  readonly sourceOffset: SourceOffset
  readonly topic: string
  /** Null: the producer chooses the partition by the key. */
  readonly partition: number | null
  readonly keySchema: Schema | null
  readonly key: ConnectValue
  readonly valueSchema: Schema | null
  readonly value: ConnectValue
  /** Milliseconds since 1970; null: the time of sending. */
  readonly timestamp: number | null
  readonly headers: readonly Header[]
}

export const NO_HEADERS: readonly Header[] = []
