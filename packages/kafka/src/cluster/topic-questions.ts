import { describeConfigsV4 } from '@platformatic/kafka'
import { doneOr } from '@tributary/support'
import type { Cluster } from './cluster.ts'
import { JoinedQuestions } from './joined-questions.ts'
import type { TopicMetadata } from './metadata.ts'

const TOPIC_RESOURCE = 2 as const
const MESSAGE_BYTES = 'max.message.bytes'

/**
 * What a client asks about single topics, many topics a request. A broker works through the requests of a connection one after
 * the other: 96 new topics were there seven times sooner when they were asked for together (bench/journal/2026-11-22-many-new-topics.md).
 *
 * Every question waits out brokers that are away until its signal fires.
 */
export class TopicQuestions {
  readonly cluster: Cluster
  readonly createsMissing: boolean
  readonly #metadata: JoinedQuestions<string, ReadonlyMap<string, TopicMetadata>>
  readonly #messageBytes: JoinedQuestions<string, ReadonlyMap<string, number>>

  /** `createsMissing`: asks the broker to create topics that are missing, if it may. */
  constructor(cluster: Cluster, createsMissing: boolean) {
    this.cluster = cluster
    this.createsMissing = createsMissing
    this.#metadata = new JoinedQuestions((topics) =>
      cluster.waitingOut(subjectOf(topics), async () => {
        const metadata = await cluster.metadata({ topics, createsMissing })
        return new Map(metadata.topics.map((topic) => [topic.name, topic]))
      }),
    )
    this.#messageBytes = new JoinedQuestions((topics) =>
      cluster.waitingOut(`settings of ${subjectOf(topics)}`, () => readMessageBytes(cluster, topics)),
    )
  }

  /** Undefined: the answer does not mention it. */
  async metadata(topic: string, signal?: AbortSignal): Promise<TopicMetadata | undefined> {
    return (await doneOr(this.#metadata.ask(topic), signal)).get(topic)
  }

  /** max.message.bytes; undefined when it may not be read. */
  async messageBytesMax(topic: string, signal?: AbortSignal): Promise<number | undefined> {
    return (await doneOr(this.#messageBytes.ask(topic), signal)).get(topic)
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
    results.flatMap(({ resourceName, configs }) => {
      const value = configs.find(({ name }) => name === MESSAGE_BYTES)?.value
      return value === null || value === undefined ? [] : [[resourceName, Number(value)] as const]
    }),
  )
}

function subjectOf([first = '', ...others]: readonly string[]): string {
  return others.length === 0 ? `topic ${first}` : `topic ${first} and ${others.length} more`
}
