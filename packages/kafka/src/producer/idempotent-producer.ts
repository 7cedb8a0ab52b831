import { assert, doneOr, StoppedError, toError } from '@tributary/support'
import { kafkaErrors } from '../api/errors.ts'
import type { Producer, ProducerOptions, ProducerTopic, TopicOptions } from '../api/producer.ts'
import { ProducerStats } from '../api/producer-stats.ts'
import type { OutgoingRecord } from '../api/records.ts'
import { Cluster, type ClusterContext } from '../cluster/cluster.ts'
import { TopicDirectory } from '../cluster/topic-directory.ts'
import { lookUpTopic } from '../cluster/topic-lookup.ts'
import { TopicRequests } from '../cluster/topic-requests.ts'
import { BufferPool } from '../protocol/buffer-pool.ts'
import type { ProducerState } from '../protocol/record-batch.ts'
import { FlushWaiter, type Batch } from './batch.ts'
import { BatchSealer } from './batch-sealer.ts'
import { Dispatcher } from './dispatcher.ts'
import { LIMIT_AGE_MS, offerLimit, topicLimits, updateLimits } from './topic-limits.ts'
import { Partition, type PartitionCompression, type TopicLimits } from './partition.ts'
import { PartitionQueue, type BatchAdmission } from './partition-queue.ts'
import { initProducerId } from './producer-id.ts'
import { KnownTopic } from './producer-topic.ts'
import { SendBuffer } from './send-buffer.ts'
import { SendWindow } from './send-window.ts'
import type { Transaction } from './transaction.ts'
import { TurnTime } from './turn-time.ts'

const BUFFER_BYTES_MAX = 32 * 2 ** 20
/** How long Java's producer waits for a missing topic (max.block.ms). */
const MISSING_TOPIC_WAIT_MS = 60_000
/** The part of the request timeout that the broker may wait for its replicas; the rest is for the response. */
const ACKNOWLEDGE_PART = 2 / 3
const DELIVERY_CHECKS = 20

/**
 * Starts a producer: requests its id, with retries while brokers are unreachable. `firstSequence` is for tests in which
 * sequence numbers wrap around.
 */
export async function startProducer(
  context: ClusterContext,
  options: ProducerOptions,
  signal?: AbortSignal,
  firstSequence = 0,
): Promise<Producer> {
  const requestTimeoutMs = options.requestTimeoutMs ?? context.login.requestTimeoutMs
  const cluster = new Cluster({ ...context, login: { ...context.login, requestTimeoutMs } })
  try {
    const state = await initProducerId(cluster, signal)
    return new IdempotentProducer(cluster, options, { state, firstSequence, transaction: null })
  } catch (thrown) {
    await cluster.close()
    throw thrown
  }
}

/**
 * The way of a record:
 *
 *     KnownTopic ─▶ Partition (open batch) ─▶ PartitionQueue ─▶ Dispatcher ─▶ ProduceLoop ─▶ leader
 *       appends       ▲ seals                      ▲                │ response  produces
 *                     └ BatchSealer                └────────────────┘ ▶ onDelivered
 *
 * Threads of control: callers append; each ProduceLoop produces; a response is processed in the event of the socket;
 * the loop of TopicDirectory refreshes leaders. One signal ends all of them.
 */
export class IdempotentProducer implements Producer {
  readonly stats: ProducerStats = new ProducerStats()
  readonly #cluster: Cluster
  readonly #requests: TopicRequests
  readonly #options: ProducerOptions
  readonly #state: ProducerState
  readonly #firstSequence: number
  readonly #stop = new AbortController()
  readonly #buffer: SendBuffer
  readonly #buffers: BufferPool
  readonly #directory: TopicDirectory
  readonly #dispatcher: Dispatcher
  readonly #sealer: BatchSealer
  readonly #window: SendWindow
  readonly #time: TurnTime
  readonly #transaction: Transaction | null
  readonly #topics = new Map<string, KnownTopic>()
  readonly #partitions: Partition[] = []
  /** Partitions with unacknowledged records. */
  readonly #busy = new Set<Partition>()
  readonly #flushes = new Set<FlushWaiter>()
  readonly #loops: Promise<void>[]
  #failure: Error | null = null
  #isClosed = false

  constructor(cluster: Cluster, options: ProducerOptions, { state, firstSequence, transaction }: ProducerIdentity) {
    this.#cluster = cluster
    this.#transaction = transaction
    this.#requests = new TopicRequests(cluster, true)
    this.#options = options
    this.#state = state
    this.#firstSequence = firstSequence
    const { clock, login } = cluster.context
    const bufferBytesMax = options.bufferBytesMax ?? BUFFER_BYTES_MAX
    this.#buffer = new SendBuffer(bufferBytesMax)
    this.#buffers = new BufferPool(bufferBytesMax)
    this.#time = new TurnTime(clock)
    this.#window = new SendWindow(options.sendWindow)
    const onFailure = (error: Error): void => this.#fail(error)
    this.#directory = new TopicDirectory({
      cluster,
      onRefresh: () => this.#onRefresh(),
      onFailure,
    })
    this.#dispatcher = new Dispatcher({
      cluster,
      directory: this.#directory,
      buffers: this.#buffers,
      stats: this.stats,
      acknowledgeTimeoutMs: Math.floor(login.requestTimeoutMs * ACKNOWLEDGE_PART),
      transactionalId: transaction?.id,
      signal: this.#stop.signal,
      onAcknowledged: (batch) => this.#onAcknowledged(batch),
      onIdle: (partition) => this.#onIdle(partition),
      onTooLarge: (partition, bytes) => this.#readLimits(partition.topic, bytes),
      onRefused: (partition, batch, error) => this.#onRefused(partition, batch, error),
      onFailure,
    })
    this.#sealer = new BatchSealer({
      clock,
      lingerMs: options.lingerMs ?? 0,
      onSealed: (partition) => this.#dispatcher.dispatch(partition),
    })
    this.#loops = [this.#directory.run(this.#stop.signal), this.#watchDelivery()]
  }

  get failure(): Error | null {
    return this.#failure
  }

  get isFull(): boolean {
    return this.#buffer.isFull
  }

  get moreFollows(): boolean {
    return this.#sealer.moreFollows
  }

  set moreFollows(moreFollows: boolean) {
    this.#sealer.moreFollows = moreFollows
  }

  get bufferedBytes(): number {
    return this.#buffer.bytes
  }

  get bufferBytesMax(): number {
    return this.#buffer.bytesMax
  }

  async topic(name: string, options: TopicOptions = {}): Promise<ProducerTopic> {
    this.#throwIfEnded()
    const known = this.#topics.get(name)
    if (known !== undefined) return known
    const { signal: callerSignal, missingTopicWaitMs = MISSING_TOPIC_WAIT_MS } = options
    const signal = callerSignal === undefined ? this.#stop.signal : AbortSignal.any([callerSignal, this.#stop.signal])
    try {
      const metadata = await lookUpTopic(this.#requests, name, { missingTopicWaitMs, signal })
      const messageBytes = await this.#requests.messageBytesMax(name, signal)
      const limits = topicLimits(this.#options, messageBytes, this.#options.refusedBytes?.[name])
      this.#directory.set(metadata)
      const { compression = this.#options.compression ?? 'auto' } = options
      return this.#addTopic({ name, partitionCount: metadata.partitions.length, limits, compression })
    } catch (thrown) {
      if (thrown instanceof StoppedError) this.#throwIfEnded()
      throw thrown
    }
  }

  knownTopic(name: string): ProducerTopic | null {
    return this.#topics.get(name) ?? null
  }

  ready(signal?: AbortSignal): Promise<void> {
    return this.#buffer.ready(signal)
  }

  async flush(signal?: AbortSignal): Promise<void> {
    this.#throwIfEnded()
    const waiter = new FlushWaiter()
    for (const partition of this.#partitions) {
      partition.seal()
      for (const batch of partition.queue.batches()) waiter.waitFor(batch)
      this.#dispatcher.dispatch(partition)
    }
    waiter.finishIfEmpty()
    this.#flushes.add(waiter)
    try {
      await doneOr(waiter.done, signal)
    } finally {
      this.#flushes.delete(waiter)
    }
  }

  moveWindow(start: number): void {
    this.#window.start = start
    if (!this.#window.hasHeldBack) return
    this.#window.hasHeldBack = false
    // Once for all acknowledgements of one response.
    queueMicrotask(() => this.dispatchWaiting())
  }

  /** Batches that were held back may be produced now. */
  dispatchWaiting(): void {
    for (const partition of this.#busy) if (partition.queue.hasWaiting) this.#dispatcher.dispatch(partition)
  }

  async close(): Promise<void> {
    if (!this.#isClosed) {
      this.#isClosed = true
      this.#end(kafkaErrors.PRODUCER_CLOSED({}))
    }
    await this.#cluster.close()
    await Promise.all(this.#loops)
    await this.#dispatcher.ended()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  #addTopic(found: FoundTopic): KnownTopic {
    const { name, partitionCount, limits } = found
    // Another caller may have looked it up at the same time.
    const known = this.#topics.get(name)
    if (known !== undefined) return known
    const topic: KnownTopic = new KnownTopic({
      name,
      partitionCount,
      limits,
      createPartition: (index) => this.#createPartition(found, index),
      append: (partition, record) => this.#append(partition, record),
      offer: (partition, record, signal) => this.#offer(topic, partition, record, signal),
    })
    this.#topics.set(name, topic)
    return topic
  }

  #createPartition({ name, limits, compression }: FoundTopic, index: number): Partition {
    const partition = new Partition({
      topic: name,
      index,
      compression,
      limits,
      pool: this.#buffers,
      queue: new PartitionQueue(this.#state, this.#firstSequence, this.#admission(name, index)),
      window: this.#window,
      onEncoded: (encoded) => this.#dispatcher.dispatch(encoded),
      onFailure: (error) => this.#fail(error),
    })
    this.#partitions.push(partition)
    return partition
  }

  #admission(topic: string, partition: number): BatchAdmission {
    return this.#transaction === null ? this.#window : this.#transaction.admission({ topic, partition })
  }

  /** Called for every record. */
  #append(partition: Partition, record: OutgoingRecord): void {
    if (this.#failure !== null || this.#isClosed) this.#throwIfEnded()
    const nowMs = this.#time.now()
    const { waitingCount } = partition.queue
    try {
      this.#buffer.bytes += partition.append(record, record.timestamp ?? nowMs, nowMs)
      if (!partition.isBusy) this.#onBusy(partition)
      if (partition.hasOpenBatch && !partition.isToBeSealed) this.#sealer.watch(partition)
    } finally {
      // Also when the record is too large: the partition has then sealed the batch before it.
      if (partition.queue.waitingCount > waitingCount) this.#dispatcher.dispatch(partition)
    }
  }

  /** See `ProducerTopic.offer`. */
  async #offer(topic: KnownTopic, partition: Partition, record: OutgoingRecord, signal?: AbortSignal): Promise<void> {
    const { limits } = topic
    const nowMs = this.#cluster.context.clock.now()
    try {
      if (!limits.isKnown || nowMs - limits.checkedAtMs >= LIMIT_AGE_MS) {
        const stop = signal === undefined ? this.#stop.signal : AbortSignal.any([signal, this.#stop.signal])
        updateLimits(limits, this.#options, await this.#requests.messageBytesMax(topic.name, stop))
        limits.checkedAtMs = nowMs
      }
      if (limits.isKnown) this.#append(partition, record)
      else {
        await this.#ask(partition, record, signal)
        // It was larger than that.
        limits.refusedBytes = Infinity
      }
    } catch (thrown) {
      if (thrown instanceof StoppedError) this.#throwIfEnded()
      throw thrown
    }
  }

  /** Sends the record as a batch of its own, and waits for the broker's answer. */
  async #ask(partition: Partition, record: OutgoingRecord, signal?: AbortSignal): Promise<void> {
    this.#throwIfEnded()
    const nowMs = this.#time.now()
    const waiter = new FlushWaiter()
    const limit = offerLimit(this.#options)
    try {
      const offered = { record, timestamp: record.timestamp ?? nowMs, nowMs, limit }
      this.#buffer.bytes += partition.offer(offered, waiter)
      if (!partition.isBusy) this.#onBusy(partition)
      this.#flushes.add(waiter)
    } finally {
      this.#dispatcher.dispatch(partition)
    }
    try {
      await doneOr(waiter.done, signal)
    } finally {
      this.#flushes.delete(waiter)
    }
  }

  /** Called when the broker has refused an offered batch: drops it, and rejects the call of `offer`. */
  #onRefused(partition: Partition, batch: Batch, error: Error): void {
    try {
      partition.queue.forget(batch)
    } catch (thrown) {
      return this.#fail(toError(thrown))
    }
    if (batch.encoded !== null) this.#buffers.release(batch.encoded.buffer)
    this.#buffer.release(batch.content.recordBytes)
    for (const waiter of batch.waiters) {
      if (waiter === batch.offer) waiter.fail(error)
      else waiter.release()
    }
    if (partition.queue.isEmpty) this.#onIdle(partition)
  }

  #onBusy(partition: Partition): void {
    partition.isBusy = true
    this.#busy.add(partition)
    this.#window.setPartitions(this.#busy.size)
  }

  /** All sealed batches of the partition are acknowledged. */
  #onIdle(partition: Partition): void {
    this.#sealer.onIdle(partition)
    if (partition.hasOpenBatch || !partition.queue.isEmpty) return
    partition.isBusy = false
    this.#busy.delete(partition)
    this.#window.setPartitions(this.#busy.size)
  }

  /** Reads the limit of a topic that was changed. */
  #readLimits(name: string, refusedBytes: number): void {
    this.#requests
      .messageBytesMax(name, this.#stop.signal)
      .then((bytes) => {
        const limits = this.#topics.get(name)?.limits
        if (limits === undefined) return
        limits.refusedBytes = Math.min(limits.refusedBytes, refusedBytes)
        updateLimits(limits, this.#options, bytes)
      })
      .catch((thrown: unknown) => this.#fail(toError(thrown)))
  }

  #onRefresh(): void {
    for (const topic of this.#topics.values()) {
      const count = this.#directory.get(topic.name)?.partitions.length ?? 0
      // Partitions are only ever added. Fewer of them mean that the topic was deleted and is being created again.
      if (count > topic.partitionCount) topic.partitionCount = count
    }
    this.#dispatcher.redispatch()
  }

  #onAcknowledged(batch: Batch): void {
    const { encoded, content } = batch
    assert(encoded !== null, 'an acknowledged batch was encoded')
    this.#buffers.release(encoded.buffer)
    this.#buffer.release(content.recordBytes)
    this.stats.onAcknowledged(
      {
        records: content.recordCount,
        plainBytes: content.recordBytes,
        batchBytes: encoded.length,
        createdAtMs: content.createdAtMs,
      },
      this.#cluster.context.clock.now(),
    )
    try {
      this.#options.onDelivered(content.tokens)
    } catch (thrown) {
      return this.#fail(toError(thrown))
    }
    for (const waiter of batch.waiters) waiter.release()
  }

  /** Ends the producer when a record is unacknowledged for longer than `deliveryTimeoutMs`. */
  async #watchDelivery(): Promise<void> {
    const { deliveryTimeoutMs = Infinity } = this.#options
    if (deliveryTimeoutMs >= UNLIMITED_MS) return
    const { clock } = this.#cluster.context
    try {
      for (;;) {
        await clock.sleep(deliveryTimeoutMs / DELIVERY_CHECKS, this.#stop.signal)
        const oldestAllowedMs = clock.now() - deliveryTimeoutMs
        for (const partition of this.#partitions) this.#checkDelivery(partition, oldestAllowedMs)
      }
    } catch (thrown) {
      if (!(thrown instanceof StoppedError)) this.#fail(toError(thrown))
    }
  }

  #checkDelivery(partition: Partition, oldestAllowedMs: number): void {
    const oldest = partition.queue.batches().next()
    if (oldest.done === true || oldest.value.content.createdAtMs >= oldestAllowedMs) return
    if (partition.queue.holdsBack(oldest.value)) return
    const { deliveryTimeoutMs = Infinity } = this.#options
    const { topic, index } = partition
    const records = oldest.value.content.recordCount
    const reason =
      oldest.value.attempts === 0 ? 'its broker is unreachable' : `the producer tried ${oldest.value.attempts} times`
    this.#fail(kafkaErrors.DELIVERY_TIMEOUT({ records, topic, partition: index, timeoutMs: deliveryTimeoutMs, reason }))
  }

  /** Ends the producer with an error. */
  fail(error: Error): void {
    this.#fail(error)
  }

  #fail(error: Error): void {
    if (this.#failure !== null || this.#isClosed) return
    this.#failure = error
    this.#end(error)
  }

  #end(error: Error): void {
    this.#stop.abort()
    this.#buffer.fail(error)
    for (const waiter of this.#flushes) waiter.fail(error)
  }

  #throwIfEnded(): void {
    if (this.#failure !== null) throw this.#failure
    if (this.#isClosed) throw kafkaErrors.PRODUCER_CLOSED({})
  }
}

/** Integer.MAX_VALUE, 24 days: Connect sets delivery.timeout.ms to it, meaning no limit. */
const UNLIMITED_MS = 2 ** 31 - 1

/** The producer id and epoch. */
export interface ProducerIdentity {
  readonly state: ProducerState
  /** 0 except in tests. */
  readonly firstSequence: number
  /** Null: its records belong to no transactions. */
  readonly transaction: Transaction | null
}

/** A topic that is looked up. */
interface FoundTopic {
  readonly name: string
  readonly partitionCount: number
  readonly limits: TopicLimits
  readonly compression: PartitionCompression
}
