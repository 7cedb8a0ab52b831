import type { Schema } from './schema.ts'
import type { ConnectValue } from './value.ts'

/** A header of a record; its value has a schema of its own, or none. */
export interface Header {
  readonly key: string
  readonly schema: Schema | null
  readonly value: ConnectValue
}

/** What a source reads from (a database, a file …): a small object of primitives, the same one for all its records. */
export type SourcePartition = Readonly<Record<string, OffsetPrimitive>>
export type OffsetPrimitive = string | number | bigint | boolean | null
/** An offset as it is stored: a flat object of primitives. */
export type OffsetDocument = Readonly<Record<string, OffsetPrimitive>>

/**
 * Where in its source a record comes from. Made for every event, so it is small; it becomes a document only when it is
 * committed.
 */
export interface SourceOffset {
  toDocument(): OffsetDocument
}

/** A record on its way to a topic. */
export interface SourceRecord {
  readonly sourcePartition: SourcePartition
  /** Position after this record: a task that starts there goes on with the next one. */
  readonly sourceOffset: SourceOffset
  readonly topic: string
  /** Null: the producer chooses by the key. */
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
