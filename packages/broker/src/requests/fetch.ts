import type { AbortedTransaction, LogBatch, PartitionLog } from '../log/partition-log.ts'
import { LEADER_EPOCH } from '../log/partition-log.ts'
import { ErrorCode } from '../protocol/error-code.ts'
import type { RequestOf, ResponseOf } from '../protocol/message-types.ts'
import type { Call, Handler } from './call.ts'
import type { FetchPartition, SessionChoice, SessionPartition } from './fetch-sessions.ts'

type FetchTopic = RequestOf<'Fetch'>['topics'][number]
type TopicResponse = NonNullable<ResponseOf<'Fetch'>['responses']>[number]
type PartitionResponse = NonNullable<TopicResponse['partitions']>[number]

/** First version with topic ids instead of names. */
const TOPIC_IDS_FROM = 13
const READ_COMMITTED = 1
const NO_SESSION = 0
/** First version with sessions. */
const SESSIONS_FROM = 7
const NO_CHOICE: SessionChoice = { tag: 'none' }
/** Of an answer, whatever the request allows: fetch.max.bytes of Kafka's brokers. */
const ANSWER_BYTES_MAX = 57_671_680

/** A partition to read, and what its client knows of it; null: the answer lists it in any case. */
interface Wanted {
  readonly topic: Pick<FetchTopic, 'topic' | 'topicId'>
  readonly partition: FetchPartition
  readonly known: SessionPartition | null
}

interface FetchResult {
  readonly response: ResponseOf<'Fetch'>
  readonly bytes: number
  readonly hasErrors: boolean
  readonly logs: readonly PartitionLog[]
  /** Remembers what the client knows after this answer. */
  readonly sent: () => void
}

/**
 * Returns batches from the requested offsets; if there are fewer than `minBytes`, waits for more up to `maxWaitMs`. With
 * a session (KIP-227), requests and answers list only partitions in which something has changed.
 */
export const fetch: Handler<'Fetch'> = (request, call, answer) => {
  const { version, nowMs: startedMs } = call
  const { sessions } = call.state
  const choice = version < SESSIONS_FROM ? NO_CHOICE : sessions.choose(request, version >= TOPIC_IDS_FROM, startedMs)
  if (choice.tag === 'error') {
    answer({ errorCode: choice.errorCode, responses: [] })
    return
  }
  const respond = ({ response, sent }: FetchResult): void => {
    sent()
    answer(response)
  }
  const look = (nowMs: number): FetchResult => read(request, wantedBy(request, choice), choice, { ...call, nowMs })
  const first = look(startedMs)
  if (isEnough(first, request) || request.maxWaitMs <= 0) {
    respond(first)
    return
  }
  const finish = (result: FetchResult): void => {
    unwatch()
    timer.cancel()
    respond(result)
  }
  const unwatch = call.state.fetches.watch(first.logs, (nowMs) => {
    const result = look(nowMs)
    if (isEnough(result, request)) finish(result)
  })
  const timer = call.state.timers.at(startedMs + request.maxWaitMs, (nowMs) => finish(look(nowMs)))
}

type Choice = Exclude<SessionChoice, { readonly tag: 'error' }>

function wantedBy({ topics }: RequestOf<'Fetch'>, choice: Choice): readonly Wanted[] {
  if (choice.tag === 'none') {
    return topics.flatMap((topic) => topic.partitions.map((partition) => ({ topic, partition, known: null })))
  }
  return Array.from(choice.session.partitions.values(), (known) => ({ ...known, known }))
}

function isEnough(result: FetchResult, { minBytes }: RequestOf<'Fetch'>): boolean {
  return result.hasErrors || result.bytes >= minBytes || result.logs.length === 0
}

function read(request: RequestOf<'Fetch'>, wanted: readonly Wanted[], choice: Choice, call: Call): FetchResult {
  const maxBytes = Math.min(request.maxBytes, ANSWER_BYTES_MAX)
  const logs: PartitionLog[] = []
  let bytes = 0
  let hasErrors = false
  const found = wanted.map((each) => {
    const { log, errorCode } = findLog(each, call)
    if (log === undefined || errorCode !== ErrorCode.NONE) {
      hasErrors = true
      return { ...each, response: failure(each.partition, errorCode, log !== undefined), bytes: 0 }
    }
    logs.push(log)
    const room = Math.min(each.partition.partitionMaxBytes, maxBytes - bytes)
    const limits = { room, mayExceed: bytes === 0, isolation: request.isolationLevel }
    const result = readLog(log, each.partition, limits)
    bytes += result.bytes
    return { ...each, ...result }
  })
  const isIncremental = choice.tag === 'session' && !choice.isNew
  const listed = isIncremental ? found.filter(hasNews) : found
  const sent = (): void => {
    for (const each of listed) remember(each, choice)
  }
  const sessionId = choice.tag === 'session' ? choice.session.id : NO_SESSION
  return { response: { sessionId, responses: byTopic(listed) }, bytes, hasErrors, logs, sent }
}

interface Found extends Wanted {
  readonly response: PartitionResponse
  readonly bytes: number
}

/** What a client with a session does not know yet. */
function hasNews({ known, response, bytes }: Found): boolean {
  if (known === null || bytes > 0 || response.errorCode !== ErrorCode.NONE) return true
  return response.highWatermark !== known.highWatermark || response.logStartOffset !== known.logStartOffset
}

function remember({ known, response, bytes }: Found, choice: Choice): void {
  if (known === null || choice.tag === 'none') return
  // After an error the next answer lists the partition, whatever it is.
  const hasFailed = response.errorCode !== ErrorCode.NONE
  known.highWatermark = hasFailed ? -1n : (response.highWatermark ?? -1n)
  known.logStartOffset = response.logStartOffset ?? -1n
  if (bytes > 0) choice.session.moveToEnd(known)
}

function byTopic(found: readonly Found[]): readonly TopicResponse[] {
  const topics = new Map<string, { readonly topic: Wanted['topic']; readonly partitions: PartitionResponse[] }>()
  for (const { topic, response } of found) {
    const key = `${topic.topic} ${topic.topicId}`
    const entry = topics.get(key) ?? { topic, partitions: [] }
    topics.set(key, entry)
    entry.partitions.push(response)
  }
  return Array.from(topics.values(), ({ topic: { topic, topicId }, partitions }) => ({ topic, topicId, partitions }))
}

function findLog(
  { topic, partition }: Wanted,
  { state, version }: Call,
): { readonly log?: PartitionLog; readonly errorCode: number } {
  const byId = version >= TOPIC_IDS_FROM
  const known = byId ? state.topics.byId(topic.topicId) : state.topics.get(topic.topic)
  const log = known?.partitions[partition.partition]
  if (log !== undefined) return { log, errorCode: problemOf(partition, log) }
  const isUnknownId = byId && known === undefined
  return { errorCode: isUnknownId ? ErrorCode.UNKNOWN_TOPIC_ID : ErrorCode.UNKNOWN_TOPIC_OR_PARTITION }
}

function problemOf({ currentLeaderEpoch, fetchOffset }: FetchPartition, log: PartitionLog): number {
  if (currentLeaderEpoch > LEADER_EPOCH) return ErrorCode.UNKNOWN_LEADER_EPOCH
  const isInside = fetchOffset >= BigInt(log.startOffset) && fetchOffset <= BigInt(log.endOffset)
  return isInside ? ErrorCode.NONE : ErrorCode.OFFSET_OUT_OF_RANGE
}

function failure({ partition }: FetchPartition, errorCode: number, exists: boolean): PartitionResponse {
  const none = -1n
  return {
    partitionIndex: partition,
    errorCode,
    highWatermark: none,
    lastStableOffset: none,
    logStartOffset: none,
    abortedTransactions: exists ? null : [],
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
      abortedTransactions: isCommittedOnly ? abortedFrom(log, { offset, end, batches }) : null,
      records: bytesOf(batches),
    },
  }
}

interface ReadPart {
  readonly offset: number
  readonly end: number
  readonly batches: readonly LogBatch[]
}

/**
 * The aborted transactions of what was read. Like Kafka's answers it has some beyond the last stable offset, which
 * readers ignore until they get there: those of the same segment, unless the limit of bytes ended the batches before.
 */
function abortedFrom(
  log: PartitionLog,
  { offset, end, batches }: ReadPart,
): readonly { readonly producerId: bigint; readonly firstOffset: bigint }[] {
  const last = batches.at(-1)
  if (last === undefined) return []
  const readTo = last.header.lastOffset + 1
  const next = log.batchAt(readTo)
  const isLimited = next !== undefined && next.header.baseOffset < end
  return log
    .abortedBetween(offset, isLimited ? readTo : log.segmentEnd(last.header.baseOffset))
    .map(({ producerId, firstOffset }: AbortedTransaction) => ({ producerId, firstOffset: BigInt(firstOffset) }))
}

function bytesOf(batches: readonly LogBatch[]): Buffer {
  const [only] = batches
  if (batches.length === 1 && only !== undefined) return only.stored.read()
  return Buffer.concat(batches.map(({ stored }) => stored.read()))
}
