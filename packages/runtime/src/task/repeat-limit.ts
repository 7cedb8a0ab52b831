import type { SendWindowLimits } from '@tributary/kafka'

export interface RepeatLimit {
  /** A commit is due when so many records were acknowledged since the one before. */
  readonly recordsBetweenCommits: number
  readonly sendWindow: SendWindowLimits
}

/** An offset is 300 bytes of a compacted topic; for a thousand records that is a two-thousandth of what they take themselves. */
const BETWEEN_COMMITS_MAX = 1_000
/** Until a commit is due the window stays where it is: enough of it must be left for batches to begin in. */
const BETWEEN_COMMITS_SHARE = 0.4
/** With fewer, 5,000 tables that change in turn would get batches of one record. */
const RECORDS_PER_PARTITION = 20
/** A row gives up to three records (its key has changed: delete, tombstone, create), and only the last one moves the offset beyond it. */
const RECORDS_WITHOUT_OFFSET = 2

/**
 * How a crash repeats no more than so many records (`offset.flush.max.records`). They lie between the stored offset and what the
 * brokers have been sent; see docs/adr/0019-what-a-kill-repeats.md.
 */
export function repeatLimit(recordsMax: number): RepeatLimit {
  const records = recordsMax - RECORDS_WITHOUT_OFFSET
  return {
    recordsBetweenCommits: Math.min(BETWEEN_COMMITS_MAX, Math.floor(recordsMax * BETWEEN_COMMITS_SHARE)),
    sendWindow: { records, recordsPerPartition: RECORDS_PER_PARTITION },
  }
}
