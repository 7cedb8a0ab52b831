import type { Admin, TopicDescription } from '@tributary/kafka'
import { CodedError, isRetriable, type Logger } from '@tributary/support'
import { runtimeErrors } from '../errors.ts'

export interface InternalTopic {
  readonly name: string
  /** The property that names it; `offsets.storage.topic` is one of a connector. */
  readonly property: 'config.storage.topic' | 'offset.storage.topic' | 'status.storage.topic' | 'offsets.storage.topic'
  /** Partitions to create it with; -1: the broker's default. */
  readonly partitions: number
  /** -1: the broker's default; null: three, or as many as there are brokers. */
  readonly replicationFactor: number | null
  /** `bootstrap.servers`, for the commands that correct a topic. */
  readonly servers: string
  /** More settings to create it with. */
  readonly configs: Readonly<Record<string, string>>
}

const CONTENT = {
  'config.storage.topic': 'connector configurations',
  'offset.storage.topic': 'source connector offsets',
  'offsets.storage.topic': 'source connector offsets',
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
    throw runtimeErrors.INTERNAL_TOPIC_PARTITIONS({ topic: name, property, count, servers: topic.servers })
  }
  await verifyPolicy(admin, topic, logger, signal)
  if (description !== null) await verifyReplicas(admin, topic, description, { logger, signal })
}

/**
 * Fewer replicas than the worker asks for are refused; fewer than its default are only reported, since Kafka Connect
 * runs with them.
 */
async function verifyReplicas(
  admin: Admin,
  topic: InternalTopic,
  { partitions }: TopicDescription,
  { logger, signal }: { readonly logger: Logger; readonly signal: AbortSignal | undefined },
): Promise<void> {
  const { name, property, servers, replicationFactor } = topic
  const found = Math.min(...partitions.map(({ replicas }) => replicas.length))
  // -1 asks for the brokers' default, which an existing topic need not have.
  const wanted = replicationFactor ?? REPLICATION_FACTOR_DEFAULT
  if (found >= wanted) return
  const brokers = (await admin.cluster(signal)).brokers.map(({ id }) => id)
  // A factor above the number of brokers is no error here: a broker may be down for a while.
  const possible = Math.min(wanted, brokers.length)
  if (found >= possible) return
  const kind = kindOf(property)
  const command = reassignment(name, partitions, brokers, possible)
  const problem = { topic: name, property, kind, found, wanted: possible, servers, reassignment: command }
  const error = runtimeErrors.INTERNAL_TOPIC_REPLICAS(problem)
  if (replicationFactor !== null) throw error
  logger.warn(error.message)
}

/** The document with which kafka-reassign-partitions.sh adds replicas. Present replicas remain, the leader first. */
function reassignment(
  topic: string,
  partitions: TopicDescription['partitions'],
  brokers: readonly number[],
  count: number,
): string {
  const assigned = partitions.map(({ index, replicas }) => {
    const others = brokers.filter((id) => !replicas.includes(id))
    const turned = others.map((_, i) => others[(i + index) % others.length] ?? 0)
    return { topic, partition: index, replicas: [...replicas, ...turned].slice(0, count) }
  })
  return JSON.stringify({ version: 1, partitions: assigned })
}

/** Returns false when another worker has created the topic first. */
async function create(admin: Admin, topic: InternalTopic, signal: AbortSignal | undefined): Promise<boolean> {
  const { name, property, partitions } = topic
  const { brokers } = await admin.cluster(signal)
  const replicationFactor = topic.replicationFactor ?? Math.min(REPLICATION_FACTOR_DEFAULT, brokers.length)
  const defaults = kindOf(property) === 'offset' ? { 'segment.bytes': OFFSET_SEGMENT_BYTES } : {}
  const configs = { ...defaults, ...topic.configs, 'cleanup.policy': 'compact' }
  try {
    return await admin.createTopic({ name, partitions, replicationFactor, configs }, signal)
  } catch (error) {
    if (!(error instanceof CodedError) || isRetriable(error)) throw error
    const kind = kindOf(property)
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
  const { servers } = topic
  const owner = property === 'offsets.storage.topic' ? 'connector' : 'worker'
  const content = CONTENT[property]
  throw runtimeErrors.INTERNAL_TOPIC_POLICY({ topic: name, property, owner, content, policy, servers })
}

/** The beginning of the worker settings for such a topic. A connector's own has those of the worker's offset topic. */
function kindOf(property: InternalTopic['property']): string {
  return property === 'offsets.storage.topic' ? 'offset' : property.slice(0, property.indexOf('.'))
}
