import { toError } from '@tributary/support'
import type { Compression } from '../api/producer.ts'
import type { OutgoingRecord } from '../api/records.ts'
import { recordTooLarge } from '../api/record-too-large.ts'
import {
  partBytes,
  RECORD_LENGTH_BYTES_MAX,
  recordBodyBytes,
  type BatchBuilder,
  type EncodedBatch,
} from '../protocol/batch-builder.ts'
import type { BufferPool } from '../protocol/buffer-pool.ts'
import { compressBatch, compressBatchNow } from '../protocol/compression.ts'
import { PlainBatchBuilder } from '../protocol/plain-batch-builder.ts'
import { BATCH_HEADER_BYTES } from '../protocol/record-batch.ts'
import { PrefixBatchBuilder } from '../protocol/prefix-batch-builder.ts'
import { Batch, type FlushWaiter } from './batch.ts'
import type { PartitionQueue } from './partition-queue.ts'
import type { SendWindow } from './send-window.ts'

/** Limits of a topic's batches. They may change while the producer is running. */
export interface TopicLimits {
  readonly batchBytesMax: number
  /** The smaller of max.message.bytes of the topic and `ProducerOptions.requestBytesMax`. */
  wireBytesMax: number
  /** The setting that `wireBytesMax` is from, for errors. */
  limitName: string
  /**
   * False: the topic's limit could not be read, or its broker has refused a smaller batch. So the limit is a guess, and
   * only the broker can decide.
   */
  isKnown: boolean
  /** The size of the smallest batch that a broker has refused; Infinity: none. */
  refusedBytes: number
  /** When the limit was last read because a record did not fit. */
  checkedAtMs: number
}

/** The limit of one batch. */
export type BatchLimit = Pick<TopicLimits, 'wireBytesMax' | 'limitName'>

/** A record that may be too large. */
export interface OfferedRecord {
  readonly record: OutgoingRecord
  readonly timestamp: number
  readonly nowMs: number
  readonly limit: BatchLimit
}

/** `auto`: LZ4 for records with prefixes, where it saves time, and none for others (docs/adr/0004-compression.md). */
export type PartitionCompression = Compression | 'auto'

export interface PartitionOptions {
  readonly topic: string
  readonly index: number
  readonly compression: PartitionCompression
  readonly limits: TopicLimits
  readonly pool: BufferPool
  readonly queue: PartitionQueue
  readonly window: SendWindow
  /** The asynchronous compression of a batch is done. */
  readonly onEncoded: (partition: Partition) => void
  /** The compression of a batch failed. */
  readonly onFailure: (error: Error) => void
}

/** The expected size of the first batch of a partition. */
const FIRST_BATCH_BYTES = 16_384

/**
 * One partition of a topic: the open batch, to which records are appended, and the queue of sealed ones.
 */
export class Partition {
  readonly topic: string
  readonly index: number
  readonly queue: PartitionQueue
  readonly #options: PartitionOptions
  #builder: BatchBuilder | null = null
  #tokens: number[] = []
  /** The token of the first record of the open batch. */
  #firstToken = 0
  #openedAtMs = 0
  #expectedBytes = FIRST_BATCH_BYTES
  /** Number of batches sealed so far. */
  sealedCount = 0
  /** The node of the batches in flight. */
  node = -1
  /** Whether a ProduceLoop has it in its list. */
  isListed = false
  /** Whether it has unacknowledged records. */
  isBusy = false
  /** Whether the BatchSealer watches its open batch. */
  isToBeSealed = false

  constructor(options: PartitionOptions) {
    this.topic = options.topic
    this.index = options.index
    this.queue = options.queue
    this.#options = options
  }

  get hasOpenBatch(): boolean {
    return this.#builder !== null
  }

  /** When the first record of the open batch was appended. */
  get openedAtMs(): number {
    return this.#openedAtMs
  }

  /**
   * Appends a record to the open batch, which is sealed first when it is full. Returns the bytes that the record adds.
   * Throws RECORD_TOO_LARGE, after which the partition is unchanged except for the sealed batch.
   */
  append(record: OutgoingRecord, timestamp: number, nowMs: number): number {
    const open = this.#builder
    if (open !== null) {
      const bytesBefore = open.recordBytes
      if (this.#options.window.spans(this.#firstToken, record.token) && open.append(record, timestamp)) {
        this.#tokens.push(record.token)
        return open.recordBytes - bytesBefore
      }
      this.seal()
    }
    const bytesMax = BATCH_HEADER_BYTES + RECORD_LENGTH_BYTES_MAX + recordBodyBytes(record, 0, 0)
    if (bytesMax > this.#options.limits.wireBytesMax) {
      const batch = this.#alone(record, timestamp, nowMs, this.#options.limits)
      this.queue.enqueue(batch)
      return batch.content.recordBytes
    }
    const builder = this.#open(record)
    builder.append(record, timestamp)
    this.#builder = builder
    this.#openedAtMs = nowMs
    this.#tokens.push(record.token)
    this.#firstToken = record.token
    return builder.recordBytes
  }

  /**
   * Appends a record as a batch of its own, about which the waiter learns whether the broker accepts it. Returns the
   * bytes that the record adds. Throws RECORD_TOO_LARGE as `append` does, with that limit.
   */
  offer(offered: OfferedRecord, waiter: FlushWaiter): number {
    const { record, timestamp, nowMs, limit } = offered
    this.seal()
    const batch = this.#alone(record, timestamp, nowMs, limit)
    batch.offer = waiter
    waiter.waitFor(batch)
    this.queue.enqueue(batch)
    return batch.content.recordBytes
  }

  /** Moves the open batch, if there is one, into the queue. */
  seal(): void {
    const builder = this.#builder
    if (builder === null) return
    this.#builder = null
    this.sealedCount += 1
    const batch = new Batch({
      recordCount: builder.recordCount,
      recordBytes: builder.recordBytes,
      maxTimestamp: builder.maxTimestamp,
      tokens: this.#tokens,
      createdAtMs: this.#openedAtMs,
    })
    this.#tokens = []
    this.queue.enqueue(batch)
    const finished = builder.finish()
    this.#expectedBytes = finished.length
    if (this.#options.compression === 'auto') batch.encoded = finished
    else this.encode(batch, finished)
  }

  /** Compresses a sealed batch if the topic has a codec. The batch is produced after that. */
  encode(batch: Batch, plain: EncodedBatch): void {
    const { pool, onEncoded, onFailure } = this.#options
    const codec = this.#codec
    if (codec === 'none') {
      batch.encoded = plain
      return
    }
    const encoded = compressBatch(plain, codec, pool)
    if (!(encoded instanceof Promise)) {
      batch.encoded = encoded
      return
    }
    encoded
      .then((done) => {
        batch.encoded = done
        onEncoded(this)
      })
      .catch((thrown: unknown) => onFailure(toError(thrown)))
  }

  get #codec(): Compression {
    const { compression } = this.#options
    return compression === 'auto' ? 'lz4' : compression
  }

  #open(record: OutgoingRecord): BatchBuilder {
    const { compression, limits, pool } = this.#options
    const hasPrefix = compression === 'auto' && PrefixBatchBuilder.suits(record, limits)
    const Builder = hasPrefix ? PrefixBatchBuilder : PlainBatchBuilder
    return new Builder(pool, limits, this.#expectedBytes)
  }

  /**
   * A batch of a record that fits only when compressed as a batch of its own; compresses it at once, so that the caller
   * gets the error.
   */
  #alone(record: OutgoingRecord, timestamp: number, nowMs: number, limit: BatchLimit): Batch {
    const { limits, pool } = this.#options
    const codec = this.#codec
    const builder = new PlainBatchBuilder(pool, limits, 1)
    builder.append(record, timestamp)
    const { recordBytes } = builder
    const plain = builder.finish()
    const encoded = codec === 'none' ? plain : compressBatchNow(plain, codec, pool)
    if (encoded.length > limit.wireBytesMax) {
      pool.release(encoded.buffer)
      throw recordTooLarge({
        topic: this.topic,
        keyBytes: record.key === null ? 0 : partBytes(record.key),
        valueBytes: record.value === null ? 0 : partBytes(record.value),
        bytes: encoded.length,
        limitName: limit.limitName,
        limit: limit.wireBytesMax,
      })
    }
    const tokens = [record.token]
    const batch = new Batch({ recordCount: 1, recordBytes, maxTimestamp: timestamp, tokens, createdAtMs: nowMs })
    batch.encoded = encoded
    return batch
  }
}
