import type { ConfigMap } from '@tributary/connect-api'
import type { Kafka, OpenSocket } from '@tributary/kafka'
import { CodedError, type Clock, type Logger } from '@tributary/support'
import { hasOwnOffsets, offsetsTopicOf } from '../config/exactly-once.ts'
import { ConfigProviders } from '../config/providers/config-providers.ts'
import { WorkerOffsets, type OffsetAccess } from '../storage/offset-access.ts'
import { OffsetStore } from '../storage/offset-store.ts'
import type { Storage } from '../storage/storage.ts'
import { TopicWriter, type TextRecord } from '../storage/topic-writer.ts'
import { taskClients } from '../task/task-clients.ts'

export interface OwnTopicOffsetsOptions {
  readonly storage: Storage
  /** The properties of the worker, with references. */
  readonly workerProperties: ConfigMap
  /** The offset topic of the worker. */
  readonly workerTopic: string
  /** Tasks deliver exactly once: their offsets are in the cluster of their records. */
  readonly isExactlyOnce: boolean
  readonly mayWrite: () => boolean
  /** Default: TCP or TLS. */
  readonly openSocket?: OpenSocket | undefined
  readonly logger: Logger
  readonly clock: Clock
}

/**
 * Offsets of connectors that may have a topic of their own (`offsets.storage.topic`), or, with exactly-once delivery, a
 * Kafka cluster of their own. It reads both topics; the connector's own topic has precedence (KIP-618). It reads that
 * topic only when it is needed, since few connectors have one.
 */
export class OwnTopicOffsets implements OffsetAccess {
  readonly #options: OwnTopicOffsetsOptions
  readonly #worker: WorkerOffsets

  constructor(options: OwnTopicOffsetsOptions) {
    this.#options = options
    this.#worker = new WorkerOffsets(options.storage)
  }

  async read(connector: string, config: ConfigMap, signal: AbortSignal): Promise<OffsetStore> {
    const ofWorker = await this.#worker.read(connector, config, signal)
    const own = this.#ownTopic(connector, config)
    return own === null ? ofWorker : ofWorker.overlaid(connector, await this.#readOwn(own, signal))
  }

  /** Removes offsets from the topic of the worker first, so that an old offset there does not take effect again. */
  async write(
    connector: string,
    config: ConfigMap,
    records: readonly TextRecord[],
    signal: AbortSignal,
  ): Promise<void> {
    const own = this.#ownTopic(connector, config)
    if (own === null) return this.#worker.write(connector, config, records, signal)
    const removals = records.filter(({ value }) => value === null)
    if (removals.length > 0) await this.#worker.write(connector, config, removals, signal)
    await using writer = new TopicWriter(own)
    await writer.write(records, signal)
    const others = records.filter(({ value }) => value !== null)
    if (others.length > 0) await this.#worker.write(connector, config, others, signal)
  }

  async #readOwn({ kafka, topic }: OwnTopic, signal: AbortSignal): Promise<OffsetStore> {
    const own = new OffsetStore(this.#options.logger)
    try {
      await using reader = await kafka.reader({ topic, end: 'written' }, signal)
      await reader.readToEnd((record) => own.apply(record), signal)
    } catch (error) {
      // The connector was never started.
      if (!(error instanceof CodedError) || error.code !== 'UNKNOWN_TOPIC') throw error
    }
    return own
  }

  /** Null: the topic of the worker. */
  #ownTopic(connector: string, config: ConfigMap): OwnTopic | null {
    const { workerTopic, isExactlyOnce } = this.#options
    const isNamed = (config['offsets.storage.topic'] ?? '') !== ''
    if (!isNamed && !isExactlyOnce) return null
    const { taskConfig, clients } = clientsOf(this.#options, connector, config)
    const topic = offsetsTopicOf(taskConfig, workerTopic)
    const { isWorkerCluster, records: kafka } = clients
    return hasOwnOffsets({ topic, workerTopic, isExactlyOnce, isWorkerCluster }) ? { kafka, topic } : null
  }
}

interface OwnTopic {
  readonly kafka: Kafka
  readonly topic: string
}

/** The clients of a connector, for the main thread. */
export function clientsOf(
  {
    workerProperties,
    mayWrite,
    openSocket,
    logger,
    clock,
  }: Omit<OwnTopicOffsetsOptions, 'storage' | 'workerTopic' | 'isExactlyOnce'>,
  connector: string,
  config: ConfigMap,
): { readonly taskConfig: ConfigMap; readonly clients: ReturnType<typeof taskClients> } {
  const providers = ConfigProviders.of(workerProperties)
  const taskConfig = providers.resolve(config).config
  const clients = taskClients({
    workerProperties: providers.resolve(workerProperties).config,
    taskConfig,
    taskId: `${connector}-offsets`,
    mayWrite,
    openSocket,
    logger,
    clock,
  })
  return { taskConfig, clients }
}
