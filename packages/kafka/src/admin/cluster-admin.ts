import { createTopicsV5, deleteTopicsV5, describeConfigsV4, incrementalAlterConfigsV1 } from '@platformatic/kafka'
import { present } from '@tributary/support'
import type { Admin, ClusterDescription, NewTopic, TopicDescription } from '../api/admin.ts'
import { kafkaErrors } from '../api/errors.ts'
import { Cluster, type ClusterContext } from '../cluster/cluster.ts'
import { RequestBatcher } from '../cluster/request-batcher.ts'
import type { TopicMetadata } from '../cluster/metadata.ts'
import { checkResponse } from '../cluster/response-check.ts'
import { ErrorCode } from '../protocol/broker-error.ts'
import { TransactionCoordinator } from '../transaction/transaction-coordinator.ts'

const TOPIC_RESOURCE = 2 as const
const BROKER_RESOURCE = 4 as const
const SET_OPERATION = 0 as const
/**
 * Brokers see a change of topics a moment after the controller. After this time another client has changed the topic
 * again.
 */
const VISIBLE_WITHIN_MS = 10_000
const VISIBLE_CHECK_MS = 5

/**
 * Administration with the codecs of the library on connections of our own. It does not use the library's Admin, which
 * retries without a log line.
 */
export class ClusterAdmin implements Admin {
  readonly #cluster: Cluster
  /** Batch the requests of callers that describe or create many topics at the same time. */
  readonly #descriptions: RequestBatcher<string, readonly TopicMetadata[]>
  readonly #creations: RequestBatcher<NewTopic, readonly CreationResult[]>

  constructor(context: ClusterContext) {
    const cluster = new Cluster(context)
    this.#cluster = cluster
    this.#descriptions = new RequestBatcher(
      async (topics) => (await cluster.metadata({ topics, createsMissing: false })).topics,
    )
    this.#creations = new RequestBatcher(async (topics) => {
      const requests = topics.map(creation)
      const response = await cluster.request(
        'controller',
        createTopicsV5.api,
        requests,
        this.#controllerTimeoutMs,
        false,
      )
      return response.topics
    })
  }

  cluster(signal?: AbortSignal): Promise<ClusterDescription> {
    const request = async (): Promise<ClusterDescription> => {
      const metadata = await this.#cluster.metadata({ topics: [], createsMissing: false })
      const brokers = Array.from(metadata.brokers, ([id, { host, port }]) => ({ id, host, port }))
      return { clusterId: metadata.clusterId, brokers }
    }
    return this.#cluster.retrying('describing the cluster', request, signal)
  }

  listTopics(signal?: AbortSignal): Promise<readonly string[]> {
    const request = async (): Promise<readonly string[]> => {
      const metadata = await this.#cluster.metadata({ topics: null, createsMissing: false })
      return metadata.topics.map(({ name }) => name).toSorted()
    }
    return this.#cluster.retrying('listing topics', request, signal)
  }

  describeTopic(name: string, signal?: AbortSignal): Promise<TopicDescription | null> {
    const request = async (): Promise<TopicDescription | null> => {
      const topic = await this.#topicMetadata(name)
      return topic && { name, partitions: topic.partitions }
    }
    return this.#cluster.retrying(`describing topic ${name}`, request, signal)
  }

  async createTopic(topic: NewTopic, signal?: AbortSignal): Promise<boolean> {
    const { name } = topic
    const create = async (): Promise<boolean> => {
      const results = await this.#creations.request(topic)
      const result = results.find((each) => each.name === name)
      const { errorCode, errorMessage } = present(result, `the response for topic ${name}`)
      if (errorCode === ErrorCode.TOPIC_ALREADY_EXISTS) return false
      checkResponse({ request: 'CreateTopics', subject: `topic ${name}`, errorCode, reason: errorMessage })
      return true
    }
    const isCreated = await this.#cluster.retrying(`creating topic ${name}`, create, signal)
    // Includes a topic that another client has created just now.
    await this.#untilVisible(name, true, signal)
    return isCreated
  }

  async deleteTopic(name: string, signal?: AbortSignal): Promise<boolean> {
    const remove = async (): Promise<boolean> => {
      const timeoutMs = this.#controllerTimeoutMs
      const { responses } = await this.#cluster.request('controller', deleteTopicsV5.api, [{ name }], timeoutMs)
      const { errorCode, errorMessage } = present(responses[0], `the response for topic ${name}`)
      // For producers this error is transient; here it means that there is nothing to delete.
      if (errorCode === ErrorCode.UNKNOWN_TOPIC_OR_PARTITION) return false
      checkResponse({ request: 'DeleteTopics', subject: `topic ${name}`, errorCode, reason: errorMessage })
      return true
    }
    const isDeleted = await this.#cluster.retrying(`deleting topic ${name}`, remove, signal)
    if (isDeleted) await this.#untilVisible(name, false, signal)
    return isDeleted
  }

  topicConfig(name: string, signal?: AbortSignal): Promise<ReadonlyMap<string, string | null>> {
    const request = async (): Promise<ReadonlyMap<string, string | null>> => {
      const resource = { resourceType: TOPIC_RESOURCE, resourceName: name }
      const { results } = await this.#cluster.request('any', describeConfigsV4.api, [resource], false, false)
      const { errorCode, errorMessage, configs } = present(results[0], `the response for topic ${name}`)
      if (errorCode === ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
        throw kafkaErrors.UNKNOWN_TOPIC({ topic: name, waited: '' })
      checkResponse({ request: 'DescribeConfigs', subject: `topic ${name}`, errorCode, reason: errorMessage })
      return new Map(configs.map((config) => [config.name, config.value ?? null]))
    }
    return this.#cluster.retrying(`reading settings of topic ${name}`, request, signal)
  }

  alterTopicConfig(name: string, configs: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<void> {
    const alter = async (): Promise<void> => {
      const changes = Object.entries(configs).map(([key, value]) => ({
        name: key,
        value,
        configOperation: SET_OPERATION,
      }))
      const resource = { resourceType: TOPIC_RESOURCE, resourceName: name, configs: changes }
      const { responses } = await this.#cluster.request('controller', incrementalAlterConfigsV1.api, [resource], false)
      const { errorCode, errorMessage } = present(responses[0], `the response for topic ${name}`)
      if (errorCode === ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
        throw kafkaErrors.UNKNOWN_TOPIC({ topic: name, waited: '' })
      checkResponse({ request: 'IncrementalAlterConfigs', subject: `topic ${name}`, errorCode, reason: errorMessage })
    }
    return this.#cluster.retrying(`changing settings of topic ${name}`, alter, signal)
  }

  brokerConfig(name: string, signal?: AbortSignal): Promise<string | null> {
    const request = async (): Promise<string | null> => {
      const { brokers } = await this.#cluster.metadata({ topics: [], createsMissing: false })
      const [nodeId] = brokers.keys()
      if (nodeId === undefined) return null
      const resource = { resourceType: BROKER_RESOURCE, resourceName: String(nodeId), configurationKeys: [name] }
      // A broker returns only its own settings.
      const { results } = await this.#cluster.request(nodeId, describeConfigsV4.api, [resource], false, false)
      return results[0]?.configs.find((config) => config.name === name)?.value ?? null
    }
    return this.#cluster.retrying(`reading broker setting ${name}`, request, signal)
  }

  async fenceProducers(transactionalIds: readonly string[], signal?: AbortSignal): Promise<void> {
    const { context } = this.#cluster
    const stop =
      signal === undefined ? this.#cluster.pool.stopped : AbortSignal.any([signal, this.#cluster.pool.stopped])
    for (const transactionalId of transactionalIds) {
      const transactionTimeoutMs = context.login.requestTimeoutMs
      await using coordinator = new TransactionCoordinator(context, { transactionalId, transactionTimeoutMs })
      await coordinator.init(stop)
    }
  }

  close(): Promise<void> {
    return this.#cluster.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /** Less than the client's own timeout, so that the controller answers with a timeout error of its own. */
  get #controllerTimeoutMs(): number {
    return Math.floor(this.#cluster.context.login.requestTimeoutMs / 2)
  }

  /** Null when the topic does not exist. Partitions without a leader are not an error here. */
  async #topicMetadata(name: string): Promise<TopicMetadata | null> {
    const topics = await this.#descriptions.request(name)
    const topic = present(
      topics.find((each) => each.name === name),
      `the response for topic ${name}`,
    )
    const { errorCode } = topic
    if (errorCode === ErrorCode.UNKNOWN_TOPIC_OR_PARTITION) return null
    if (errorCode === ErrorCode.INVALID_TOPIC_EXCEPTION) throw kafkaErrors.INVALID_TOPIC({ topic: name })
    if (errorCode !== ErrorCode.LEADER_NOT_AVAILABLE || topic.partitions.length === 0) {
      checkResponse({ request: 'Metadata', subject: `topic ${name}`, errorCode })
    }
    return topic
  }

  /**
   * Waits until brokers see the change, so that a caller finds the topic that it created. Returns silently after
   * VISIBLE_WITHIN_MS: another client may have deleted the topic again.
   */
  async #untilVisible(name: string, exists: boolean, signal?: AbortSignal): Promise<void> {
    const { clock } = this.#cluster.context
    const untilMs = clock.now() + VISIBLE_WITHIN_MS
    while (clock.now() < untilMs) {
      const topic = await this.describeTopic(name, signal)
      const hasLeaders = topic?.partitions.every(({ leader }) => leader >= 0) ?? false
      if (exists ? hasLeaders : topic === null) return
      await clock.sleep(VISIBLE_CHECK_MS, signal)
    }
  }
}

type CreationRequest = Parameters<typeof createTopicsV5.createRequest>[0][number]
interface CreationResult {
  readonly name: string
  readonly errorCode: number
  readonly errorMessage?: string | null | undefined
}

function creation({ name, partitions, replicationFactor, configs = {} }: NewTopic): CreationRequest {
  return {
    name,
    numPartitions: partitions,
    replicationFactor,
    assignments: [],
    configs: Object.entries(configs).map(([key, value]) => ({ name: key, value })),
  }
}
