import { BackOff } from '@tributary/support'
import { kafkaErrors } from '../api/errors.ts'
import { ErrorCode, isTransient } from '../protocol/broker-error.ts'
import type { Cluster } from './cluster.ts'
import type { TopicMetadata } from './metadata.ts'
import { checkResponse } from './response-check.ts'
import type { TopicQuestions } from './topic-questions.ts'

export interface TopicLookupOptions {
  /** How long a topic may stay missing. */
  readonly missingTopicWaitMs: number
  readonly signal?: AbortSignal | undefined
}

/** A broker that is not busy has created a topic, and elected its leader, within 20 to 60 ms: what waits for it should not wait longer. */
const LOOKUP_EARLY = { everyMs: 10, forMs: 100 } as const
const LOOKUP_PAUSES = { initialMs: 20, maxMs: 500 } as const

/**
 * The topic, once it exists and each partition has a leader. Waits while brokers are away and while leaders are elected,
 * told to the log once a topic. Rejects with UNKNOWN_TOPIC, INVALID_TOPIC, NOT_AUTHORIZED or StoppedError.
 */
export async function lookUpTopic(
  questions: TopicQuestions,
  name: string,
  options: TopicLookupOptions,
): Promise<TopicMetadata> {
  const { missingTopicWaitMs, signal } = options
  const { cluster, createsMissing } = questions
  const { clock } = cluster.context
  const backOff = new BackOff(LOOKUP_PAUSES)
  const begunMs = clock.now()
  const missingUntilMs = begunMs + missingTopicWaitMs
  for (;;) {
    const topic = await questions.metadata(name, signal)
    const errorCode = topic?.errorCode ?? ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    if (topic !== undefined && errorCode === ErrorCode.NONE && topic.partitions.length > 0) return topic
    if (errorCode === ErrorCode.UNKNOWN_TOPIC_OR_PARTITION && clock.now() >= missingUntilMs) {
      const waited = missingTopicWaitMs > 0 ? ` (waited ${missingTopicWaitMs} ms)` : ''
      throw kafkaErrors.UNKNOWN_TOPIC({ topic: name, waited })
    }
    if (errorCode === ErrorCode.INVALID_TOPIC_EXCEPTION) throw kafkaErrors.INVALID_TOPIC({ topic: name })
    if (!isTransient(errorCode)) checkResponse({ request: 'Metadata', subject: `topic ${name}`, errorCode })
    if (createsMissing || errorCode !== ErrorCode.UNKNOWN_TOPIC_OR_PARTITION) announceWait(cluster, name)
    const isEarly = clock.now() - begunMs < LOOKUP_EARLY.forMs
    await clock.sleep(isEarly ? LOOKUP_EARLY.everyMs : backOff.next(), signal)
  }
}

/**
 * Logs once for each new topic that the broker has not created yet. A broker that creates the topic by itself says UNKNOWN_TOPIC_OR_PARTITION
 * until it is there (KRaft), then LEADER_NOT_AVAILABLE, or nothing any more: it is one wait, and has one name.
 */
function announceWait(cluster: Cluster, name: string): void {
  const { announcedTopics, logger } = cluster.context
  if (announcedTopics.has(name)) return
  announcedTopics.add(name)
  const wait = 'waiting until the broker has created it and elected a leader; this is normal for a new topic'
  logger.warn(`topic ${name}: LEADER_NOT_AVAILABLE, ${wait}`, { topic: name })
}

/** What a topic takes as one batch when it cannot be asked: Kafka's default of max.message.bytes. */
export const DEFAULT_MESSAGE_BYTES_MAX: number = 1_048_588

/** max.message.bytes of the topic; the default when it may not be read. */
export async function messageBytesMax(questions: TopicQuestions, topic: string, signal?: AbortSignal): Promise<number> {
  return (await questions.messageBytesMax(topic, signal)) ?? DEFAULT_MESSAGE_BYTES_MAX
}
