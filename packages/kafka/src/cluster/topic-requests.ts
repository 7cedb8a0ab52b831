import { describeConfigsV4 } from '@platformatic/kafka'
import { doneOr } from '@tributary/support'
import { ErrorCode } from '../protocol/broker-error.ts'
import type { Cluster } from './cluster.ts'
import { RequestBatcher } from './request-batcher.ts'
import type { TopicMetadata } from './metadata.ts'

const TOPIC_RESOURCE = 2 as const
const MESSAGE_BYTES = 'max.message.bytes'

/**
 * Requests about single topics, batched into requests about many. A broker processes the requests of a connection one
 * after the other: 96 new topics were ready in a seventh of the time when they were requested together
 * (bench/journal/2026-11-22-many-new-topics.md).
 *
 * Every request retries while brokers are unreachable, until its signal fires.
 */
export class TopicRequests {
  readonly cluster: Cluster
  readonly createsMissing: boolean
  readonly #metadata: RequestBatcher<string, ReadonlyMap<string, TopicMetadata>>
  readonly #messageBytes: RequestBatcher<string, ReadonlyMap<string, number>>

  /** `createsMissing`: lets the brokers create missing topics if they may. */
  constructor(cluster: Cluster, createsMissing: boolean) {
    this.cluster = cluster
    this.createsMissing = createsMissing
    this.#metadata = new RequestBatcher((topics) =>
      cluster.retrying(`looking up ${nameOf(topics)}`, async () => {
        const metadata = await cluster.metadata({ topics, createsMissing })
        return new Map(metadata.topics.map((topic) => [topic.name, topic]))
      }),
    )
    this.#messageBytes = new RequestBatcher((topics) =>
      cluster.retrying(`reading settings of ${nameOf(topics)}`, () => readMessageBytes(cluster, topics)),
    )
  }

  /** Undefined: the response does not contain the topic. */
  async metadata(topic: string, signal?: AbortSignal): Promise<TopicMetadata | undefined> {
    return (await doneOr(this.#metadata.request(topic), signal)).get(topic)
  }

  /** max.message.bytes; undefined when the user may not read it, or the broker does not know it yet. */
  async messageBytesMax(topic: string, signal?: AbortSignal): Promise<number | undefined> {
    return (await doneOr(this.#messageBytes.request(topic), signal)).get(topic)
  }
}

async function readMessageBytes(cluster: Cluster, topics: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const resources = topics.map((resourceName) => ({
    resourceType: TOPIC_RESOURCE,
    resourceName,
    configurationKeys: [MESSAGE_BYTES],
  }))
  const { results } = await cluster.request('any', describeConfigsV4.api, resources, false, false)
  return new Map(
    results.flatMap(({ errorCode, resourceName, configs }) => {
      // No permission, or a broker that does not know a new topic yet.
      if (errorCode !== ErrorCode.NONE) return []
      const value = configs.find(({ name }) => name === MESSAGE_BYTES)?.value
      return value === null || value === undefined ? [] : [[resourceName, Number(value)] as const]
    }),
  )
}

function nameOf([first = '', ...others]: readonly string[]): string {
  return others.length === 0 ? `topic ${first}` : `topic ${first} and ${others.length} more`
}
