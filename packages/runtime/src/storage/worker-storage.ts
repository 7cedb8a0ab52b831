import type { Kafka } from '@tributary/kafka'
import type { Clock, Logger } from '@tributary/support'
import { leaderTransactionalId } from '../config/exactly-once.ts'
import type { StorageTopicConfig, WorkerConfig } from '../config/worker-config.ts'
import { ConfigStore } from './config-store.ts'
import { ensureInternalTopic, type InternalTopic } from './internal-topic.ts'
import { OffsetStore } from './offset-store.ts'
import { StatusStore } from './status-store.ts'
import type { Storage } from './storage.ts'
import { together } from './together.ts'
import { TopicLog } from './topic-log.ts'
import type { TextRecord } from './topic-writer.ts'

export interface WorkerStorageOptions {
  readonly kafka: Kafka
  readonly config: WorkerConfig
  readonly logger: Logger
  readonly clock: Clock
}

/**
 * Offsets are only read when a task starts or on request, and tasks store them many times a second while they catch up.
 */
const OFFSETS_PAUSE_MS = 100

/** The three internal topics: created when missing, checked, read to their ends and followed. */
export class WorkerStorage implements Storage, AsyncDisposable {
  readonly configs: ConfigStore
  readonly offsets: OffsetStore
  readonly statuses: StatusStore
  readonly #configLog: TopicLog
  readonly #offsetLog: TopicLog
  readonly #statusLog: TopicLog

  private constructor({ kafka, config, logger, clock }: WorkerStorageOptions) {
    this.#configLog = new TopicLog({
      kafka,
      topic: config.configTopic.name,
      transactionalId: config.exactlyOnce === 'disabled' ? undefined : leaderTransactionalId(config.groupId),
      logger,
      clock,
      onRecord: (record) => this.configs.apply(record),
    })
    this.#offsetLog = new TopicLog({
      kafka,
      topic: config.offsetTopic.name,
      logger,
      clock,
      pauseMs: OFFSETS_PAUSE_MS,
      onRecord: (record) => this.offsets.apply(record),
    })
    this.#statusLog = new TopicLog({
      kafka,
      topic: config.statusTopic.name,
      logger,
      clock,
      onRecord: (record) => this.statuses.apply(record),
    })
    this.configs = new ConfigStore(this.#configLog, logger)
    this.offsets = new OffsetStore(logger)
    this.statuses = new StatusStore(this.#statusLog, logger)
  }

  /** Waits while the brokers are unreachable. A topic with wrong settings ends the wait for the others. */
  static async open(options: WorkerStorageOptions, signal?: AbortSignal): Promise<WorkerStorage> {
    const { kafka, config, logger } = options
    await using admin = kafka.admin()
    await together(internalTopics(config), (topic, limit) => ensureInternalTopic(admin, topic, logger, limit), signal)
    const storage = new WorkerStorage(options)
    try {
      await together(storage.#logs, (log, limit) => log.start(limit), signal)
      return storage
    } catch (error) {
      await storage.close()
      throw error
    }
  }

  /** The error that ended the reading of one of the topics. */
  get failure(): Error | null {
    return this.#logs.find(({ failure }) => failure !== null)?.failure ?? null
  }

  readConfigsToEnd(signal?: AbortSignal): Promise<void> {
    return this.#configLog.readToEnd(signal)
  }

  async dropUnstored(): Promise<void> {
    await Promise.all(this.#logs.map((log) => log.dropUnstored()))
  }

  readStatusesToEnd(signal?: AbortSignal): Promise<void> {
    return this.#statusLog.readToEnd(signal)
  }

  readOffsetsToEnd(signal?: AbortSignal): Promise<void> {
    return this.#offsetLog.readToEnd(signal)
  }

  async writeOffsets(records: readonly TextRecord[], signal?: AbortSignal): Promise<void> {
    await this.#offsetLog.write(records, signal)
    await this.#offsetLog.readToEnd(signal)
  }

  get #logs(): readonly TopicLog[] {
    return [this.#configLog, this.#offsetLog, this.#statusLog]
  }

  async close(): Promise<void> {
    await Promise.all(this.#logs.map((log) => log.close()))
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}

function internalTopics(config: WorkerConfig): readonly InternalTopic[] {
  const topic = (property: InternalTopic['property'], settings: StorageTopicConfig): InternalTopic => ({
    ...settings,
    property,
    servers: config.bootstrapServers.join(','),
  })
  return [
    topic('config.storage.topic', config.configTopic),
    topic('offset.storage.topic', config.offsetTopic),
    topic('status.storage.topic', config.statusTopic),
  ]
}
