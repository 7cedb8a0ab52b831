import type { LogRecord } from './records.ts'

export interface TopicReaderOptions {
  readonly topic: string
  /** Default: all partitions of the topic at the time the reader is opened. */
  readonly partitions?: readonly number[]
  /** Start position. Default `earliest`, also for partitions that the map does not contain. */
  readonly from?: 'earliest' | 'latest' | ReadonlyMap<number, bigint>
  /** `committed` skips records of aborted and open transactions. Default `committed`. */
  readonly isolation?: 'committed' | 'uncommitted'
  /**
   * The end for `endOffsets` and `readToEnd` when only committed records are read. `stable`: the first open
   * transaction, beyond which no reader can read yet. `written`: the last record, so that the end is reached when the
   * transactions that are open now have ended. Default `stable`.
   */
  readonly end?: 'stable' | 'written'
  /** The size limit of a Fetch response; a single larger batch is returned nevertheless. Default 1 MiB. */
  readonly fetchBytesMax?: number
  /** How long a poll waits while nothing arrives. Default 500 ms. */
  readonly pollWaitMs?: number
}

/**
 * Reads partitions of one topic from any offset, without a consumer group, and continues with new records at the end.
 * Retries while brokers are unreachable and follows leaders that move.
 */
export interface TopicReader extends AsyncDisposable {
  readonly topic: string
  readonly partitions: readonly number[]
  /** The offset of the next record of a partition. */
  position(partition: number): bigint
  /** The current offset after the last record of each partition. `end`: default that of the options. */
  endOffsets(signal?: AbortSignal, end?: 'stable' | 'written'): Promise<ReadonlyMap<number, bigint>>
  /**
   * The next records, in order within each partition. An empty list when nothing arrives within `pollWaitMs`, or when
   * the position moves without a record: what has arrived is to be skipped, such as an aborted transaction. One call at
   * a time. Rejects with an error that is not retriable (OFFSET_OUT_OF_RANGE, CORRUPT_RECORDS, NOT_AUTHORIZED),
   * which every further call repeats, or with StoppedError when the signal fires or the reader is closed.
   */
  poll(signal?: AbortSignal): Promise<readonly LogRecord[]>
  /** Polls until it has returned all records that the topic held when called. */
  readToEnd(onRecord: (record: LogRecord) => void, signal?: AbortSignal): Promise<void>
  close(): Promise<void>
}
