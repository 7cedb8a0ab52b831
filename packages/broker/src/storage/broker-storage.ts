import type { JournalEntry } from './journal-entry.ts'

/** A batch that a storage holds. */
export interface StoredBatch {
  /** In bytes. */
  readonly length: number
  read(): Buffer
}

/** Consecutive batches, which are deleted together. */
export interface StoredSegment {
  /** The offset of its first batch, or of the next one if it has none. */
  readonly baseOffset: number
  readonly batches: readonly StoredBatch[]
}

/** The batches of one partition, in the order of their offsets. */
export interface PartitionStorage {
  /** What an earlier run has left; called once, before all others. */
  recover(): readonly StoredSegment[]
  /** Appends a complete batch whose base offset is set. Throws if the storage is full or broken; nothing is kept then. */
  append(batch: Buffer): StoredBatch
  /** Begins a segment. Only whole segments are deleted. */
  roll(baseOffset: number): void
  /** Deletes the oldest segment. */
  deleteOldest(): void
  /**
   * Replaces the batches of a segment that is not the last one, wholly or not at all. Offsets may be missing between the
   * new ones. Without batches the segment is deleted, unless it is the oldest, which marks the start of the log.
   *
   * @param position 0: the oldest segment
   */
  replace(position: number, batches: readonly Buffer[]): readonly StoredBatch[]
}

/**
 * Where the broker keeps its data. All methods are synchronous: a batch is stored before its answer is sent. Data of
 * topics is kept by topic id, so a topic that is created again does not see the batches of the old one.
 */
export interface BrokerStorage {
  /** The entries of earlier runs. */
  recoverJournal(): readonly JournalEntry[]
  append(entry: JournalEntry): void
  /** Whether rewriting the journal would free much space. */
  readonly isJournalLong: boolean
  /** Replaces the journal by entries that lead to the same state. */
  rewriteJournal(entries: readonly JournalEntry[]): void
  partition(topicId: string, index: number): PartitionStorage
  deleteTopic(topicId: string): void
  /** Releases files and locks. */
  close(): void
}
