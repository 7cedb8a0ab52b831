import type { ConfigMap, SourceOffset } from '@tributary/connect-api'
import type { Producer } from '@tributary/kafka'
import { doneOr, StoppedError, withTimeout, type Clock, type Logger, type Meter } from '@tributary/support'
import { hasOwnOffsets, offsetsTopicOf, taskTransactionalId, transactionSettings } from '../config/exactly-once.ts'
import type { WorkerConfig } from '../config/worker-config.ts'
import { ensureInternalTopic } from '../storage/internal-topic.ts'
import { TopicWriter, type TextRecord } from '../storage/topic-writer.ts'
import { AtLeastOnceDelivery } from './delivery/at-least-once-delivery.ts'
import type { Delivery } from './delivery/delivery.ts'
import { ExactlyOnceDelivery } from './delivery/exactly-once-delivery.ts'
import { OffsetCopy } from './delivery/offset-copy.ts'
import { repeatLimit } from './delivery/repeat-limit.ts'
import type { TaskClients } from './task-clients.ts'
import { goToWorkerCluster } from './worker-cluster.ts'

export interface DeliveryParts {
  readonly connectorName: string
  readonly taskNumber: number
  readonly config: WorkerConfig
  readonly taskConfig: ConfigMap
  readonly clients: TaskClients
  /** See `TaskStart`. */
  readonly refusedBytes: Readonly<Record<string, number>>
  /** Called before offsets are sent. */
  readonly onCommitting: (offsets: readonly SourceOffset[]) => void
  /** Called after offsets were stored. */
  readonly onCommitted: (offsets: readonly SourceOffset[]) => Promise<void>
  readonly clock: Clock
  readonly logger: Logger
  readonly meter: Meter
  readonly signal: AbortSignal
}

/** The delivery of a task and its producer. */
export interface OpenDelivery extends AsyncDisposable {
  readonly producer: Producer
  readonly delivery: Delivery & { commitNow(): void }
  /** Transactions in Kafka are to end where those of the source end. */
  readonly wholeTransactions: boolean
}

/** Opens the delivery that the worker's settings choose. Waits while the brokers are unreachable. */
export function openDelivery(parts: DeliveryParts): Promise<OpenDelivery> {
  return parts.config.exactlyOnce === 'enabled' ? exactlyOnce(parts) : atLeastOnce(parts)
}

async function atLeastOnce(parts: DeliveryParts): Promise<OpenDelivery> {
  const { config, clients, refusedBytes, taskConfig, signal } = parts
  await using stack = new AsyncDisposableStack()
  const { recordsBetweenCommits, sendWindow } = repeatLimit(config.offsetFlushMaxRecords)
  const onDelivered = (tokens: readonly number[]): void => delivery.onDelivered(tokens)
  const producer = stack.use(
    await clients.records.producer({ ...clients.producerOptions, refusedBytes, onDelivered, sendWindow }, signal),
  )
  const offsetLog = stack.use(new TopicWriter({ kafka: clients.offsets, topic: config.offsetTopic.name }))
  const ownTopic = offsetsTopicOf(taskConfig, config.offsetTopic.name)
  const own = ownTopic === config.offsetTopic.name ? null : await openOwn(parts, ownTopic, stack)
  const copy = own === null ? null : stack.use(copyTo(offsetLog, parts))
  const delivery = new AtLeastOnceDelivery({
    ...parts,
    producer,
    offsetLog: own === null || copy === null ? offsetLog : copied(own, copy),
    recordsBetweenCommits,
    intervalMs: config.offsetFlushIntervalMs,
    timeoutMs: config.offsetFlushTimeoutMs,
  })
  return { ...opened(producer, delivery, stack), wholeTransactions: false }
}

async function exactlyOnce(parts: DeliveryParts): Promise<OpenDelivery> {
  const { connectorName, taskNumber, config, clients, taskConfig, logger, signal } = parts
  const { boundary, intervalMs } = transactionSettings(taskConfig)
  const topic = offsetsTopicOf(taskConfig, config.offsetTopic.name)
  await using stack = new AsyncDisposableStack()
  const place = { topic, workerTopic: config.offsetTopic.name, isExactlyOnce: true }
  // Never a copy into the topic of the transaction: an older offset would follow a newer one.
  const isOwn = hasOwnOffsets({ ...place, isWorkerCluster: await goToWorkerCluster(clients, signal) })
  if (isOwn) await createTopic(topic, parts)
  const producer = stack.use(
    await clients.records.transactionalProducer(
      {
        ...clients.producerOptions,
        refusedBytes: parts.refusedBytes,
        transactionalId: taskTransactionalId(config.groupId, connectorName, taskNumber),
        onDelivered: () => undefined,
      },
      signal,
    ),
  )
  const copy = isOwn
    ? stack.use(copyTo(stack.use(new TopicWriter({ kafka: clients.offsets, topic: config.offsetTopic.name })), parts))
    : null
  const delivery = new ExactlyOnceDelivery({
    ...parts,
    producer,
    offsets: await producer.topic(topic, { signal }),
    copyOffsets: copy === null ? null : (records) => copy.add(records),
    boundary,
    intervalMs: (boundary === 'interval' ? intervalMs : null) ?? config.offsetFlushIntervalMs,
    timeoutMs: config.offsetFlushTimeoutMs,
  })
  logger.info(`Records are delivered exactly once, in transactions with the boundary ${boundary}`)
  return { ...opened(producer, delivery, stack), wholeTransactions: boundary === 'connector' }
}

function opened(
  producer: Producer,
  delivery: OpenDelivery['delivery'],
  stack: AsyncDisposableStack,
): Omit<OpenDelivery, 'wholeTransactions'> {
  const owned = stack.move()
  return { producer, delivery, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

async function openOwn(parts: DeliveryParts, topic: string, stack: AsyncDisposableStack): Promise<TopicWriter> {
  const { records } = parts.clients
  await createTopic(topic, parts)
  return stack.use(new TopicWriter({ kafka: records, topic }))
}

/** Creates the topic with the settings of the worker's offset topic, as Kafka Connect does. */
async function createTopic(name: string, { clients, config, logger, signal }: DeliveryParts): Promise<void> {
  const { records, servers } = clients
  await using admin = records.admin()
  const topic = { ...config.offsetTopic, name, property: 'offsets.storage.topic', servers } as const
  await ensureInternalTopic(admin, topic, logger, signal)
}

interface DisposableCopy extends AsyncDisposable {
  add(records: readonly TextRecord[]): void
}

function copyTo(writer: TopicWriter, { logger, clock }: DeliveryParts): DisposableCopy {
  const copy = new OffsetCopy(writer, logger)
  return {
    add: (records) => copy.add(records),
    [Symbol.asyncDispose]: () => withinLimit(clock, () => copy.settled()),
  }
}

/** Waits for the last copy when the task ends, but only for a moment. */
async function withinLimit(clock: Clock, work: () => Promise<void>): Promise<void> {
  try {
    await withTimeout(clock, COPY_TIMEOUT_MS, (limit) => doneOr(work(), limit))
  } catch (error) {
    if (!(error instanceof StoppedError)) throw error
  }
}

const COPY_TIMEOUT_MS = 1_000

function copied(own: TopicWriter, copy: DisposableCopy): Pick<TopicWriter, 'write'> {
  return {
    write: async (records, signal) => {
      await own.write(records, signal)
      copy.add(records)
    },
  }
}
