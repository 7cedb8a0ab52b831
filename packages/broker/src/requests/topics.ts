import { ErrorCode } from '../protocol/error-code.ts'
import type { RequestOf, ResponseOf } from '../protocol/message-types.ts'
import { ZERO_UUID } from '../protocol/message-codec.ts'
import { problemOfSetting } from '../topics/topic-config.ts'
import { problemOfName, type Topic } from '../topics/topic-registry.ts'
import type { Call, Handler } from './call.ts'
import { describeSettings } from './configs.ts'

type CreatableTopic = RequestOf<'CreateTopics'>['topics'][number]
type CreatedTopic = NonNullable<ResponseOf<'CreateTopics'>['topics']>[number]

interface Refusal {
  readonly errorCode: number
  readonly errorMessage: string | null
}

const TOPIC_PARTITIONS_MAX = 10_000

export const createTopics: Handler<'CreateTopics'> = (request, call, answer) => {
  const counts = new Map<string, number>()
  for (const { name } of request.topics) counts.set(name, (counts.get(name) ?? 0) + 1)
  const named = new Map(request.topics.map((topic) => [topic.name, topic]))
  const topics = Array.from(named.values(), (wanted): CreatedTopic => {
    const { name } = wanted
    const none = { name, topicId: ZERO_UUID, numPartitions: -1, replicationFactor: -1, configs: [] }
    if ((counts.get(name) ?? 0) > 1) {
      return { ...none, errorCode: ErrorCode.INVALID_REQUEST, errorMessage: 'Duplicate topic name.' }
    }
    const refusal = problemOfTopic(wanted, call)
    if (refusal !== null) return { ...none, ...refusal }
    const configs = overridesOf(wanted)
    const numPartitions = partitionsOf(wanted, call)
    const created = { ...none, errorCode: ErrorCode.NONE, errorMessage: null, numPartitions, replicationFactor: 1 }
    const effective = describeSettings(configs, call.state.settings).map((each) => ({
      ...each,
      configSource: each.source,
    }))
    if (request.validateOnly) return { ...created, configs: effective }
    const topic = call.state.topics.create({ name, id: call.state.newUuid(), configs }, numPartitions, call.nowMs)
    return { ...created, topicId: topic.id, configs: effective }
  })
  answer({ topics })
}

function overridesOf({ configs }: CreatableTopic): Readonly<Record<string, string>> {
  return Object.fromEntries(configs.flatMap(({ name, value }) => (value === null ? [] : [[name, value] as const])))
}

function partitionsOf(wanted: CreatableTopic, { state }: Call): number {
  if (wanted.assignments.length > 0) return wanted.assignments.length
  return wanted.numPartitions === -1 ? state.settings.defaultPartitions : wanted.numPartitions
}

function problemOfTopic(wanted: CreatableTopic, { state }: Call): Refusal | null {
  const { name, numPartitions, replicationFactor, assignments, configs } = wanted
  const nameProblem = problemOfName(name)
  if (nameProblem !== null) return refuse(ErrorCode.INVALID_TOPIC_EXCEPTION, nameProblem)
  if (state.topics.get(name) !== undefined) {
    return refuse(ErrorCode.TOPIC_ALREADY_EXISTS, `Topic '${name}' already exists.`)
  }
  const collision = state.topics.collision(name)
  if (collision !== undefined) {
    return refuse(ErrorCode.INVALID_TOPIC_EXCEPTION, `Topic '${name}' collides with existing topic: ${collision}`)
  }
  for (const { name: key, value } of configs) {
    const problem = value === null ? `Null value not supported for topic configs: ${key}` : problemOfSetting(key, value)
    if (problem !== null) return refuse(ErrorCode.INVALID_CONFIG, problem)
  }
  if (assignments.length > 0) return problemOfAssignments(wanted, state.settings.nodeId)
  if (replicationFactor !== -1 && replicationFactor <= 0) {
    return refuse(ErrorCode.INVALID_REPLICATION_FACTOR, 'Replication factor must be larger than 0, or -1.')
  }
  if ((numPartitions !== -1 && numPartitions <= 0) || numPartitions > TOPIC_PARTITIONS_MAX) {
    return refuse(ErrorCode.INVALID_PARTITIONS, `Number of partitions must be 1 to ${TOPIC_PARTITIONS_MAX}, or -1.`)
  }
  if (replicationFactor > 1) {
    const text = `The replication factor ${replicationFactor} cannot be reached: this broker is the only one.`
    return refuse(ErrorCode.INVALID_REPLICATION_FACTOR, text)
  }
  return null
}

function problemOfAssignments(wanted: CreatableTopic, nodeId: number): Refusal | null {
  if (wanted.numPartitions !== -1 || wanted.replicationFactor !== -1) {
    const text = 'A manual partition assignment was specified, but also numbers of partitions or replicas.'
    return refuse(ErrorCode.INVALID_REQUEST, text)
  }
  const isComplete = wanted.assignments.every(
    ({ partitionIndex, brokerIds }, i) => partitionIndex === i && brokerIds.length === 1 && brokerIds[0] === nodeId,
  )
  if (isComplete) return null
  return refuse(ErrorCode.INVALID_REPLICA_ASSIGNMENT, `Each partition can only be assigned to broker ${nodeId}.`)
}

function refuse(errorCode: number, errorMessage: string): Refusal {
  return { errorCode, errorMessage }
}

/** First version with topic ids. */
const TOPIC_IDS_FROM = 6

export const deleteTopics: Handler<'DeleteTopics'> = (request, { state, version }, answer) => {
  const wanted =
    version < TOPIC_IDS_FROM ? request.topicNames.map((name) => ({ name, topicId: ZERO_UUID })) : request.topics
  const responses = wanted.map(({ name, topicId }) => {
    const topic = name === null ? state.topics.byId(topicId) : state.topics.get(name)
    if (topic === undefined) {
      const errorCode = name === null ? ErrorCode.UNKNOWN_TOPIC_ID : ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
      return { name, topicId, errorCode, errorMessage: 'This server does not host this topic.' }
    }
    deleteTopic(topic, state)
    return { name: topic.name, topicId: topic.id, errorCode: ErrorCode.NONE, errorMessage: null }
  })
  answer({ responses })
}

function deleteTopic(topic: Topic, { topics, offsets, transactions }: Call['state']): void {
  transactions.forgetOffsets((_, offset) => offset.topic === topic.name)
  topics.delete(topic)
  offsets.deleteTopic(topic.name)
}

export const createPartitions: Handler<'CreatePartitions'> = (request, { state, nowMs }, answer) => {
  const results = request.topics.map(({ name, count, assignments }) => {
    const fail = (errorCode: number, errorMessage: string): object => ({ name, errorCode, errorMessage })
    const topic = state.topics.get(name)
    if (topic === undefined) return fail(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, 'This server does not host this topic.')
    const present = topic.partitions.length
    if (count <= present || count > TOPIC_PARTITIONS_MAX) {
      return fail(
        ErrorCode.INVALID_PARTITIONS,
        `The topic ${name} currently has ${present} partition(s); ${count} is no increase.`,
      )
    }
    if (assignments !== null && assignments.length !== count - present) {
      return fail(ErrorCode.INVALID_REPLICA_ASSIGNMENT, 'The number of assignments is not that of the new partitions.')
    }
    if (!request.validateOnly) state.topics.addPartitions(topic, count, nowMs)
    return { name, errorCode: ErrorCode.NONE, errorMessage: null }
  })
  answer({ results })
}
