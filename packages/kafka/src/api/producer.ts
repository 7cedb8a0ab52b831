import type { ProducerStats } from './producer-stats.ts'
import type { OutgoingRecord } from './records.ts'

export type Compression = 'none' | 'gzip' | 'snappy' | 'lz4' | 'zstd'

/**
 * The size of the send window, in tokens, which ascend from record to record across all topics. The caller must advance
 * the window as soon as half of `records` after its start are acknowledged without a gap.
 */
export interface SendWindowLimits {
  /** The most records that are produced beyond the start of the window. */
  readonly records: number
  /** The limit is this many for each partition with unacknowledged records, if that is more than `records`. */
  readonly recordsPerPartition: number
}

export interface ProducerOptions {
  /**
   * Codec of the batches. Default: records with a prefix (`RecordPart.prefix`) are written as LZ4 with the prefix as a
   * match, others uncompressed. Except for a search in the first KiB of long values, this costs no more than `none`
   * (docs/adr/0004-compression.md).
   */
  readonly compression?: Compression
  /** The bytes of unacknowledged records above which `isFull` is set. Default 32 MiB (Java's buffer.memory). */
  readonly bufferBytesMax?: number
  /**
   * The size of a batch, uncompressed, at which it is sealed. Default 4 MiB. It is sealed earlier when it reaches the
   * limit of the topic, which applies to the compressed batch.
   */
  readonly batchBytesMax?: number
  /**
   * The size of the largest compressed batch (Java's max.request.size). A record that does not fit one is rejected.
   * Default: the limit of the topic.
   */
  readonly requestBytesMax?: number
  /**
   * By topic: the size of a batch of one record that a broker has refused as too large before, whatever the limit of
   * the topic says. `send` refuses such records, and `offer` asks the broker. Default: none.
   */
  readonly refusedBytes?: Readonly<Record<string, number>>
  /** How long a record may stay unacknowledged. Default: no limit, as in Connect (delivery.timeout.ms = 2^31-1). */
  readonly deliveryTimeoutMs?: number
  /** How long a request may stay unanswered before the client closes its connection. Default 30 s. */
  readonly requestTimeoutMs?: number
  /**
   * How long a batch that is not full waits for more records. Default 0: until its partition has no batch in flight.
   */
  readonly lingerMs?: number
  /** The size of the send window, see `Producer.moveWindow`. Default: no limit. */
  readonly sendWindow?: SendWindowLimits
  /**
   * Called when the brokers have acknowledged records, with their tokens in the order of `send` within a partition.
   * Runs in the event of a socket: it must be fast and must not throw.
   */
  readonly onDelivered: (tokens: readonly number[]) => void
}

/**
 * Sends records: idempotent, acks=all, in order within each partition. It loses, repeats and reorders nothing when a
 * connection is cut or stalls, or when a broker is killed and restarts: it retries with the same sequence numbers
 * (KIP-98). Its memory is bounded: when `isFull`, the caller stops and awaits `ready`.
 *
 * An error that a retry cannot fix (no permission, record too large, sequence lost) ends the producer: `failure` is
 * set, and `send`, `ready` and `flush` throw it.
 */
export interface Producer extends AsyncDisposable {
  readonly failure: Error | null
  /** The unacknowledged records exceed `bufferBytesMax`. Further records are accepted and use more memory. */
  readonly isFull: boolean
  /** Bytes of the unacknowledged records. */
  readonly bufferedBytes: number
  readonly bufferBytesMax: number
  readonly stats: ProducerStats
  /**
   * Set by a caller that will send more records at once: batches that are not full then wait a few milliseconds for
   * them, which makes requests fewer and larger. Setting it to false releases the waiting batches. No effect with
   * `lingerMs`.
   */
  moreFollows: boolean
  /**
   * Resolves when partitions and leaders of the topic are known. Retries while the brokers are unreachable or elect a
   * leader, and logs that once per topic. A request for a missing topic makes the brokers create it if they may; if it
   * does not exist after `missingTopicWaitMs` (default 60,000), rejects with UNKNOWN_TOPIC. That error, INVALID_TOPIC
   * and NOT_AUTHORIZED do not end the producer.
   */
  topic(name: string, options?: TopicOptions): Promise<ProducerTopic>
  /** The topic if `topic` has resolved it before, else null. */
  knownTopic(name: string): ProducerTopic | null
  /** Resolves when at most four fifths of the buffer are used; rejects with the failure. */
  ready(signal?: AbortSignal): Promise<void>
  /** Resolves when all records sent so far are acknowledged; rejects with the failure. */
  flush(signal?: AbortSignal): Promise<void>
  /**
   * Moves the send window of a caller that stores its progress and resumes from there after a crash: with `sendWindow`,
   * records too far after `start` wait in the producer. `start` is the token of the first record whose progress is not
   * stored, 0 at first; it may decrease.
   */
  moveWindow(start: number): void
  /** Closes the connections and drops unacknowledged records; call `flush` first to keep them. */
  close(): Promise<void>
}

export interface TopicOptions {
  readonly signal?: AbortSignal
  readonly missingTopicWaitMs?: number
  /** Codec of the batches for this topic. Default: that of the producer. Counts for the first call of a topic. */
  readonly compression?: Compression
}

export interface ProducerTopic {
  readonly name: string
  readonly partitionCount: number
  /**
   * Appends the record to the open batch of its partition. Copies key, value and headers. Throws the producer's
   * failure, or RECORD_TOO_LARGE, after which the producer is unchanged.
   */
  send(record: OutgoingRecord): void
  /**
   * Sends a record that `send` has refused with RECORD_TOO_LARGE, if the topic accepts it after all. Reads the limit of
   * the topic again, at most once a minute, because it may have been raised. If the limit cannot be read, sends the
   * record as a batch of its own, and resolves when the broker has acknowledged it. Rejects with RECORD_TOO_LARGE if
   * the record was not stored; with the producer's failure; with StoppedError when the signal fires, and then the
   * record may have been sent. The caller must send nothing else meanwhile.
   */
  offer(record: OutgoingRecord, signal?: AbortSignal): Promise<void>
}
