import { BackOff, isRetriable, Outage, unreachable } from '@tributary/support'
import { kafkaErrors } from '../api/errors.ts'
import type { Cluster } from '../cluster/cluster.ts'
import type { TopicDirectory } from '../cluster/topic-directory.ts'
import { ErrorCode, errorName, isAuthorizationFailure } from '../protocol/broker-error.ts'
import type { BufferPool } from '../protocol/buffer-pool.ts'
import type { ProducedPartition } from '../protocol/produce.ts'
import type { Batch } from './batch.ts'
import { BrokerSender, type Shipment } from './broker-sender.ts'
import { PartitionOutages } from './partition-outages.ts'
import type { Partition } from './partition.ts'
import type { Settlement } from './partition-queue.ts'
import { produceOutcome } from './produce-outcome.ts'
import { recordsOf, splitBatch } from './split-batch.ts'

export interface DispatcherOptions {
  readonly cluster: Cluster
  readonly directory: TopicDirectory
  readonly buffers: BufferPool
  readonly acknowledgeTimeoutMs: number
  readonly signal: AbortSignal
  readonly onAcknowledged: (batch: Batch) => void
  /** Everything of the partition is acknowledged. */
  readonly onIdle: (partition: Partition) => void
  /** The topic takes less than it said. */
  readonly onTooLarge: (partition: Partition) => void
  readonly onFailure: (error: Error) => void
}

/** Pauses of one partition between failures. */
const RESEND_PAUSES = { initialMs: 20, maxMs: 2000 } as const

/**
 * Between partitions and brokers: brings each partition with a batch to the sender of its leader, and turns what the
 * brokers answer into what its queue does next.
 */
export class Dispatcher {
  readonly #options: DispatcherOptions
  readonly #senders = new Map<number, BrokerSender>()
  readonly #running: Promise<void>[] = []
  readonly #leaderless = new Set<Partition>()
  readonly #outages: PartitionOutages
  readonly #backOffs = new Map<Partition, BackOff>()

  constructor(options: DispatcherOptions) {
    this.#options = options
    const { logger, clock } = options.cluster.context
    this.#outages = new PartitionOutages(logger, clock)
  }

  /** Sends what the partition may send now, if anything. */
  dispatch(partition: Partition): void {
    const { directory, cluster } = this.#options
    if (partition.isListed || !partition.queue.canSend(cluster.context.clock.now())) return
    const leader = directory.leaderOf(partition.topic, partition.index)
    if (leader < 0) {
      this.#leaderless.add(partition)
      this.#outages.begin(partition, 'LEADER_NOT_AVAILABLE')
      directory.requestRefresh(partition.topic)
      return
    }
    // The old leader must have answered before the new one hears of the partition: else order hangs on who is faster.
    if (partition.queue.inFlightCount > 0 && partition.node !== leader) return
    partition.node = leader
    this.#senderTo(leader).offer(partition)
  }

  /** Leaders may have moved: each partition that waits for one goes to the leader of now. */
  redispatch(): void {
    const waiting = [...this.#leaderless]
    this.#leaderless.clear()
    for (const sender of this.#senders.values()) waiting.push(...sender.withdraw())
    for (const partition of waiting) this.dispatch(partition)
  }

  /** Resolves when the loops of all senders have ended, after the signal. */
  async ended(): Promise<void> {
    await Promise.all(this.#running)
  }

  #senderTo(nodeId: number): BrokerSender {
    const known = this.#senders.get(nodeId)
    if (known !== undefined) return known
    const { cluster, directory, acknowledgeTimeoutMs, signal, onFailure } = this.#options
    const { logger, clock } = cluster.context
    const sender = new BrokerSender({
      nodeId,
      pool: cluster.pool,
      clock,
      outage: new Outage(logger, clock, `writing to broker ${cluster.pool.describe(nodeId)}`),
      signal,
      acknowledgeTimeoutMs,
      onAnswer: (shipments, error, answer) => this.#onAnswer(shipments, error, answer),
      onUnreachable: () => directory.requestRefresh(),
      onFailure,
    })
    this.#senders.set(nodeId, sender)
    this.#running.push(sender.run())
    return sender
  }

  #onAnswer(shipments: readonly Shipment[], error: Error | null, answer: readonly ProducedPartition[]): void {
    if (error !== null && !isRetriable(error)) return this.#options.onFailure(error)
    const results = new Map(answer.map((result) => [`${result.topic}-${result.partition}`, result]))
    for (const shipment of shipments) {
      const { partition, batch } = shipment
      const result = results.get(`${partition.topic}-${partition.index}`)
      if (result === undefined) partition.queue.fail(batch, 'inDoubt')
      else this.#onResult(shipment, result)
    }
    for (const { partition } of shipments) this.#goOn(partition)
  }

  #onResult({ partition, batch }: Shipment, result: ProducedPartition): void {
    const { cluster, directory, onAcknowledged, onFailure } = this.#options
    if (result.errorCode === ErrorCode.CORRUPT_MESSAGE) batch.corruptions += 1
    const outcome = produceOutcome(result.errorCode, batch.corruptions)
    switch (outcome) {
      case 'written':
        partition.queue.acknowledge(batch, cluster.context.clock.now())
        this.#backOffs.delete(partition)
        this.#outages.end(partition)
        return onAcknowledged(batch)
      case 'refused':
        return onFailure(refusal(partition, result))
      case 'inDoubt':
        directory.requestRefresh(partition.topic)
        this.#outages.begin(partition, errorName(result.errorCode))
        break
      case 'notWritten':
        this.#outages.begin(partition, errorName(result.errorCode))
        break
      case 'sequence':
      case 'tooLarge':
        break
    }
    partition.queue.fail(batch, outcome)
  }

  #goOn(partition: Partition): void {
    const settlement = partition.queue.settle()
    if (settlement !== null) this.#recover(partition, settlement)
    else if (partition.queue.isEmpty) this.#options.onIdle(partition)
    this.dispatch(partition)
  }

  #recover(partition: Partition, settlement: Settlement): void {
    const { cluster, onFailure } = this.#options
    const { logger } = cluster.context
    const where = `${partition.topic}-${partition.index}`
    switch (settlement.tag) {
      case 'resend':
        return this.#pause(partition)
      case 'epochBumped':
        logger.error(
          `${where}: the broker has lost or overrun the sequence numbers of this producer; it goes on under epoch ${partition.queue.epoch}. ` +
            'Records that were acknowledged may be lost there (unclean leader election, broken disk): look at the log of the brokers.',
        )
        return this.#pause(partition)
      case 'split':
        return this.#split(partition, settlement.batch)
      case 'sequenceLost': {
        const records = settlement.batch.content.recordCount
        const lost = {
          error: 'OUT_OF_ORDER_SEQUENCE_NUMBER',
          topic: partition.topic,
          partition: partition.index,
          records,
        }
        return onFailure(kafkaErrors.SEQUENCE_LOST(lost))
      }
      default:
        return unreachable(settlement)
    }
  }

  #pause(partition: Partition): void {
    const { clock } = this.#options.cluster.context
    const backOff = this.#backOffs.get(partition) ?? new BackOff(RESEND_PAUSES)
    this.#backOffs.set(partition, backOff)
    partition.queue.isPaused = true
    clock.after(backOff.next(), () => {
      partition.queue.isPaused = false
      this.dispatch(partition)
    })
  }

  #split(partition: Partition, batch: Batch): void {
    const { buffers, onTooLarge, onFailure, cluster } = this.#options
    if (batch.content.recordCount === 1) {
      const [record] = recordsOf(batch)
      return onFailure(
        kafkaErrors.RECORD_TOO_LARGE({
          topic: partition.topic,
          keyBytes: record?.key?.length ?? 0,
          valueBytes: record?.value?.length ?? 0,
          bytes: batch.bytes.length,
          limitName: 'max.message.bytes of the topic',
          limit: 'less',
        }),
      )
    }
    cluster.context.logger.warn(
      `${partition.topic}-${partition.index} takes no batch of ${batch.bytes.length} bytes; it is halved`,
    )
    onTooLarge(partition)
    const parts = splitBatch(batch, buffers)
    partition.queue.putFirst(parts.map((part) => part.batch))
    for (const part of parts) partition.encode(part.batch, part.plain)
  }
}

function refusal(partition: Partition, result: ProducedPartition): Error {
  const error = errorName(result.errorCode)
  const where = { topic: partition.topic, partition: partition.index }
  if (isAuthorizationFailure(result.errorCode)) {
    return kafkaErrors.NOT_AUTHORIZED({ request: 'WRITE', subject: `topic ${partition.topic}`, error })
  }
  return kafkaErrors.RECORD_REFUSED({ ...where, error, reason: result.errorMessage ?? 'no more is said' })
}
