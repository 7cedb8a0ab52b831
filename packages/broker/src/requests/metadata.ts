import { LEADER_EPOCH } from '../log/partition-log.ts'
import { ErrorCode } from '../protocol/error-code.ts'
import type { RequestOf, ResponseOf } from '../protocol/message-types.ts'
import { ZERO_UUID } from '../protocol/message-codec.ts'
import { problemOfName, type Topic } from '../topics/topic-registry.ts'
import type { Call, Handler } from './call.ts'
import { CLUSTER_OPERATIONS, NOT_REQUESTED, TOPIC_OPERATIONS } from './operations.ts'

type MetadataRequest = RequestOf<'Metadata'>
type TopicResponse = NonNullable<ResponseOf<'Metadata'>['topics']>[number]

/** First version in which an empty list of topics requests none; before it requests all. */
const EMPTY_IS_NONE_FROM = 1
/** First version that can forbid the creation of topics. */
const MAY_FORBID_FROM = 4

export const metadata: Handler<'Metadata'> = (request, call, answer) => {
  const { settings, clusterId } = call.state
  answer({
    brokers: [{ nodeId: settings.nodeId, host: settings.host, port: settings.port, rack: null }],
    clusterId,
    controllerId: settings.nodeId,
    topics: topicsOf(request, call),
    clusterAuthorizedOperations: request.includeClusterAuthorizedOperations ? CLUSTER_OPERATIONS : NOT_REQUESTED,
  })
}

function topicsOf(request: MetadataRequest, call: Call): readonly TopicResponse[] {
  const { topics } = call.state
  const requested = request.topics
  if (requested === null || (requested.length === 0 && call.version < EMPTY_IS_NONE_FROM)) {
    return Array.from(topics.all, (topic) => describe(topic, request, call))
  }
  return requested.map(({ name, topicId }) => {
    if (name === null || topicId !== ZERO_UUID) {
      const topic = topics.byId(topicId)
      return topic === undefined
        ? { ...missing(null, ErrorCode.UNKNOWN_TOPIC_ID), topicId }
        : describe(topic, request, call)
    }
    const topic = topics.get(name)
    if (topic !== undefined) return describe(topic, request, call)
    const operations = request.includeTopicAuthorizedOperations ? TOPIC_OPERATIONS : NOT_REQUESTED
    return { ...missing(name, create(name, request, call)), topicAuthorizedOperations: operations }
  })
}

/**
 * Creates a topic that a client asks for, as auto.create.topics.enable does. As in Kafka the answer is an error: the next
 * request sees the topic.
 */
function create(name: string, request: MetadataRequest, { state, version, nowMs }: Call): number {
  if (problemOfName(name) !== null) return ErrorCode.INVALID_TOPIC_EXCEPTION
  const mayCreate = version < MAY_FORBID_FROM || request.allowAutoTopicCreation
  if (!mayCreate || !state.settings.createsTopics) return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
  if (state.topics.collision(name) !== undefined) return ErrorCode.INVALID_TOPIC_EXCEPTION
  state.topics.create({ name, id: state.newUuid(), configs: {} }, state.settings.defaultPartitions, nowMs)
  return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
}

function missing(name: string | null, errorCode: number): TopicResponse {
  return { errorCode, name, topicId: ZERO_UUID, partitions: [], topicAuthorizedOperations: NOT_REQUESTED }
}

function describe(topic: Topic, request: MetadataRequest, { state }: Call): TopicResponse {
  const { nodeId } = state.settings
  const replicas = [nodeId]
  return {
    errorCode: ErrorCode.NONE,
    name: topic.name,
    topicId: topic.id,
    isInternal: false,
    partitions: topic.partitions.map((_, partitionIndex) => ({
      errorCode: ErrorCode.NONE,
      partitionIndex,
      leaderId: nodeId,
      leaderEpoch: LEADER_EPOCH,
      replicaNodes: replicas,
      isrNodes: replicas,
      offlineReplicas: [],
    })),
    topicAuthorizedOperations: request.includeTopicAuthorizedOperations ? TOPIC_OPERATIONS : NOT_REQUESTED,
  }
}

export const describeCluster: Handler<'DescribeCluster'> = (request, { state }, answer) => {
  const { settings, clusterId } = state
  const brokers = [{ brokerId: settings.nodeId, host: settings.host, port: settings.port, rack: null, isFenced: false }]
  const operations = request.includeClusterAuthorizedOperations ? CLUSTER_OPERATIONS : NOT_REQUESTED
  const answered = { endpointType: 1, clusterId, controllerId: settings.nodeId, brokers, errorMessage: null }
  if (request.endpointType !== 1) {
    const errorMessage = 'This broker has no controller endpoints.'
    answer({ ...answered, brokers: [], errorCode: ErrorCode.INVALID_REQUEST, errorMessage })
    return
  }
  answer({ ...answered, errorCode: ErrorCode.NONE, clusterAuthorizedOperations: operations })
}
