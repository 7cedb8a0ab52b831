import type { SendWindowLimits } from '@tributary/kafka'

export interface RepeatLimit {
  /** A commit is due when this many records were acknowledged since the last one. */
  readonly recordsBetweenCommits: number
  readonly sendWindow: SendWindowLimits
}

/** An offset takes 300 bytes in a compacted topic: for a thousand records, a two-thousandth of their own size. */
const BETWEEN_COMMITS_MAX = 1_000
/** The window does not move until a commit is due: the rest of it must have room for further batches. */
const BETWEEN_COMMITS_SHARE = 0.4
/** With fewer, 5,000 tables that change in turn would have batches of one record. */
const RECORDS_PER_PARTITION = 20
/**
 * A row has up to three records (changed key: delete, tombstone, create); only the last one has the offset after the
 * row.
 */
const RECORDS_WITHOUT_OFFSET = 2

/**
 * Limits the records that a crash repeats to `recordsMax` (`offset.flush.max.records`): those between the stored offset
 * and the last one sent; see docs/adr/0019-what-a-kill-repeats.md.
 */
export function repeatLimit(recordsMax: number): RepeatLimit {
  const records = recordsMax - RECORDS_WITHOUT_OFFSET
  return {
    recordsBetweenCommits: Math.min(BETWEEN_COMMITS_MAX, Math.floor(recordsMax * BETWEEN_COMMITS_SHARE)),
    sendWindow: { records, recordsPerPartition: RECORDS_PER_PARTITION },
  }
}
