import { BackOff, isRetriable, StoppedError, toError, type Clock, type Outage } from '@tributary/support'
import { kafkaErrors } from '../api/errors.ts'
import type { ProducerStats } from '../api/producer-stats.ts'
import type { BrokerPool } from '../cluster/broker-pool.ts'
import { Notifier } from '../cluster/notifier.ts'
import type { BrokerConnection } from '../network/broker-connection.ts'
import {
  PRODUCE_API_KEY,
  PRODUCE_VERSION,
  parseProduceResponse,
  produceRequest,
  type ProducedPartition,
  type ProduceTopicData,
} from '../protocol/produce.ts'
import { RECONNECT_PAUSES } from '../network/reconnect-pauses.ts'
import type { Batch } from './batch.ts'
import type { Partition } from './partition.ts'

/** A batch of a Produce request in flight. */
export interface ProducedBatch {
  readonly partition: Partition
  readonly batch: Batch
}

export interface ProduceLoopOptions {
  readonly nodeId: number
  readonly pool: Pick<BrokerPool, 'connectionTo'>
  readonly clock: Clock
  readonly stats: ProducerStats
  readonly outage: Outage
  /** Asked before each request; while it returns false the loop sends nothing, and drops requests in flight. */
  readonly mayWrite: () => boolean
  /** Ends the loop; later responses are ignored. */
  readonly signal: AbortSignal
  /** How long the broker may wait for the other replicas. */
  readonly acknowledgeTimeoutMs: number
  /** Set for a producer whose batches belong to transactions. */
  readonly transactionalId?: string | undefined
  /** The broker has responded, or the request failed with `error`. */
  readonly onResponse: (
    batches: readonly ProducedBatch[],
    error: Error | null,
    results: readonly ProducedPartition[],
  ) => void
  /** The broker is unreachable: leaders may have moved. */
  readonly onUnreachable: () => void
  /** An error that is not retriable (login rejected, broker too old). */
  readonly onFailure: (error: Error) => void
}

/**
 * As Java's max.in.flight.requests.per.connection. With one batch per partition in each, this limits partitions as
 * well.
 */
const REQUESTS_MAX = 5
/** A request of this size gets no more batches: a larger one only delays its first batch. */
const REQUEST_BYTES = 2 ** 20
/**
 * How often the loop asks whether it may write again. Also how often it asks while requests are in flight: their bytes
 * may still be in this machine's buffers, and must not leave it later.
 */
const MAY_WRITE_CHECK_MS = 200

/**
 * Produces the sealed batches of the partitions that one broker leads. One loop owns the connection. It takes
 * partitions from a list in turn: a request has one batch of each.
 */
export class ProduceLoop {
  readonly nodeId: number
  readonly #options: ProduceLoopOptions
  readonly #workArrived = new Notifier()
  readonly #backOff = new BackOff(RECONNECT_PAUSES)
  #ready: Partition[] = []
  #requestCount = 0
  /** The connection whose requests in flight a timer drops when the loop may no longer write; null: no timer runs. */
  #watched: BrokerConnection | null = null

  constructor(options: ProduceLoopOptions) {
    this.nodeId = options.nodeId
    this.#options = options
  }

  /** Adds a partition with a batch for this broker. */
  add(partition: Partition): void {
    if (!partition.isListed) {
      partition.isListed = true
      this.#ready.push(partition)
    }
    this.#workArrived.notify()
  }

  /** Removes and returns all partitions whose batches wait here. */
  removeAll(): readonly Partition[] {
    const removed = this.#ready
    this.#ready = []
    for (const partition of removed) partition.isListed = false
    return removed
  }

  /** The owner loop; ends when the signal fires, or after `onFailure`. */
  async run(): Promise<void> {
    const { signal, clock, mayWrite } = this.#options
    try {
      for (;;) {
        await this.#workArrived.wait({ signal })
        if (this.#ready.length === 0) continue
        if (!mayWrite()) {
          await clock.sleep(MAY_WRITE_CHECK_MS, signal)
          this.#workArrived.notify()
          continue
        }
        const connection = await this.#connect()
        if (connection !== null) this.#produceReady(connection)
      }
    } catch (thrown) {
      if (!(thrown instanceof StoppedError)) this.#options.onFailure(toError(thrown))
    }
  }

  /** The connection; null, after a pause, when the broker is unreachable. */
  async #connect(): Promise<BrokerConnection | null> {
    const { pool, clock, outage, signal, onUnreachable } = this.#options
    try {
      return await pool.connectionTo(this.nodeId, signal)
    } catch (thrown) {
      if (!isRetriable(thrown)) throw thrown
      outage.reportFailure(toError(thrown))
      onUnreachable()
      await clock.sleep(this.#backOff.next(), signal)
      this.#workArrived.notify()
      return null
    }
  }

  #produceReady(connection: BrokerConnection): void {
    // An expiring connection gets no new requests; its last response wakes the loop, which opens another one.
    if (connection.isExpiring && !connection.isIdle) return
    const { mayWrite } = this.#options
    while (this.#requestCount < REQUESTS_MAX && this.#ready.length > 0) {
      // The turn after an await may be late: the process was suspended, or the thread was busy.
      if (!mayWrite()) {
        this.#workArrived.notify()
        break
      }
      const batches = this.#takeBatches()
      if (batches.length > 0) this.#produce(connection, batches)
    }
    if (this.#requestCount > 0) this.#watch(connection)
  }

  #watch(connection: BrokerConnection): void {
    const isWatching = this.#watched !== null
    this.#watched = connection
    if (!isWatching) this.#checkLater()
  }

  #checkLater(): void {
    const { clock, mayWrite } = this.#options
    clock.after(MAY_WRITE_CHECK_MS, () => {
      const connection = this.#watched
      if (this.#requestCount > 0 && connection?.isOpen === true && mayWrite()) return this.#checkLater()
      this.#watched = null
      if (this.#requestCount > 0) connection?.drop(kafkaErrors.WRITES_SUSPENDED({ broker: connection.broker }))
    })
  }

  /** One batch of each partition that has one, up to the size of a request. */
  #takeBatches(): readonly ProducedBatch[] {
    const nowMs = this.#options.clock.now()
    const batches: ProducedBatch[] = []
    const remaining: Partition[] = []
    let bytes = 0
    for (const partition of this.removeAll()) {
      const { queue } = partition
      if (bytes < REQUEST_BYTES && queue.canProduce(nowMs)) {
        const batch = queue.take(nowMs)
        bytes += batch.encoded?.length ?? 0
        if (batch.attempts > 1) this.#options.stats.onRetry(batch.content.recordCount)
        batches.push({ partition, batch })
      }
      if (queue.canProduce(nowMs)) {
        partition.isListed = true
        remaining.push(partition)
      }
    }
    this.#ready = remaining
    return batches
  }

  #produce(connection: BrokerConnection, batches: readonly ProducedBatch[]): void {
    const { acknowledgeTimeoutMs, transactionalId, onResponse, onUnreachable, outage, signal, stats, clock, mayWrite } =
      this.#options
    const body = produceRequest({ topics: topicData(batches), timeoutMs: acknowledgeTimeoutMs, transactionalId })
    // Asked again at the last moment: on a busy machine the thread may have been suspended since.
    const parts = { body, parse: parseProduceResponse, maySend: mayWrite }
    const request = { apiKey: PRODUCE_API_KEY, apiVersion: PRODUCE_VERSION, ...parts }
    this.#requestCount += 1
    const sentAtMs = clock.now()
    stats.onRequest(bytesOf(batches), sentAtMs)
    connection.sendFramed(request, (error, results) => {
      this.#requestCount -= 1
      stats.onAnswer(sentAtMs, clock.now())
      if (signal.aborted) return
      if (error === null) {
        outage.reportSuccess()
        this.#backOff.reset()
      } else if (isRetriable(error)) {
        outage.reportFailure(error)
        onUnreachable()
      }
      onResponse(batches, error, results ?? [])
      this.#workArrived.notify()
    })
  }
}

function bytesOf(batches: readonly ProducedBatch[]): number {
  return batches.reduce((sum, { batch }) => sum + (batch.encoded?.length ?? 0), 0)
}

function topicData(batches: readonly ProducedBatch[]): readonly ProduceTopicData[] {
  const byTopic = new Map<string, { readonly partition: number; readonly batch: Buffer }[]>()
  for (const { partition, batch } of batches) {
    const partitions = byTopic.get(partition.topic) ?? []
    if (partitions.length === 0) byTopic.set(partition.topic, partitions)
    partitions.push({ partition: partition.index, batch: batch.bytes })
  }
  return Array.from(byTopic, ([topic, partitions]) => ({ topic, partitions }))
}
