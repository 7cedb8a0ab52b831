import type { Admin } from '@tributary/kafka'
import { CodedError, isRetriable, type Logger } from '@tributary/support'
import { runtimeErrors } from '../errors.ts'

export interface InternalTopic {
  readonly name: string
  /** The property that names it. */
  readonly property: 'config.storage.topic' | 'offset.storage.topic' | 'status.storage.topic'
  /** Partitions to create it with; -1: the broker's default. */
  readonly partitions: number
  /** -1: the broker's default; null: three, or as many as there are brokers. */
  readonly replicationFactor: number | null
  /** More settings to create it with. */
  readonly configs: Readonly<Record<string, string>>
}

const CONTENT = {
  'config.storage.topic': 'connector configurations',
  'offset.storage.topic': 'source connector offsets',
  'status.storage.topic': 'connector and task statuses',
} as const

/**
 * Compaction skips the active segment, and a worker reads all of it at its start. A busy connector stores an offset of
 * 300 bytes every 1,000 records; with the broker's default of 1 GB a worker would read those of weeks. 50 MB take half
 * a second, and Confluent's cloud allows no smaller segments.
 */
const OFFSET_SEGMENT_BYTES = '52428800'

/** Kafka's advice for topics that must not be lost. */
const REPLICATION_FACTOR_DEFAULT = 3

/**
 * Creates an internal topic with the required settings, or checks that an existing one has them: a topic that deletes
 * old records would silently lose connectors. The texts are Connect's (TopicAdmin.verifyTopicCleanupPolicyOnlyCompact).
 */
export async function ensureInternalTopic(
  admin: Admin,
  topic: InternalTopic,
  logger: Logger,
  signal?: AbortSignal,
): Promise<void> {
  const { name, property } = topic
  let description = await admin.describeTopic(name, signal)
  if (description === null) {
    if (await create(admin, topic, signal)) {
      logger.info(`Created the internal topic ${name} (${property})`)
      return
    }
    // Another worker has just created it.
    description = await admin.describeTopic(name, signal)
  }
  const count = description?.partitions.length ?? 1
  if (property === 'config.storage.topic' && count !== 1) {
    throw runtimeErrors.INTERNAL_TOPIC_PARTITIONS({ topic: name, property, count })
  }
  await verifyPolicy(admin, topic, logger, signal)
}

/** Returns false when another worker has created the topic first. */
async function create(admin: Admin, topic: InternalTopic, signal: AbortSignal | undefined): Promise<boolean> {
  const { name, property, partitions } = topic
  const { brokers } = await admin.cluster(signal)
  const replicationFactor = topic.replicationFactor ?? Math.min(REPLICATION_FACTOR_DEFAULT, brokers.length)
  const defaults = property === 'offset.storage.topic' ? { 'segment.bytes': OFFSET_SEGMENT_BYTES } : {}
  const configs = { ...defaults, ...topic.configs, 'cleanup.policy': 'compact' }
  try {
    return await admin.createTopic({ name, partitions, replicationFactor, configs }, signal)
  } catch (error) {
    if (!(error instanceof CodedError) || isRetriable(error)) throw error
    const kind = property.slice(0, property.indexOf('.'))
    throw runtimeErrors.INTERNAL_TOPIC_NOT_CREATED({ topic: name, property, kind, reason: error.message }, error)
  }
}

async function verifyPolicy(
  admin: Admin,
  topic: InternalTopic,
  logger: Logger,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { name, property } = topic
  let policy: string | null | undefined
  try {
    policy = (await admin.topicConfig(name, signal)).get('cleanup.policy')
  } catch (error) {
    // Connect, too, continues without permission to read the settings.
    if (!(error instanceof CodedError) || error.code !== 'NOT_AUTHORIZED') throw error
    logger.warn(`The cleanup policy of ${name} (${property}) could not be read; it must be compact`, { error })
    return
  }
  if (policy === undefined || policy === null || policy === 'compact') return
  throw runtimeErrors.INTERNAL_TOPIC_POLICY({ topic: name, property, content: CONTENT[property], policy })
}
