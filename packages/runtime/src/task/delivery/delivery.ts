import type {
  DeliveryProgress,
  SourceOffset,
  SourcePartition,
  SourceProgress,
  SourceRecord,
} from '@tributary/connect-api'
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
 * - `start` is called once, after the source has started. If the source does not start, only `finish` is called.
 * - `send` and `skip` are called once per record, in the order of the poll. In a transactional delivery they belong to
 *   the open transaction, or open one.
 * - `progress` follows the records that it covers. Its offset is stored after theirs.
 * - `boundary` follows all records of a poll and its progress. It is the only place where a transaction may be
 *   committed: before it, a poll may have been sent in part. It is not called after a poll that failed.
 * - `finish` is called once, as the last call, also when the loop has failed in the middle of a poll. The guarantee
 *   determines what of that poll counts: at least once keeps the records that were sent, exactly once keeps nothing
 *   after the last boundary.
 *
 * One loop makes all calls, one after the other. Only `finish` may wait for long, up to its limit.
 */
export interface Delivery {
  /** True: all records of a poll are admitted before the first one is sent, so that no open transaction waits for them. */
  readonly admitsWholePolls: boolean
  /**
   * True: await `ready` before the next `send`. A further record would be accepted, but would exceed the memory limit.
   */
  readonly isFull: boolean
  /**
   * Set before the records of a poll are sent. True: another poll follows at once, so batches may wait for its records.
   */
  moreFollows: boolean
  /** Set before the records of a poll are sent. True: the poll ends in the middle of a transaction of the source. */
  isInTransaction: boolean
  /** Records in flight: sent, and neither acknowledged nor followed by acknowledged ones alone. */
  readonly pending: number
  /** For sources that have to act while no record is delivered. */
  readonly delivered: DeliveryProgress
  /** Starts what runs beside the loop, such as commits at an interval. */
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
   * Sends a record: appends a copy of its bytes to a batch, and keeps its offset until the record is acknowledged.
   *
   * @throws RECORD_FAILED when the producer refuses the record, PRODUCER_FAILED when the producer has failed; the
   * record is not sent then
   */
  send(record: SourceRecord, encoded: EncodedRecord, topic: ProducerTopic): void
  /**
   * Sends a record that `send` has refused as too large, if its topic accepts it after all (`ProducerTopic.offer`): the
   * known limit may be old, or a guess. The loop calls nothing else meanwhile.
   *
   * @throws RECORD_FAILED when the record is too large, and was not sent; PRODUCER_FAILED
   * @throws StoppedError when the signal fires
   */
  offer(record: SourceRecord, encoded: EncodedRecord, topic: ProducerTopic, signal: AbortSignal): Promise<void>
  /** Adds the offset of a record that a transformation has dropped: it is stored as if the record were sent. */
  skip(partition: SourcePartition, offset: SourceOffset): void
  /** Adds an offset after all records sent so far. A milestone is stored without waiting for the next commit. */
  progress(progress: SourceProgress): void
  /** Ends a poll. Waits for nothing: a commit runs beside the loop. */
  boundary(): void
  /** Waits for records in flight and stores their offsets, within a limit. Logs failures; never rejects. */
  finish(): Promise<void>
}
