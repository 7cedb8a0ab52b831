import { describeError } from '@tributary/support'
import { checkBatch, type BatchProblem } from '../log/batch-check.ts'
import {
  BATCH_HEADER_BYTES,
  isTransactional,
  NO_PRODUCER_ID,
  readBatchHeader,
  setAppendTime,
} from '../batch/batch-header.ts'
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
  const { nowMs, state } = context.call
  const log = topic.partitions[index]
  if (log === undefined) return failure(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
  const bytes = records ?? Buffer.alloc(0)
  const unproven = problemOfTransaction(topic, { index, records: bytes }, context)
  if (unproven !== ErrorCode.NONE) return failure(unproven)
  if (context.acks !== 0 && context.acks !== 1 && context.acks !== -1) return failure(ErrorCode.INVALID_REQUIRED_ACKS)
  const inSync = Number(topic.config.value('min.insync.replicas'))
  if (context.acks === -1 && inSync > 1) return failure(ErrorCode.NOT_ENOUGH_REPLICAS)
  const problem = checkBatch(bytes, topic.config, nowMs)
  if (problem !== null) return refusal(problem)
  // A copy: the base offset is written into it.
  const batch = Buffer.from(bytes)
  const header = readBatchHeader(batch)
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
  try {
    const baseOffset = state.topics.append(topic, index, batch, nowMs)
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

/** First version whose clients know TRANSACTION_ABORTABLE. */
const ABORTABLE_FROM = 11

/** A batch of a transaction must be for a partition of that transaction. Checked before the batch itself, as in Kafka. */
function problemOfTransaction(
  topic: Topic,
  { index, records }: { readonly index: number; readonly records: Buffer },
  { call, transactionalId }: AppendContext,
): number {
  if (records.length < BATCH_HEADER_BYTES) return ErrorCode.NONE
  const header = readBatchHeader(records)
  if (!isTransactional(header)) return ErrorCode.NONE
  const { producerId, epoch } = header
  const producers = topic.partitions[index]?.producers
  const known = producers?.get(producerId)
  if (known !== undefined && epoch < known.epoch) return ErrorCode.INVALID_PRODUCER_EPOCH
  producers?.awaitFirst(header)
  const claim = { transactionalId: transactionalId ?? '', producerId, epoch }
  const problem = call.state.transactions.check(claim, topic.name, index)
  const isAbortable = problem === ErrorCode.INVALID_TXN_STATE && call.version >= ABORTABLE_FROM
  return isAbortable ? ErrorCode.TRANSACTION_ABORTABLE : problem
}

function failure(errorCode: number): PartitionResponse {
  return { errorCode, baseOffset: -1n, logAppendTimeMs: -1n, logStartOffset: -1n }
}

function refusal({ errorCode, message, records }: BatchProblem): PartitionResponse {
  return {
    ...failure(errorCode),
    recordErrors: records.map((each) => ({ batchIndex: each.index, batchIndexErrorMessage: each.message })),
    errorMessage: message,
  }
}
