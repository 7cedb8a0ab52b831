import { ErrorCode } from '../protocol/error-code.ts'
import type { RequestOf, ResponseOf } from '../protocol/message-types.ts'
import type { JournalOffset } from '../storage/journal-entry.ts'
import type { Call, Handler } from './call.ts'

/** offset.metadata.max.bytes of Kafka. */
const METADATA_LENGTH_MAX = 4096
/** First version with topic ids instead of names. */
const TOPIC_IDS_FROM = 10
/** First version with several groups in a request. */
const SEVERAL_FROM = 8
/** First version in which no list of topics requests all of them. */
const ALL_FROM = 2

interface CommittedPartition {
  readonly partitionIndex: number
  readonly committedOffset: bigint
  readonly committedLeaderEpoch: number
  readonly committedMetadata: string | null
}

/** Checks one offset; returns it as the journal has it, or an error code. */
function toOffset(topic: string, partition: CommittedPartition, { state, nowMs }: Call): JournalOffset | number {
  const { partitionIndex, committedOffset, committedLeaderEpoch, committedMetadata } = partition
  if (state.topics.log(topic, partitionIndex) === undefined) return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
  const metadata = committedMetadata ?? ''
  return {
    topic,
    partition: partitionIndex,
    offset: String(committedOffset),
    leaderEpoch: committedLeaderEpoch,
    metadata,
    committedAtMs: nowMs,
  }
}

function isTooLong({ metadata }: JournalOffset): boolean {
  return metadata.length > METADATA_LENGTH_MAX
}

function problemOf(offset: JournalOffset): number {
  return isTooLong(offset) ? ErrorCode.OFFSET_METADATA_TOO_LARGE : ErrorCode.NONE
}

interface CommitTopic {
  readonly name: string
  readonly topicId?: string
  readonly partitions: readonly CommittedPartition[]
}

/** Commits the offsets that are valid; answers each partition. `commit` returns an error code for all of them. */
function commitEach(
  topics: readonly CommitTopic[],
  call: Call,
  commit: (offsets: readonly JournalOffset[]) => number,
): NonNullable<ResponseOf<'OffsetCommit'>['topics']> {
  const checked = topics.map(({ name, topicId, partitions }) => ({
    name,
    topicId,
    partitions: partitions.map((each) => ({ index: each.partitionIndex, offset: toOffset(name, each, call) })),
  }))
  const valid = checked.flatMap(({ partitions }) => partitions.map(({ offset }) => offset))
  const offsets = valid.filter((offset) => typeof offset !== 'number')
  // The group is looked at before the texts are.
  const result = offsets.length === 0 ? ErrorCode.NONE : commit(offsets.filter((offset) => !isTooLong(offset)))
  return checked.map(({ name, topicId = '', partitions }) => ({
    name,
    topicId,
    partitions: partitions.map(({ index, offset }) => ({
      partitionIndex: index,
      errorCode: typeof offset === 'number' ? offset : result || problemOf(offset),
    })),
  }))
}

export const offsetCommit: Handler<'OffsetCommit'> = (request, call, answer) => {
  const { state, nowMs, version } = call
  const { groupId, generationIdOrMemberEpoch: generationId, memberId, groupInstanceId } = request
  const topics = request.topics.map(({ name, topicId, partitions }) => {
    const known = version >= TOPIC_IDS_FROM ? (state.topics.byId(topicId)?.name ?? '') : name
    return { name: known, topicId, partitions }
  })
  const isInvalid = groupId === ''
  const checked = isInvalid
    ? ErrorCode.INVALID_GROUP_ID
    : state.groups.checkCommit({ groupId, generationId, memberId, groupInstanceId }, nowMs)
  const committed = commitEach(topics, call, (offsets) => {
    if (checked !== ErrorCode.NONE || offsets.length === 0) return checked
    state.offsets.commit(groupId, offsets)
    state.groups.ensure(groupId)
    return checked
  })
  answer({ topics: committed })
}

export const txnOffsetCommit: Handler<'TxnOffsetCommit'> = (request, call, answer) => {
  const { state, nowMs } = call
  const { groupId, transactionalId, producerId, producerEpoch, generationId, memberId, groupInstanceId } = request
  const topics = commitEach(request.topics, call, (offsets) => {
    const isMember = generationId >= 0 || memberId !== '' || groupInstanceId !== null
    const member = { groupId, generationId, memberId, groupInstanceId }
    const problem = isMember ? state.groups.checkCommit(member, nowMs) : ErrorCode.NONE
    if (problem !== ErrorCode.NONE) return problem
    const claim = { transactionalId, producerId, epoch: producerEpoch }
    const result = state.transactions.addOffsets(claim, groupId, offsets)
    if (result === ErrorCode.NONE && offsets.length > 0) state.groups.ensure(groupId)
    return result
  })
  answer({ topics })
}

interface FetchedPartition {
  readonly partitionIndex: number
  readonly committedOffset: bigint
  readonly committedLeaderEpoch: number
  readonly metadata: string
  readonly errorCode: number
}

interface FetchedTopic {
  readonly name: string
  readonly partitions: readonly FetchedPartition[]
}

interface OffsetQuery {
  readonly groupId: string
  /** Null: all that are committed. */
  readonly topics: readonly { readonly name: string; readonly partitionIndexes: readonly number[] }[] | null
  /** Partitions with offsets in an open transaction are an error. */
  readonly requireStable: boolean
}

export const offsetFetch: Handler<'OffsetFetch'> = (request, call, answer) => {
  const { requireStable } = request
  if (call.version >= SEVERAL_FROM) {
    answer({ groups: request.groups.map((group) => fetchGroup(group, requireStable, call)) })
    return
  }
  const { groupId, topics } = request
  const requested = call.version < ALL_FROM ? (topics ?? []) : topics
  answer({ errorCode: ErrorCode.NONE, topics: committed({ groupId, topics: requested, requireStable }, call) })
}

function fetchGroup(
  { groupId, topics }: RequestOf<'OffsetFetch'>['groups'][number],
  requireStable: boolean,
  call: Call,
): NonNullable<ResponseOf<'OffsetFetch'>['groups']>[number] {
  const { state, version } = call
  if (version < TOPIC_IDS_FROM) {
    return { groupId, errorCode: ErrorCode.NONE, topics: committed({ groupId, topics, requireStable }, call) }
  }
  const ids = topics?.map(({ topicId, partitionIndexes }) => ({
    topic: state.topics.byId(topicId),
    topicId,
    partitionIndexes,
  }))
  const known = ids?.flatMap(({ topic, partitionIndexes }) => (topic ? [{ name: topic.name, partitionIndexes }] : []))
  const unknown = (ids ?? []).filter(({ topic }) => topic === undefined)
  const found = committed({ groupId, topics: known ?? null, requireStable }, call)
  return {
    groupId,
    errorCode: ErrorCode.NONE,
    topics: [
      ...found.flatMap(({ name, partitions }) => {
        const topic = state.topics.get(name)
        return topic === undefined ? [] : [{ topicId: topic.id, partitions }]
      }),
      ...unknown.map(({ topicId, partitionIndexes }) => ({
        topicId,
        partitions: partitionIndexes.map((index) => missing(index, ErrorCode.UNKNOWN_TOPIC_ID)),
      })),
    ],
  }
}

function committed({ groupId, topics, requireStable }: OffsetQuery, { state }: Call): readonly FetchedTopic[] {
  const one = (topic: string, partition: number): FetchedPartition => {
    if (requireStable && state.transactions.hasPendingOffset(groupId, topic, partition)) {
      return missing(partition, ErrorCode.UNSTABLE_OFFSET_COMMIT)
    }
    const found = state.offsets.get(groupId, topic, partition)
    if (found === undefined) return missing(partition, ErrorCode.NONE)
    return {
      partitionIndex: partition,
      committedOffset: BigInt(found.offset),
      committedLeaderEpoch: found.leaderEpoch,
      metadata: found.metadata,
      errorCode: ErrorCode.NONE,
    }
  }
  if (topics !== null) {
    return topics.map(({ name, partitionIndexes }) => ({ name, partitions: partitionIndexes.map((i) => one(name, i)) }))
  }
  const byTopic = new Map<string, FetchedPartition[]>()
  for (const { topic, partition } of state.offsets.all(groupId)) {
    byTopic.set(topic, [...(byTopic.get(topic) ?? []), one(topic, partition)])
  }
  return Array.from(byTopic, ([name, partitions]) => ({ name, partitions }))
}

function missing(partitionIndex: number, errorCode: number): FetchedPartition {
  return { partitionIndex, committedOffset: -1n, committedLeaderEpoch: -1, metadata: '', errorCode }
}

export const offsetDelete: Handler<'OffsetDelete'> = ({ groupId, topics }, { state }, answer) => {
  const group = state.groups.get(groupId)
  if (group === undefined && !state.offsets.has(groupId)) {
    answer({ errorCode: ErrorCode.GROUP_ID_NOT_FOUND })
    return
  }
  const isInUse = group !== undefined && group.state !== 'Empty'
  if (isInUse && group.protocolType !== 'consumer') {
    answer({ errorCode: ErrorCode.NON_EMPTY_GROUP })
    return
  }
  const deleteOne = (name: string, partitionIndex: number): { partitionIndex: number; errorCode: number } => {
    if (state.topics.log(name, partitionIndex) === undefined) {
      return { partitionIndex, errorCode: ErrorCode.UNKNOWN_TOPIC_OR_PARTITION }
    }
    // Which topics its members read is in their metadata, which only they understand.
    if (isInUse) return { partitionIndex, errorCode: ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC }
    state.transactions.forgetOffsets(
      (each, { topic, partition }) => each === groupId && topic === name && partition === partitionIndex,
    )
    state.offsets.delete(groupId, name, partitionIndex)
    return { partitionIndex, errorCode: ErrorCode.NONE }
  }
  answer({
    errorCode: ErrorCode.NONE,
    topics: topics.map(({ name, partitions }) => ({
      name,
      partitions: partitions.map(({ partitionIndex }) => deleteOne(name, partitionIndex)),
    })),
  })
}
