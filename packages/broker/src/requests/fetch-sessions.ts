import { ErrorCode } from '../protocol/error-code.ts'
import type { RequestOf } from '../protocol/message-types.ts'

type FetchRequest = RequestOf<'Fetch'>
type FetchTopic = FetchRequest['topics'][number]
export type FetchPartition = FetchTopic['partitions'][number]

/** A partition of a session, and what its client knows of it. */
export interface SessionPartition {
  /** Its topic as the request names it: the name, or the id of later versions. */
  readonly topic: Pick<FetchTopic, 'topic' | 'topicId'>
  partition: FetchPartition
  highWatermark: bigint
  logStartOffset: bigint
}

/** The partitions that a client fetches, so that its requests list changes only (KIP-227). */
export class FetchSession {
  readonly id: number
  readonly usesTopicIds: boolean
  /** Of the next request. */
  epoch = 1
  usedAtMs: number
  /** In the order in which they are read; those that had records move to the end. */
  readonly partitions: Map<string, SessionPartition> = new Map()

  constructor(id: number, usesTopicIds: boolean, nowMs: number) {
    this.id = id
    this.usesTopicIds = usesTopicIds
    this.usedAtMs = nowMs
  }

  /** Applies the changes that a request lists. */
  update({ topics, forgottenTopicsData }: FetchRequest): void {
    for (const { topic, topicId, partitions } of topics) {
      for (const partition of partitions) {
        const key = keyOf(topic, topicId, partition.partition)
        const known = this.partitions.get(key)
        if (known !== undefined) known.partition = partition
        else this.partitions.set(key, { topic: { topic, topicId }, partition, highWatermark: -1n, logStartOffset: -1n })
      }
    }
    for (const { topic, topicId, partitions } of forgottenTopicsData) {
      for (const partition of partitions) this.partitions.delete(keyOf(topic, topicId, partition))
    }
  }

  /** A partition had records: the others are read first the next time. */
  moveToEnd({ topic: { topic, topicId }, partition: { partition } }: SessionPartition): void {
    const key = keyOf(topic, topicId, partition)
    const moved = this.partitions.get(key)
    if (moved === undefined) return
    this.partitions.delete(key)
    this.partitions.set(key, moved)
  }
}

function keyOf(topic: string, topicId: string, partition: number): string {
  return `${topic} ${topicId} ${partition}`
}

export type SessionChoice =
  /** The request lists all partitions, and there is no session. */
  | { readonly tag: 'none' }
  /** A session that lives on; the request of a new one lists all partitions. */
  | { readonly tag: 'session'; readonly session: FetchSession; readonly isNew: boolean }
  | { readonly tag: 'error'; readonly errorCode: number }

/** max.incremental.fetch.session.cache.slots of Kafka, and how long an unused session keeps its place. */
const SESSIONS_MAX = 1000
const EVICTION_MS = 120_000
const NO_SESSION = 0
/** Epochs of a request that ends its session, and of one that begins a session. */
const FINAL = -1
const INITIAL = 0
const EPOCH_MAX = 2 ** 31 - 1

/** The fetch sessions of the broker. */
export class FetchSessions {
  /** By id; least recently used first. */
  readonly #sessions = new Map<number, FetchSession>()
  readonly #newId: () => number

  /** @param newId random numbers from 1 to 2^31 - 1 */
  constructor(newId: () => number) {
    this.#newId = newId
  }

  choose(request: FetchRequest, usesTopicIds: boolean, nowMs: number): SessionChoice {
    const { sessionId, sessionEpoch } = request
    if (sessionEpoch === FINAL || sessionEpoch === INITIAL) {
      this.#sessions.delete(sessionId)
      const session = sessionEpoch === FINAL ? null : this.#create(usesTopicIds, nowMs)
      if (session === null) return { tag: 'none' }
      session.update(request)
      return { tag: 'session', session, isNew: true }
    }
    const session = this.#sessions.get(sessionId)
    if (session === undefined) return { tag: 'error', errorCode: ErrorCode.FETCH_SESSION_ID_NOT_FOUND }
    if (sessionEpoch !== session.epoch) return { tag: 'error', errorCode: ErrorCode.INVALID_FETCH_SESSION_EPOCH }
    if (session.usesTopicIds !== usesTopicIds)
      return { tag: 'error', errorCode: ErrorCode.FETCH_SESSION_TOPIC_ID_ERROR }
    session.epoch = session.epoch === EPOCH_MAX ? 1 : session.epoch + 1
    session.usedAtMs = nowMs
    this.#sessions.delete(sessionId)
    session.update(request)
    // A session without partitions is of no use.
    if (session.partitions.size === 0) return { tag: 'none' }
    this.#sessions.set(sessionId, session)
    return { tag: 'session', session, isNew: false }
  }

  /** null: all places are taken by sessions in use. */
  #create(usesTopicIds: boolean, nowMs: number): FetchSession | null {
    const [oldest] = this.#sessions.values()
    if (this.#sessions.size >= SESSIONS_MAX && oldest !== undefined) {
      if (nowMs - oldest.usedAtMs < EVICTION_MS) return null
      this.#sessions.delete(oldest.id)
    }
    let id = this.#newId()
    while (id === NO_SESSION || this.#sessions.has(id)) id = this.#newId()
    const session = new FetchSession(id, usesTopicIds, nowMs)
    this.#sessions.set(id, session)
    return session
  }
}
