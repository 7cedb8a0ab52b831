import type { LogRecord } from './records.ts'

export interface TopicReaderOptions {
  readonly topic: string
  /** Default: all that the topic has when the reader is opened. */
  readonly partitions?: readonly number[]
  /** Where to start. Default `earliest`; so does a partition that is not in the map. */
  readonly from?: 'earliest' | 'latest' | ReadonlyMap<number, bigint>
  /** `committed` leaves out records of aborted and open transactions. Default `committed`. */
  readonly isolation?: 'committed' | 'uncommitted'
  /** Upper limit of what one answer of a broker may hold; one batch that is larger comes all the same. Default 1 MiB. */
  readonly fetchBytesMax?: number
}

/**
 * Reads partitions of one topic from any offset to the end and on, without a consumer group. Waits out brokers that are
 * away and leaders that move.
 */
export interface TopicReader extends AsyncDisposable {
  readonly topic: string
  readonly partitions: readonly number[]
  /** Next offset of a partition to be returned. */
  position(partition: number): bigint
  /** Offset after the last readable record of each partition, as the brokers say now. */
  endOffsets(signal?: AbortSignal): Promise<ReadonlyMap<number, bigint>>
  /**
   * Next records; an empty list when there are none within about half a second. Order holds within a partition. One call
   * at a time. Rejects with OFFSET_OUT_OF_RANGE, CORRUPT_RECORDS, NOT_AUTHORIZED and the like, for good; with StoppedError
   * when the signal fires or the reader is closed.
   */
  poll(signal?: AbortSignal): Promise<readonly LogRecord[]>
  /** Polls until all that was in the topic when called has been returned. */
  readToEnd(onRecord: (record: LogRecord) => void, signal?: AbortSignal): Promise<void>
  close(): Promise<void>
}
