import type { SourceOffset, SourcePartition, SourceProgress, SourceRecord } from '@tributary/connect-api'
import type { OutgoingRecord, ProducerTopic } from '@tributary/kafka'

/** A record as bytes. One object for all records: valid until the next one is encoded. */
export type EncodedRecord = { -readonly [K in keyof OutgoingRecord]: OutgoingRecord[K] }

/**
 * How records and the offsets of their source reach Kafka: the port between the task's loop and a guarantee. The loop
 * knows no offsets topic, no acknowledgements and no transactions; another guarantee is another implementation.
 *
 * The loop calls, per task and in this order:
 *
 * ```
 *  start ─▶ ( send | skip )* ─▶ progress? ─▶ boundary ─▶ ( send | skip )* ─▶ … ─▶ finish
 *           └──────────── one poll ───────────────────┘
 * ```
 *
 * - `start` comes once, after the source has started. A task whose source does not start calls `finish` only.
 * - `send` and `skip` take each record of a poll once, in the order of the poll. They belong to the transaction that is
 *   open, or open one: none may be lost or repeated by what `boundary` does.
 * - `progress` follows the records that it covers. It moves the stored offset beyond them, never before them.
 * - `boundary` comes after all records of a poll and its progress. It is the only place where a transaction may
 *   be committed: before it, a poll may be sent in part. It never comes after a poll that failed.
 * - `finish` comes once, after everything else, also when the loop has failed: possibly in the middle of a poll. What it
 *   may keep of an unfinished poll is decided by the guarantee: at least once keeps everything that was sent, exactly
 *   once nothing after the last boundary.
 *
 * All calls come from one loop, one after the other. Only `finish` may take the time that its limit allows.
 */
export interface Delivery {
  /** True: await `ready` before the next `send`. A further record would still be accepted, and use more memory. */
  readonly isFull: boolean
  /** Set before the records of a poll are sent: another poll follows at once, so batches may wait for its records. */
  moreFollows: boolean
  /** Begins what runs beside the loop, such as commits at an interval. */
  start(): void
  /** @throws PRODUCER_FAILED when nothing can be sent any more */
  throwIfFailed(): void
  /**
   * Resolves when `isFull` is false.
   *
   * @throws StoppedError when the signal fires
   * @throws the producer's failure
   */
  ready(signal: AbortSignal): Promise<void>
  /**
   * Sends a record: hands its bytes to the topic, which copies them, and keeps its offset until it is acknowledged.
   *
   * @throws RECORD_FAILED when the topic refuses it, or PRODUCER_FAILED; the record then counts as not sent
   */
  send(record: SourceRecord, encoded: EncodedRecord, topic: ProducerTopic): void
  /** Takes the offset of a record that a transformation has dropped. */
  skip(partition: SourcePartition, offset: SourceOffset): void
  /** Takes an offset up to which everything has been sent. A milestone is stored without waiting for the next commit. */
  progress(progress: SourceProgress): void
  /** Returns null when the loop may poll at once, else a promise to await. */
  boundary(signal: AbortSignal): Promise<void> | null
  /** Waits for records in flight and stores their offsets, within a limit. Logs what it could not do; never rejects. */
  finish(): Promise<void>
}
