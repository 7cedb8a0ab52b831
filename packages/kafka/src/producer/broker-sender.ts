import { BackOff, isRetriable, StoppedError, toError, type Clock, type Outage } from '@tributary/support'
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
import type { Batch } from './batch.ts'
import type { Partition } from './partition.ts'

/** A batch on its way to the leader of its partition. */
export interface Shipment {
  readonly partition: Partition
  readonly batch: Batch
}

export interface BrokerSenderOptions {
  readonly nodeId: number
  readonly pool: BrokerPool
  readonly clock: Clock
  readonly outage: Outage
  /** Ends the loop; answers that come later are nobody's. */
  readonly signal: AbortSignal
  /** How long the broker may wait for its replicas. */
  readonly acknowledgeTimeoutMs: number
  /** The broker has answered, or `error` says why it has not. */
  readonly onAnswer: (shipments: readonly Shipment[], error: Error | null, answer: readonly ProducedPartition[]) => void
  /** The broker cannot be reached: leaders may have moved. */
  readonly onUnreachable: () => void
  /** It will never work (login refused, …). */
  readonly onFailure: (error: Error) => void
}

/** As Java's max.in.flight.requests.per.connection: with one batch a partition in each, no partition has more under way. */
const REQUESTS_MAX = 5
/** A request takes no more batches when it holds so much: larger ones only make the first batch in them wait. */
const REQUEST_BYTES = 2 ** 20
const RECONNECT_PAUSES = { initialMs: 50, maxMs: 5000 } as const

/**
 * Sends what the partitions that one broker leads have ready. One loop owns the connection; partitions are put into its
 * list and taken from it in turn, one batch of each in a request.
 */
export class BrokerSender {
  readonly nodeId: number
  readonly #options: BrokerSenderOptions
  readonly #work = new Notifier()
  readonly #backOff = new BackOff(RECONNECT_PAUSES)
  #ready: Partition[] = []
  #requestCount = 0

  constructor(options: BrokerSenderOptions) {
    this.nodeId = options.nodeId
    this.#options = options
  }

  /** A partition has a batch for this broker. */
  offer(partition: Partition): void {
    if (!partition.isListed) {
      partition.isListed = true
      this.#ready.push(partition)
    }
    this.#work.notify()
  }

  /** Takes all partitions back that wait here. */
  withdraw(): readonly Partition[] {
    const withdrawn = this.#ready
    this.#ready = []
    for (const partition of withdrawn) partition.isListed = false
    return withdrawn
  }

  /** The owner loop; ends by the signal, or with `onFailure`. */
  async run(): Promise<void> {
    const { signal } = this.#options
    try {
      for (;;) {
        await this.#work.wait({ signal })
        if (this.#ready.length === 0) continue
        const connection = await this.#connect()
        if (connection !== null) this.#sendReady(connection)
      }
    } catch (thrown) {
      if (!(thrown instanceof StoppedError)) this.#options.onFailure(toError(thrown))
    }
  }

  /** The connection; null when it cannot be had now, after a pause. */
  async #connect(): Promise<BrokerConnection | null> {
    const { pool, clock, outage, signal, onUnreachable } = this.#options
    try {
      return await pool.connectionTo(this.nodeId, signal)
    } catch (thrown) {
      if (!isRetriable(thrown)) throw thrown
      outage.begin(toError(thrown))
      onUnreachable()
      await clock.sleep(this.#backOff.next(), signal)
      this.#work.notify()
      return null
    }
  }

  #sendReady(connection: BrokerConnection): void {
    // A connection whose login has run out gets nothing new; with its last answer the loop wakes and opens another.
    if (connection.isWornOut && !connection.isIdle) return
    while (this.#requestCount < REQUESTS_MAX && this.#ready.length > 0) {
      const shipments = this.#gather()
      if (shipments.length > 0) this.#send(connection, shipments)
    }
  }

  /** One batch of each partition that has one, up to the size of a request. */
  #gather(): readonly Shipment[] {
    const nowMs = this.#options.clock.now()
    const shipments: Shipment[] = []
    const remaining: Partition[] = []
    let bytes = 0
    for (const partition of this.withdraw()) {
      const { queue } = partition
      if (bytes < REQUEST_BYTES && queue.canSend(nowMs)) {
        const batch = queue.take(nowMs)
        bytes += batch.encoded?.length ?? 0
        shipments.push({ partition, batch })
      }
      if (queue.canSend(nowMs)) {
        partition.isListed = true
        remaining.push(partition)
      }
    }
    this.#ready = remaining
    return shipments
  }

  #send(connection: BrokerConnection, shipments: readonly Shipment[]): void {
    const { acknowledgeTimeoutMs, onAnswer, onUnreachable, outage, signal } = this.#options
    const body = produceRequest({ topics: topicData(shipments), timeoutMs: acknowledgeTimeoutMs })
    const request = { apiKey: PRODUCE_API_KEY, apiVersion: PRODUCE_VERSION, body, parse: parseProduceResponse }
    this.#requestCount += 1
    connection.sendFramed(request, (error, answer) => {
      this.#requestCount -= 1
      if (signal.aborted) return
      if (error === null) {
        outage.end()
        this.#backOff.reset()
      } else if (isRetriable(error)) {
        outage.begin(error)
        onUnreachable()
      }
      onAnswer(shipments, error, answer ?? [])
      this.#work.notify()
    })
  }
}

function topicData(shipments: readonly Shipment[]): readonly ProduceTopicData[] {
  const byTopic = new Map<string, { readonly partition: number; readonly batch: Buffer }[]>()
  for (const { partition, batch } of shipments) {
    const partitions = byTopic.get(partition.topic) ?? []
    if (partitions.length === 0) byTopic.set(partition.topic, partitions)
    partitions.push({ partition: partition.index, batch: batch.bytes })
  }
  return Array.from(byTopic, ([topic, partitions]) => ({ topic, partitions }))
}
