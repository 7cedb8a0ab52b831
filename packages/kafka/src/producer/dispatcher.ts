import { BackOff, isRetriable, Outage, unreachable } from '@tributary/support'
import { kafkaErrors } from '../api/errors.ts'
import { recordTooLarge } from '../api/record-too-large.ts'
import type { ProducerStats } from '../api/producer-stats.ts'
import type { Cluster } from '../cluster/cluster.ts'
import type { TopicDirectory } from '../cluster/topic-directory.ts'
import { RECONNECT_PAUSES } from '../network/reconnect-pauses.ts'
import { ErrorCode, errorName, isAuthorizationFailure, isFenced } from '../protocol/broker-error.ts'
import type { BufferPool } from '../protocol/buffer-pool.ts'
import type { ProducedPartition } from '../protocol/produce.ts'
import type { Batch } from './batch.ts'
import { ProduceLoop, type ProducedBatch } from './produce-loop.ts'
import { PartitionOutages } from './partition-outages.ts'
import type { Partition } from './partition.ts'
import type { Settlement } from './partition-queue.ts'
import { produceOutcome } from './produce-outcome.ts'
import { recordsOf, splitBatch } from './split-batch.ts'

export interface DispatcherOptions {
  readonly cluster: Cluster
  readonly directory: TopicDirectory
  readonly buffers: BufferPool
  readonly stats: ProducerStats
  readonly acknowledgeTimeoutMs: number
  /** Set for a producer whose batches belong to transactions. */
  readonly transactionalId?: string | undefined
  readonly signal: AbortSignal
  readonly onAcknowledged: (batch: Batch) => void
  /** All sealed batches of the partition are acknowledged. */
  readonly onIdle: (partition: Partition) => void
  /** The broker rejected a batch of so many bytes as too large: the limit of the topic was lowered, or is unknown. */
  readonly onTooLarge: (partition: Partition, bytes: number) => void
  /** The broker rejected the only record of an offered batch. */
  readonly onRefused: (partition: Partition, batch: Batch, error: Error) => void
  readonly onFailure: (error: Error) => void
}

/** Pauses between retries of one partition: at most as `retry.backoff.max.ms` of Kafka's clients. */
const RETRY_PAUSES = { initialMs: 20, maxMs: 1000 } as const

/**
 * Connects partitions and brokers: passes each partition with a sealed batch to the loop of its leader, and updates the
 * queue of the partition by the broker's response.
 */
export class Dispatcher {
  readonly #options: DispatcherOptions
  readonly #loops = new Map<number, ProduceLoop>()
  readonly #running: Promise<void>[] = []
  readonly #leaderless = new Set<Partition>()
  readonly #outages: PartitionOutages
  readonly #backOffs = new Map<Partition, BackOff>()

  constructor(options: DispatcherOptions) {
    this.#options = options
    const { logger, clock } = options.cluster.context
    this.#outages = new PartitionOutages(logger, clock)
  }

  /** Passes the partition to the loop of its leader, if it has a batch that may be produced now. */
  dispatch(partition: Partition): void {
    const { directory, cluster } = this.#options
    if (partition.isListed || !partition.queue.canProduce(cluster.context.clock.now())) return
    const leader = directory.leaderOf(partition.topic, partition.index)
    if (leader < 0) {
      this.#leaderless.add(partition)
      this.#outages.reportError(partition, 'LEADER_NOT_AVAILABLE')
      directory.requestRefresh(partition.topic)
      return
    }
    // The old leader must have responded before the new one gets a batch: otherwise the order depends on their speed.
    if (partition.queue.inFlightCount > 0 && partition.node !== leader) return
    partition.node = leader
    this.#loopTo(leader).add(partition)
  }

  /** Leaders may have moved: passes each waiting partition to its current leader. */
  redispatch(): void {
    const waiting = [...this.#leaderless]
    this.#leaderless.clear()
    for (const loop of this.#loops.values()) waiting.push(...loop.removeAll())
    for (const partition of waiting) this.dispatch(partition)
  }

  /** Resolves when the loops have ended after the signal. */
  async ended(): Promise<void> {
    await Promise.all(this.#running)
  }

  #loopTo(nodeId: number): ProduceLoop {
    const known = this.#loops.get(nodeId)
    if (known !== undefined) return known
    const { cluster, directory, stats, acknowledgeTimeoutMs, transactionalId, signal, onFailure } = this.#options
    const { logger, clock, mayWrite } = cluster.context
    const loop = new ProduceLoop({
      nodeId,
      pool: cluster.pool,
      clock,
      stats,
      outage: new Outage(logger, clock, `writing to broker ${cluster.pool.describe(nodeId)}`, RECONNECT_PAUSES.maxMs),
      mayWrite,
      signal,
      acknowledgeTimeoutMs,
      transactionalId,
      onResponse: (batches, error, results) => this.#onResponse(batches, error, results),
      onUnreachable: () => directory.requestRefresh(),
      onFailure,
    })
    this.#loops.set(nodeId, loop)
    this.#running.push(loop.run())
    return loop
  }

  #onResponse(batches: readonly ProducedBatch[], error: Error | null, produced: readonly ProducedPartition[]): void {
    if (error !== null && !isRetriable(error)) return this.#options.onFailure(error)
    const results = new Map(produced.map((result) => [`${result.topic}-${result.partition}`, result]))
    for (const { partition, batch } of batches) {
      const result = results.get(`${partition.topic}-${partition.index}`)
      if (result === undefined) partition.queue.fail(batch, 'inDoubt')
      else this.#onResult({ partition, batch }, result)
    }
    for (const { partition } of batches) this.#settle(partition)
  }

  #onResult({ partition, batch }: ProducedBatch, result: ProducedPartition): void {
    const { cluster, directory, onAcknowledged, onFailure } = this.#options
    if (result.errorCode === ErrorCode.CORRUPT_MESSAGE) batch.corruptions += 1
    const outcome = produceOutcome(result.errorCode, batch.corruptions)
    switch (outcome) {
      case 'written':
        partition.queue.acknowledge(batch, cluster.context.clock.now())
        this.#backOffs.delete(partition)
        this.#outages.reportSuccess(partition)
        return onAcknowledged(batch)
      case 'refused':
        return onFailure(this.#refusal(partition, result))
      case 'inDoubt':
        directory.requestRefresh(partition.topic)
        this.#outages.reportError(partition, errorName(result.errorCode))
        break
      case 'notWritten':
        this.#outages.reportError(partition, errorName(result.errorCode))
        break
      case 'sequence':
      case 'tooLarge':
        break
    }
    partition.queue.fail(batch, outcome)
  }

  #refusal(partition: Partition, result: ProducedPartition): Error {
    const { transactionalId } = this.#options
    const error = errorName(result.errorCode)
    if (transactionalId !== undefined && isFenced(result.errorCode)) {
      return kafkaErrors.PRODUCER_FENCED({ id: transactionalId, error })
    }
    return refusal(partition, result)
  }

  #settle(partition: Partition): void {
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
      case 'retry':
        return this.#pause(partition)
      case 'epochBumped':
        logger.error(
          `Partition ${where}: the broker lost the sequence numbers of this producer, which continues with epoch ` +
            `${partition.queue.epoch}. The partition may have lost acknowledged records (unclean leader election, disk ` +
            'failure): check the log of the brokers.',
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
    const backOff = this.#backOffs.get(partition) ?? new BackOff(RETRY_PAUSES)
    this.#backOffs.set(partition, backOff)
    partition.queue.isPaused = true
    clock.after(backOff.next(), () => {
      partition.queue.isPaused = false
      this.dispatch(partition)
    })
  }

  #split(partition: Partition, batch: Batch): void {
    const { buffers, onTooLarge, onRefused, onFailure, cluster } = this.#options
    if (batch.content.recordCount === 1) {
      const error = refusedAsTooLarge(partition, batch)
      return batch.offer === null ? onFailure(error) : onRefused(partition, batch, error)
    }
    cluster.context.logger.warn(
      `Partition ${partition.topic}-${partition.index}: the broker rejected a batch of ${batch.bytes.length} bytes as too large. ` +
        'The producer splits it in two and reads the limit of the topic again.',
    )
    onTooLarge(partition, batch.bytes.length)
    const parts = splitBatch(batch, buffers)
    partition.queue.putFirst(parts.map((part) => part.batch))
    for (const part of parts) partition.encode(part.batch, part.plain)
  }
}

function refusedAsTooLarge(partition: Partition, batch: Batch): Error {
  const [record] = recordsOf(batch)
  return recordTooLarge({
    topic: partition.topic,
    keyBytes: record?.key?.length ?? 0,
    valueBytes: record?.value?.length ?? 0,
    bytes: batch.bytes.length,
    limitName: 'max.message.bytes of the topic',
    limit: 'less',
  })
}

function refusal(partition: Partition, result: ProducedPartition): Error {
  const error = errorName(result.errorCode)
  const where = { topic: partition.topic, partition: partition.index }
  if (isAuthorizationFailure(result.errorCode)) {
    return kafkaErrors.NOT_AUTHORIZED({ request: 'WRITE', subject: `topic ${partition.topic}`, error })
  }
  return kafkaErrors.RECORD_REFUSED({ ...where, error, reason: result.errorMessage ?? 'the broker gives no reason' })
}
