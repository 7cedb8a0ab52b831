import type { AbortedTransaction, LogBatch, PartitionLog } from '../log/partition-log.ts'
import { LEADER_EPOCH } from '../log/partition-log.ts'
import { ErrorCode } from '../protocol/error-code.ts'
import type { RequestOf, ResponseOf } from '../protocol/message-types.ts'
import type { Call, Handler } from './call.ts'

type FetchTopic = RequestOf<'Fetch'>['topics'][number]
type FetchPartition = FetchTopic['partitions'][number]
type TopicResponse = NonNullable<ResponseOf<'Fetch'>['responses']>[number]
type PartitionResponse = NonNullable<TopicResponse['partitions']>[number]

/** First version with topic ids instead of names. */
const TOPIC_IDS_FROM = 13
const READ_COMMITTED = 1
const NO_SESSION = 0
/** Of an answer, whatever the request allows: fetch.max.bytes of Kafka's brokers. */
const ANSWER_BYTES_MAX = 57_671_680

interface FetchResult {
  readonly response: ResponseOf<'Fetch'>
  readonly bytes: number
  readonly hasErrors: boolean
  readonly logs: readonly PartitionLog[]
}

/**
 * Returns batches from the requested offsets; if there are fewer than `minBytes`, waits for more up to `maxWaitMs`.
 * Sessions (KIP-227) are not granted, as by a broker whose session cache is full: each request lists its partitions.
 */
export const fetch: Handler<'Fetch'> = (request, call, answer) => {
  if (request.sessionId !== NO_SESSION && request.sessionEpoch > 0) {
    answer({ errorCode: ErrorCode.FETCH_SESSION_ID_NOT_FOUND, responses: [] })
    return
  }
  const first = read(request, call)
  if (isEnough(first, request) || request.maxWaitMs <= 0) {
    answer(first.response)
    return
  }
  const finish = (response: ResponseOf<'Fetch'>): void => {
    unwatch()
    timer.cancel()
    answer(response)
  }
  const look = (nowMs: number): void => {
    const result = read(request, { ...call, nowMs })
    if (isEnough(result, request)) finish(result.response)
  }
  const unwatch = call.state.fetches.watch(first.logs, look)
  const timer = call.state.timers.at(call.nowMs + request.maxWaitMs, (nowMs) => {
    finish(read(request, { ...call, nowMs }).response)
  })
}

function isEnough(result: FetchResult, { minBytes }: RequestOf<'Fetch'>): boolean {
  return result.hasErrors || result.bytes >= minBytes || result.logs.length === 0
}

function read(request: RequestOf<'Fetch'>, call: Call): FetchResult {
  const { topics } = call.state
  const maxBytes = Math.min(request.maxBytes, ANSWER_BYTES_MAX)
  const logs: PartitionLog[] = []
  let bytes = 0
  let hasErrors = false
  const readOne = (topic: FetchTopic, partition: FetchPartition): PartitionResponse => {
    const byId = call.version >= TOPIC_IDS_FROM
    const known = byId ? topics.byId(topic.topicId) : topics.get(topic.topic)
    const log = known?.partitions[partition.partition]
    if (log === undefined) {
      hasErrors = true
      const isUnknownId = byId && known === undefined
      return failure(partition, isUnknownId ? ErrorCode.UNKNOWN_TOPIC_ID : ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
    }
    const problem = problemOf(partition, log)
    if (problem !== ErrorCode.NONE) {
      hasErrors = true
      return { ...failure(partition, problem), abortedTransactions: null }
    }
    logs.push(log)
    const room = Math.min(partition.partitionMaxBytes, maxBytes - bytes)
    const result = readLog(log, partition, { room, mayExceed: bytes === 0, isolation: request.isolationLevel })
    bytes += result.bytes
    return result.response
  }
  const responses = request.topics.map((topic) => ({
    topic: topic.topic,
    topicId: topic.topicId,
    partitions: topic.partitions.map((partition) => readOne(topic, partition)),
  }))
  return { response: { sessionId: NO_SESSION, responses }, bytes, hasErrors, logs }
}

function problemOf({ currentLeaderEpoch, fetchOffset }: FetchPartition, log: PartitionLog): number {
  if (currentLeaderEpoch > LEADER_EPOCH) return ErrorCode.UNKNOWN_LEADER_EPOCH
  const isInside = fetchOffset >= BigInt(log.startOffset) && fetchOffset <= BigInt(log.endOffset)
  return isInside ? ErrorCode.NONE : ErrorCode.OFFSET_OUT_OF_RANGE
}

function failure({ partition }: FetchPartition, errorCode: number): PartitionResponse {
  const none = -1n
  return {
    partitionIndex: partition,
    errorCode,
    highWatermark: none,
    lastStableOffset: none,
    logStartOffset: none,
    abortedTransactions: [],
    records: Buffer.alloc(0),
  }
}

interface ReadLimits {
  /** In bytes. */
  readonly room: number
  /** The first batch of an answer is returned even if it is larger (KIP-74). */
  readonly mayExceed: boolean
  readonly isolation: number
}

function readLog(
  log: PartitionLog,
  { partition, fetchOffset }: FetchPartition,
  { room, mayExceed, isolation }: ReadLimits,
): { readonly response: PartitionResponse; readonly bytes: number } {
  const isCommittedOnly = isolation === READ_COMMITTED
  const end = isCommittedOnly ? log.stableOffset : log.endOffset
  const offset = Number(fetchOffset)
  let { batches, bytes } = log.read(offset, end, room)
  const next = log.batchAt(offset)
  if (batches.length === 0 && mayExceed && next !== undefined && next.header.baseOffset < end) {
    batches = [next]
    bytes = next.stored.length
  }
  return {
    bytes,
    response: {
      partitionIndex: partition,
      errorCode: ErrorCode.NONE,
      highWatermark: BigInt(log.endOffset),
      lastStableOffset: BigInt(log.stableOffset),
      logStartOffset: BigInt(log.startOffset),
      abortedTransactions: isCommittedOnly ? abortedIn(log, offset, batches) : null,
      records: bytesOf(batches),
    },
  }
}

function abortedIn(
  log: PartitionLog,
  offset: number,
  batches: readonly LogBatch[],
): readonly { readonly producerId: bigint; readonly firstOffset: bigint }[] {
  const last = batches.at(-1)
  if (last === undefined) return []
  return log
    .abortedBetween(offset, last.header.lastOffset + 1)
    .map(({ producerId, firstOffset }: AbortedTransaction) => ({ producerId, firstOffset: BigInt(firstOffset) }))
}

function bytesOf(batches: readonly LogBatch[]): Buffer {
  const [only] = batches
  if (batches.length === 1 && only !== undefined) return only.stored.read()
  return Buffer.concat(batches.map(({ stored }) => stored.read()))
}
