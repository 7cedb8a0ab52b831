import type { Admin } from '@tributary/kafka'
import { CodedError, isRetriable, type Logger } from '@tributary/support'
import { runtimeErrors } from '../errors.ts'

export interface InternalTopic {
  readonly name: string
  /** Property that named it. */
  readonly property: 'config.storage.topic' | 'offset.storage.topic' | 'status.storage.topic'
  /** Partitions to create it with; -1: the broker's default. */
  readonly partitions: number
  /** -1: the broker's default; null: three, or as many as there are brokers. */
  readonly replicationFactor: number | null
  /** Further settings to create it with. */
  readonly configs: Readonly<Record<string, string>>
}

const CONTENT = {
  'config.storage.topic': 'connector configurations',
  'offset.storage.topic': 'source connector offsets',
  'status.storage.topic': 'connector and task statuses',
} as const

/**
 * Compaction spares the segment that is written to, and a worker reads all of it when it starts. A busy connector stores an offset
 * of 300 bytes every 1,000 records; with the broker's default of 1 GB those of weeks would be read. 50 MB take half a second, and
 * no less is granted by Confluent's cloud.
 */
const OFFSET_SEGMENT_BYTES = '52428800'

/** What Kafka advises for topics that must not be lost. */
const REPLICATION_FACTOR_DEFAULT = 3

/**
 * Creates an internal topic with the settings it must have, or checks that an existing one has them: a topic that deletes old
 * records would lose connectors without a word. The texts are Connect's (TopicAdmin.verifyTopicCleanupPolicyOnlyCompact).
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
    // Another worker has created it a moment ago.
    description = await admin.describeTopic(name, signal)
  }
  const count = description?.partitions.length ?? 1
  if (property === 'config.storage.topic' && count !== 1) {
    throw runtimeErrors.INTERNAL_TOPIC_PARTITIONS({ topic: name, property, count })
  }
  await verifyPolicy(admin, topic, logger, signal)
}

/** False when somebody else was faster. */
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
    // Connect goes on too when it may not look.
    if (!(error instanceof CodedError) || error.code !== 'NOT_AUTHORIZED') throw error
    logger.warn(`The cleanup policy of ${name} (${property}) could not be read; it must be compact`, { error })
    return
  }
  if (policy === undefined || policy === null || policy === 'compact') return
  throw runtimeErrors.INTERNAL_TOPIC_POLICY({ topic: name, property, content: CONTENT[property], policy })
}
