import type { SendWindowLimits } from '@tributary/kafka'

export interface RepeatLimit {
  /** A commit is due when so many records were acknowledged since the one before. */
  readonly recordsBetweenCommits: number
  /** Holds at least that many: until a commit is due the window stays where it is. */
  readonly sendWindow: SendWindowLimits
}

/** An offset is 300 bytes of a compacted topic; for a thousand records that is a two-thousandth of what they take themselves. */
const BETWEEN_COMMITS_MAX = 1_000
/** Batches of more records make no difference to the brokers: some milliseconds of work at full speed. */
const SPAN_MAX = 1_500
/** A row gives up to three records (its key has changed: delete, tombstone, create), and only the last one moves the offset behind it. */
const RECORDS_WITHOUT_OFFSET = 2

/**
 * How a crash repeats no more than so many records (`offset.flush.max.records`, at least 10). They lie between the stored offset and
 * what the brokers have been sent; see docs/adr/0019-what-a-kill-repeats.md.
 */
export function repeatLimit(recordsMax: number): RepeatLimit {
  const recordsBetweenCommits = Math.min(BETWEEN_COMMITS_MAX, Math.floor(recordsMax * 0.4))
  const sentMax = recordsMax - RECORDS_WITHOUT_OFFSET
  const span = Math.min(SPAN_MAX, sentMax - recordsBetweenCommits)
  return { recordsBetweenCommits, sendWindow: { ahead: sentMax - span, span } }
}
