import type { OutgoingRecord } from './records.ts'

export type Compression = 'none' | 'gzip' | 'snappy' | 'lz4' | 'zstd'

/**
 * Counted in tokens, which ascend from record to record, whatever the topic. The caller must move the window on as soon as half of `records`
 * beyond its start are acknowledged without a gap.
 */
export interface SendWindowLimits {
  /** So many are sent beyond the start of the window at most. */
  readonly records: number
  /** So many for each partition that has records unacknowledged, where that is more. */
  readonly recordsPerPartition: number
}

export interface ProducerOptions {
  /**
   * Codec of the batches. Default: LZ4 for records that say what repeats in them (`RecordPart.prefix`), none for others;
   * but for what the first KiB of long text in a batch costs to be looked at, this is never more than `none`
   * (docs/adr/0004-compression.md).
   */
  readonly compression?: Compression
  /** Bytes of records that may be held unacknowledged before `isFull`. Default 32 MiB (Java's buffer.memory). */
  readonly bufferBytesMax?: number
  /** A batch is sealed before it would hold more than this, uncompressed. Default 4 MiB; it ends sooner where the topic takes less of it as it is sent. */
  readonly batchBytesMax?: number
  /**
   * No batch is larger than this as it is sent, and no record that does not fit one is taken (Java's max.request.size).
   * Default: what the topic allows.
   */
  readonly requestBytesMax?: number
  /** How long a record may stay unacknowledged. Default: for ever, as Connect sets it (delivery.timeout.ms = 2^31-1). */
  readonly deliveryTimeoutMs?: number
  /** How long a request may stay unanswered before its connection is given up. Default 30 s. */
  readonly requestTimeoutMs?: number
  /** Wait this long for more records before a batch that is not full is sent. Default 0: whenever a request is free. */
  readonly lingerMs?: number
  /** How far beyond the start of the window records are sent, see `Producer.moveWindow`. Default: without limit. */
  readonly sendWindow?: SendWindowLimits
  /**
   * Called when the brokers have acknowledged records, with their tokens in the order of `send` within a partition.
   * Called from the socket's event: it must be quick and must not throw.
   */
  readonly onDelivered: (tokens: readonly number[]) => void
}

/**
 * Sends records: idempotent, acks=all, in order within each partition. Neither a cut or stalled connection nor a broker
 * that is killed and comes back makes it lose, repeat or reorder: it waits and sends again under the same sequence
 * numbers (KIP-98). It holds a bounded number of bytes: when `isFull`, the caller stops and awaits `ready`.
 *
 * A fault that waiting cannot mend (no permission, record too large, sequence lost) ends the producer: `failure` is set,
 * `send`, `ready` and `flush` throw it.
 */
export interface Producer extends AsyncDisposable {
  readonly failure: Error | null
  /** More is held than `bufferBytesMax`. Records are still accepted; a caller that goes on uses more memory. */
  readonly isFull: boolean
  /** Bytes of records that are held unacknowledged. */
  readonly bufferedBytes: number
  /**
   * Set by a caller that has more records at hand than it sends at a time: batches that are not full wait a few milliseconds for
   * them, which makes fewer and larger requests. What has waited goes at once when it is set back. No effect with `lingerMs`.
   */
  moreFollows: boolean
  /**
   * The topic, once its partitions and leaders are known. Waits while the brokers are away or elect a leader, which is
   * logged once a topic; a topic that does not exist is asked for so that a broker that may create it does, and is an
   * error (UNKNOWN_TOPIC) after `missingTopicWaitMs` (default 60,000). That error, INVALID_TOPIC and NOT_AUTHORIZED leave
   * the producer as it is.
   */
  topic(
    name: string,
    options?: { readonly signal?: AbortSignal; readonly missingTopicWaitMs?: number },
  ): Promise<ProducerTopic>
  /** The topic if `topic` has resolved it before; never waits. */
  knownTopic(name: string): ProducerTopic | null
  /** Resolves when four fifths or less of the buffer are used, or rejects with the failure. */
  ready(signal?: AbortSignal): Promise<void>
  /** Resolves when everything sent so far is acknowledged, or rejects with the failure. */
  flush(signal?: AbortSignal): Promise<void>
  /**
   * For a caller that stores how far it has come and goes on from there after a crash: with `sendWindow`, records too far beyond this token wait in the
   * producer. It is that of the first record that is not stored yet, 0 to begin with, and may go back.
   */
  moveWindow(start: number): void
  /** Ends the connections. What is unacknowledged is dropped; `flush` first to keep it. */
  close(): Promise<void>
}

export interface ProducerTopic {
  readonly name: string
  readonly partitionCount: number
  /**
   * Appends the record to the open batch of its partition. Copies key, value and headers. Throws RECORD_TOO_LARGE without
   * having taken the record, or the producer's failure.
   */
  send(record: OutgoingRecord): void
}
