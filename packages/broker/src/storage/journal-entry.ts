/**
 * A change of the broker's state outside of the batches of topics, as plain JSON. 64-bit integers are texts.
 */
export type JournalEntry =
  | { readonly tag: 'cluster'; readonly clusterId: string }
  | {
      readonly tag: 'topic'
      readonly name: string
      readonly id: string
      readonly partitions: number
      readonly configs: Readonly<Record<string, string>>
    }
  | { readonly tag: 'topic deleted'; readonly id: string }
  | { readonly tag: 'log start'; readonly id: string; readonly partition: number; readonly offset: number }
  /** A run of compaction (log/compactions.ts). */
  | {
      readonly tag: 'compacted'
      readonly id: string
      readonly partition: number
      readonly upTo: number
      readonly atMs: number
    }
  /** Producer ids below `next` may have been given out. */
  | { readonly tag: 'producer ids'; readonly next: string }
  | { readonly tag: 'offsets'; readonly group: string; readonly offsets: readonly JournalOffset[] }
  | { readonly tag: 'offset deleted'; readonly group: string; readonly topic: string; readonly partition: number }
  | { readonly tag: 'group deleted'; readonly group: string }
  | { readonly tag: 'transaction'; readonly transaction: JournalTransaction }
  | { readonly tag: 'transactional id forgotten'; readonly transactionalId: string }

export interface JournalOffset {
  readonly topic: string
  readonly partition: number
  readonly offset: string
  readonly leaderEpoch: number
  readonly metadata: string
  /** Milliseconds since 1970. */
  readonly committedAtMs: number
}

export interface JournalTransaction {
  readonly transactionalId: string
  readonly producerId: string
  readonly epoch: number
  readonly lastProducerId: string
  /** The epoch before the last claim of its owner; -1: none. */
  readonly lastEpoch: number
  readonly timeoutMs: number
  readonly state: 'Empty' | 'Ongoing' | 'PrepareCommit' | 'PrepareAbort' | 'CompleteCommit' | 'CompleteAbort'
  /** `[topic, partition]`. */
  readonly partitions: readonly (readonly [string, number])[]
  readonly groups: readonly PendingGroupOffsets[]
  readonly startedAtMs: number
  /** When its last transaction ended, or a producer claimed it later. Absent in the journals of older builds. */
  readonly idleSinceMs?: number
}

/** Offsets that a transaction commits for a group. */
export interface PendingGroupOffsets {
  readonly group: string
  readonly offsets: readonly JournalOffset[]
}
