import type { Admin } from '@tributary/kafka'
import { CodedError, type Logger } from '@tributary/support'
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
 * Creates an internal topic with the settings it must have, or checks that an existing one has them: a topic that deletes old
 * records would lose connectors without a word. The texts are Connect's (TopicAdmin.verifyTopicCleanupPolicyOnlyCompact).
 */
export async function ensureInternalTopic(
  admin: Admin,
  topic: InternalTopic,
  logger: Logger,
  signal?: AbortSignal,
): Promise<void> {
  const description = await admin.describeTopic(topic.name, signal)
  if (description === null && (await create(admin, topic, signal))) {
    logger.info(`Created the internal topic ${topic.name} (${topic.property})`)
    return
  }
  const count =
    description?.partitions.length ?? (await admin.describeTopic(topic.name, signal))?.partitions.length ?? 1
  if (topic.property === 'config.storage.topic' && count !== 1) {
    throw runtimeErrors.INTERNAL_TOPIC_PARTITIONS({ topic: topic.name, property: topic.property, count })
  }
  await verifyPolicy(admin, topic, logger, signal)
}

async function create(admin: Admin, topic: InternalTopic, signal: AbortSignal | undefined): Promise<boolean> {
  const { brokers } = await admin.cluster(signal)
  return admin.createTopic(
    {
      name: topic.name,
      partitions: topic.partitions,
      replicationFactor: topic.replicationFactor ?? Math.min(3, brokers.length),
      configs: { ...topic.configs, 'cleanup.policy': 'compact' },
    },
    signal,
  )
}

async function verifyPolicy(
  admin: Admin,
  topic: InternalTopic,
  logger: Logger,
  signal: AbortSignal | undefined,
): Promise<void> {
  let policy: string | null | undefined
  try {
    policy = (await admin.topicConfig(topic.name, signal)).get('cleanup.policy')
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
    logger.warn(`The cleanup policy of ${topic.name} could not be read; it must be compact`, { error })
    return
  }
  if (policy === undefined || policy === null || policy === 'compact') return
  const { name, property } = topic
  throw runtimeErrors.INTERNAL_TOPIC_POLICY({ topic: name, property, content: CONTENT[property], policy })
}
