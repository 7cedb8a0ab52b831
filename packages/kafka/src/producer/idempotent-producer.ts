import { assert, doneOr, StoppedError, toError } from '@tributary/support'
import { kafkaErrors } from '../api/errors.ts'
import type { Producer, ProducerOptions, ProducerTopic } from '../api/producer.ts'
import type { OutgoingRecord } from '../api/records.ts'
import { Cluster, type ClusterContext } from '../cluster/cluster.ts'
import { TopicDirectory } from '../cluster/topic-directory.ts'
import { lookUpTopic, messageBytesMax } from '../cluster/topic-lookup.ts'
import { TopicQuestions } from '../cluster/topic-questions.ts'
import { BufferPool } from '../protocol/buffer-pool.ts'
import type { ProducerState } from '../protocol/record-batch.ts'
import { FlushWaiter, type Batch } from './batch.ts'
import { BatchSealer } from './batch-sealer.ts'
import { Dispatcher } from './dispatcher.ts'
import { Partition, type TopicLimits } from './partition.ts'
import { PartitionQueue } from './partition-queue.ts'
import { initProducerId } from './producer-id.ts'
import { KnownTopic } from './producer-topic.ts'
import { SendBuffer } from './send-buffer.ts'
import { SendWindow } from './send-window.ts'
import { TurnTime } from './turn-time.ts'

const BUFFER_BYTES_MAX = 32 * 2 ** 20
const BATCH_BYTES_MAX = 4 * 2 ** 20
/** As long as Java's producer blocks for a topic (max.block.ms). */
const MISSING_TOPIC_WAIT_MS = 60_000
/** The rest of the request timeout is left for the answer to come back. */
const ACKNOWLEDGE_PART = 2 / 3
const DELIVERY_CHECKS = 20

/** Starts a producer: asks for its id, waiting while brokers are away. `firstSequence` is for tests of the wrap. */
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
    return new IdempotentProducer(cluster, options, state, firstSequence)
  } catch (thrown) {
    await cluster.close()
    throw thrown
  }
}

/**
 * The way of a record:
 *
 *     KnownTopic ─▶ Partition (open batch) ─▶ PartitionQueue ─▶ Dispatcher ─▶ BrokerSender ─▶ leader
 *                     ▲ BatchSealer                ▲                 │ answers
 *                     └ when it is sent unfilled   └─────────────────┘ ▶ onDelivered
 *
 * Threads of control: callers append; the loop of each BrokerSender sends; answers come from the event of a socket and
 * are worked off there; the loop of TopicDirectory keeps leaders fresh. All end by one signal.
 */
class IdempotentProducer implements Producer {
  readonly #cluster: Cluster
  readonly #questions: TopicQuestions
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
  readonly #topics = new Map<string, KnownTopic>()
  readonly #partitions: Partition[] = []
  /** Those with records that are not acknowledged. */
  readonly #busy = new Set<Partition>()
  readonly #flushes = new Set<FlushWaiter>()
  readonly #loops: Promise<void>[]
  #failure: Error | null = null
  #isClosed = false

  constructor(cluster: Cluster, options: ProducerOptions, state: ProducerState, firstSequence: number) {
    this.#cluster = cluster
    this.#questions = new TopicQuestions(cluster, true)
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
      acknowledgeTimeoutMs: Math.floor(login.requestTimeoutMs * ACKNOWLEDGE_PART),
      signal: this.#stop.signal,
      onAcknowledged: (batch) => this.#onAcknowledged(batch),
      onIdle: (partition) => this.#onIdle(partition),
      onTooLarge: (partition) => this.#learnLimits(partition.topic),
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

  async topic(
    name: string,
    options: { readonly signal?: AbortSignal; readonly missingTopicWaitMs?: number } = {},
  ): Promise<ProducerTopic> {
    this.#throwIfEnded()
    const known = this.#topics.get(name)
    if (known !== undefined) return known
    const { signal: callers, missingTopicWaitMs = MISSING_TOPIC_WAIT_MS } = options
    const signal = callers === undefined ? this.#stop.signal : AbortSignal.any([callers, this.#stop.signal])
    try {
      const metadata = await lookUpTopic(this.#questions, name, { missingTopicWaitMs, signal })
      const limits = this.#limits(await messageBytesMax(this.#questions, name, signal))
      this.#directory.set(metadata)
      return this.#know(name, metadata.partitions.length, limits)
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
    // Once for all that one answer acknowledges.
    queueMicrotask(() => {
      for (const partition of this.#busy) if (partition.queue.hasWaiting) this.#dispatcher.dispatch(partition)
    })
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

  #know(name: string, partitionCount: number, limits: TopicLimits): KnownTopic {
    // Two callers may have asked at the same time.
    const known = this.#topics.get(name)
    if (known !== undefined) return known
    const topic = new KnownTopic({
      name,
      partitionCount,
      limits,
      createPartition: (index) => this.#createPartition(name, index, limits),
      append: (partition, record) => this.#append(partition, record),
    })
    this.#topics.set(name, topic)
    return topic
  }

  #createPartition(topic: string, index: number, limits: TopicLimits): Partition {
    const partition = new Partition({
      topic,
      index,
      compression: this.#options.compression ?? 'auto',
      limits,
      pool: this.#buffers,
      queue: new PartitionQueue(this.#state, this.#firstSequence, this.#window),
      window: this.#window,
      onEncoded: (encoded) => this.#dispatcher.dispatch(encoded),
      onFailure: (error) => this.#fail(error),
    })
    this.#partitions.push(partition)
    return partition
  }

  /** Runs for every record. */
  #append(partition: Partition, record: OutgoingRecord): void {
    if (this.#failure !== null || this.#isClosed) this.#throwIfEnded()
    const nowMs = this.#time.now()
    const { waitingCount } = partition.queue
    try {
      this.#buffer.bytes += partition.append(record, record.timestamp ?? nowMs, nowMs)
      if (!partition.isBusy) this.#onBusy(partition)
      if (partition.hasOpenBatch && !partition.isToBeSealed) this.#sealer.watch(partition)
    } finally {
      // Also when the record is too large: the batch before it was sealed for it.
      if (partition.queue.waitingCount > waitingCount) this.#dispatcher.dispatch(partition)
    }
  }

  #onBusy(partition: Partition): void {
    partition.isBusy = true
    this.#busy.add(partition)
    this.#window.setPartitions(this.#busy.size)
  }

  /** Everything that was sealed is acknowledged. */
  #onIdle(partition: Partition): void {
    this.#sealer.onIdle(partition)
    if (partition.hasOpenBatch || !partition.queue.isEmpty) return
    partition.isBusy = false
    this.#busy.delete(partition)
    this.#window.setPartitions(this.#busy.size)
  }

  #limits(messageBytes: number): TopicLimits {
    const { batchBytesMax = BATCH_BYTES_MAX, requestBytesMax = Infinity } = this.#options
    const isTopicsLimit = messageBytes <= requestBytesMax
    return {
      batchBytesMax,
      wireBytesMax: Math.min(messageBytes, requestBytesMax),
      limitName: isTopicsLimit ? 'max.message.bytes of the topic' : 'max.request.size of the producer',
    }
  }

  /** Somebody has changed what the topic takes. */
  #learnLimits(name: string): void {
    messageBytesMax(this.#questions, name, this.#stop.signal)
      .then((bytes) => Object.assign(this.#topics.get(name)?.limits ?? {}, this.#limits(bytes)))
      .catch((thrown: unknown) => this.#fail(toError(thrown)))
  }

  #onRefresh(): void {
    for (const topic of this.#topics.values()) {
      const count = this.#directory.get(topic.name)?.partitions.length ?? 0
      // Partitions are only ever added; fewer of them are another topic of the same name, seen half way.
      if (count > topic.partitionCount) topic.partitionCount = count
    }
    this.#dispatcher.redispatch()
  }

  #onAcknowledged(batch: Batch): void {
    const { encoded, content } = batch
    assert(encoded !== null, 'an acknowledged batch was encoded')
    this.#buffers.give(encoded.buffer)
    this.#buffer.release(content.recordBytes)
    try {
      this.#options.onDelivered(content.tokens)
    } catch (thrown) {
      return this.#fail(toError(thrown))
    }
    for (const waiter of batch.waiters) waiter.release()
  }

  /** Ends the producer when a record waits for longer than the caller allows. */
  async #watchDelivery(): Promise<void> {
    const { deliveryTimeoutMs = Infinity } = this.#options
    if (deliveryTimeoutMs >= FOR_EVER_MS) return
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
    // It waits for the caller, not for the brokers.
    if (!this.#window.contains(oldest.value.firstToken)) return
    const { deliveryTimeoutMs = Infinity } = this.#options
    const { topic, index } = partition
    const records = oldest.value.content.recordCount
    const reason = oldest.value.attempts === 0 ? 'its broker cannot be reached' : `sent ${oldest.value.attempts} times`
    this.#fail(kafkaErrors.DELIVERY_TIMEOUT({ records, topic, partition: index, timeoutMs: deliveryTimeoutMs, reason }))
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

/** Integer.MAX_VALUE, as Connect sets delivery.timeout.ms: 24 days, meant as for ever. */
const FOR_EVER_MS = 2 ** 31 - 1
