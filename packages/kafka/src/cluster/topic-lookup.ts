import { BackOff } from '@tributary/support'
import { kafkaErrors } from '../api/errors.ts'
import { ErrorCode, isTransient } from '../protocol/broker-error.ts'
import type { Cluster } from './cluster.ts'
import type { TopicMetadata } from './metadata.ts'
import { checkResponse } from './response-check.ts'
import type { TopicRequests } from './topic-requests.ts'

export interface TopicLookupOptions {
  /** How long to wait for a missing topic. */
  readonly missingTopicWaitMs: number
  readonly signal?: AbortSignal | undefined
}

/** A broker that is not busy creates a topic and elects its leader within 20 to 60 ms: check often at first. */
const LOOKUP_EARLY = { everyMs: 10, forMs: 100 } as const
const LOOKUP_PAUSES = { initialMs: 20, maxMs: 500 } as const

/**
 * Resolves when the topic exists and each partition has a leader. Retries while brokers are unreachable and while
 * leaders are elected, and logs that once per topic. Rejects with UNKNOWN_TOPIC, INVALID_TOPIC, NOT_AUTHORIZED or
 * StoppedError.
 */
export async function lookUpTopic(
  requests: TopicRequests,
  name: string,
  options: TopicLookupOptions,
): Promise<TopicMetadata> {
  const { missingTopicWaitMs, signal } = options
  const { cluster, createsMissing } = requests
  const { clock } = cluster.context
  const backOff = new BackOff(LOOKUP_PAUSES)
  const startedMs = clock.now()
  const missingUntilMs = startedMs + missingTopicWaitMs
  for (;;) {
    const topic = await requests.metadata(name, signal)
    const errorCode = topic?.errorCode ?? ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    if (topic !== undefined && errorCode === ErrorCode.NONE && topic.partitions.length > 0) return topic
    if (errorCode === ErrorCode.UNKNOWN_TOPIC_OR_PARTITION && clock.now() >= missingUntilMs) {
      const waited = missingTopicWaitMs > 0 ? ` (waited ${missingTopicWaitMs} ms)` : ''
      throw kafkaErrors.UNKNOWN_TOPIC({ topic: name, waited })
    }
    if (errorCode === ErrorCode.INVALID_TOPIC_EXCEPTION) throw kafkaErrors.INVALID_TOPIC({ topic: name })
    if (!isTransient(errorCode)) checkResponse({ request: 'Metadata', subject: `topic ${name}`, errorCode })
    if (createsMissing || errorCode !== ErrorCode.UNKNOWN_TOPIC_OR_PARTITION) logWait(cluster, name)
    const isEarly = clock.now() - startedMs < LOOKUP_EARLY.forMs
    await clock.sleep(isEarly ? LOOKUP_EARLY.everyMs : backOff.next(), signal)
  }
}

/**
 * Logs the wait once for each new topic. A broker that creates the topic answers UNKNOWN_TOPIC_OR_PARTITION until it
 * exists (KRaft), then LEADER_NOT_AVAILABLE or no error: the log calls all of it LEADER_NOT_AVAILABLE.
 */
function logWait(cluster: Cluster, name: string): void {
  const { announcedTopics, logger } = cluster.context
  if (announcedTopics.has(name)) return
  announcedTopics.add(name)
  const wait = 'waiting until the broker has created it and elected a leader; this is normal for a new topic'
  logger.warn(`topic ${name}: LEADER_NOT_AVAILABLE, ${wait}`, { topic: name })
}
