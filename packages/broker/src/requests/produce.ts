import { describeError } from '@tributary/support'
import { checkBatch, type BatchProblem } from '../log/batch-check.ts'
import { isTransactional, NO_PRODUCER_ID, readBatchHeader, setAppendTime } from '../batch/batch-header.ts'
import { stampChecksum } from '../batch/checksum.ts'
import { ErrorCode } from '../protocol/error-code.ts'
import type { RequestOf, ResponseOf } from '../protocol/message-types.ts'
import type { Topic } from '../topics/topic-registry.ts'
import type { Call, Handler } from './call.ts'

type TopicData = RequestOf<'Produce'>['topicData'][number]
type PartitionData = TopicData['partitionData'][number]
type PartitionResponse = NonNullable<
  NonNullable<NonNullable<ResponseOf<'Produce'>['responses']>[number]['partitionResponses']>[number]
>

/** First version with topic ids instead of names. */
const TOPIC_IDS_FROM = 13

export const produce: Handler<'Produce'> = (request, call, answer) => {
  const { acks, transactionalId } = request
  if (acks !== 0 && acks !== 1 && acks !== -1) {
    answer(eachPartition(request, () => failure(ErrorCode.INVALID_REQUIRED_ACKS)))
    return
  }
  const response = eachPartition(request, (data, topicData) => {
    const { topics } = call.state
    const byId = call.version >= TOPIC_IDS_FROM
    const topic = byId ? topics.byId(topicData.topicId) : topics.get(topicData.name)
    if (topic === undefined) return failure(byId ? ErrorCode.UNKNOWN_TOPIC_ID : ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
    return append(topic, data, { call, transactionalId, acks })
  })
  answer(acks === 0 ? null : response)
}

function eachPartition(
  request: RequestOf<'Produce'>,
  answerOf: (data: PartitionData, topic: TopicData) => PartitionResponse,
): ResponseOf<'Produce'> {
  return {
    responses: request.topicData.map((topic) => ({
      name: topic.name,
      topicId: topic.topicId,
      partitionResponses: topic.partitionData.map((data) => ({ index: data.index, ...answerOf(data, topic) })),
    })),
  }
}

interface AppendContext {
  readonly call: Call
  readonly transactionalId: string | null
  readonly acks: number
}

function append(topic: Topic, { index, records }: PartitionData, context: AppendContext): PartitionResponse {
  const { nowMs, state, version } = context.call
  const log = topic.partitions[index]
  if (log === undefined) return failure(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
  const inSync = Number(topic.config.value('min.insync.replicas'))
  if (context.acks === -1 && inSync > 1) return failure(ErrorCode.NOT_ENOUGH_REPLICAS)
  const bytes = records ?? Buffer.alloc(0)
  const problem = checkBatch(bytes, topic.config, nowMs)
  if (problem !== null) return refusal(problem, version)
  // A copy: the base offset is written into it.
  const batch = Buffer.from(bytes)
  const header = readBatchHeader(batch)
  if (isTransactional(header)) {
    const { producerId, epoch } = header
    const claim = { transactionalId: context.transactionalId ?? '', producerId, epoch }
    const known = log.producers.get(producerId)
    // The epoch of the partition says it more precisely.
    if (known !== undefined && epoch < known.epoch) return failure(ErrorCode.INVALID_PRODUCER_EPOCH)
    if (!state.transactions.includes(claim, topic.name, index)) return failure(ErrorCode.INVALID_TXN_STATE)
  }
  if (header.producerId !== NO_PRODUCER_ID) {
    const check = log.producers.check(header)
    if (check.tag === 'error') return failure(check.errorCode)
    if (check.tag === 'duplicate') {
      return { baseOffset: BigInt(check.baseOffset), logAppendTimeMs: -1n, logStartOffset: BigInt(log.startOffset) }
    }
  }
  const isAppendTime = topic.config.value('message.timestamp.type') === 'LogAppendTime'
  if (isAppendTime) {
    setAppendTime(batch, nowMs)
    stampChecksum(batch)
  }
  const segmentBytes = topic.config.limit('segment.bytes')
  try {
    log.rollIfDue(batch.length, { segmentBytes, segmentMs: topic.config.limit('segment.ms') }, nowMs)
    const baseOffset = log.append(batch, nowMs)
    state.fetches.grown(log, nowMs)
    return {
      baseOffset: BigInt(baseOffset),
      logAppendTimeMs: isAppendTime ? BigInt(nowMs) : -1n,
      logStartOffset: BigInt(log.startOffset),
    }
  } catch (error) {
    return { ...failure(ErrorCode.KAFKA_STORAGE_ERROR), errorMessage: describeError(error) }
  }
}

function failure(errorCode: number): PartitionResponse {
  return { errorCode, baseOffset: -1n, logAppendTimeMs: -1n, logStartOffset: -1n }
}

/** Clients before version 8 do not know INVALID_RECORD. */
function refusal({ errorCode, message, records }: BatchProblem, version: number): PartitionResponse {
  const known = errorCode === ErrorCode.INVALID_RECORD && version < 8 ? ErrorCode.CORRUPT_MESSAGE : errorCode
  return {
    ...failure(known),
    recordErrors: records.map((each) => ({ batchIndex: each.index, batchIndexErrorMessage: each.message })),
    errorMessage: message,
  }
}
