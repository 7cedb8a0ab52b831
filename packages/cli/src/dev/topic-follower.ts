import type { Admin, Kafka, LogRecord, TopicReader } from '@tributary/kafka'
import { type Clock, CodedError, doneOr, StoppedError, toError } from '@tributary/support'

export interface TopicFollowerOptions {
  readonly kafka: Kafka
  readonly isFollowed: (topic: string) => boolean
  /** Called once, when there are more topics than are read. */
  readonly onTooMany: (topicsMax: number) => void
  readonly clock: Clock
  readonly signal: AbortSignal
}

/** How soon the records of a new topic are read. */
const NEW_TOPICS_MS = 200
/** Each has connections of its own, and requests while nothing happens. */
const TOPICS_MAX = 200
/** Changes of several tables arrive in several requests, which are printed in one order. */
const GATHER_MS = 5

/**
 * Reads all topics of some connectors, with those that are created later. Of each topic at most two polls are in memory:
 * the next one is read when the records of the last one were taken.
 */
export class TopicFollower implements AsyncDisposable {
  readonly #options: TopicFollowerOptions
  readonly #signal: AbortSignal
  readonly #admin: Admin
  readonly #closing = new AbortController()
  readonly #readers = new Map<string, TopicReader>()
  readonly #found = new Map<string, readonly LogRecord[]>()
  readonly #loops: Promise<void>[] = []
  #failure: unknown = null
  #isFull = false
  #onTaken = Promise.withResolvers<void>()
  #onFound = Promise.withResolvers<void>()

  private constructor(options: TopicFollowerOptions) {
    this.#options = options
    this.#admin = options.kafka.admin()
    this.#signal = AbortSignal.any([options.signal, this.#closing.signal])
  }

  /** Begins at the ends of the topics that exist. */
  static async open(options: TopicFollowerOptions): Promise<TopicFollower> {
    const follower = new TopicFollower(options)
    await follower.#openNew('latest')
    follower.#run(follower.#discover())
    return follower
  }

  /** The records of at least one topic, as soon as there are some. */
  async next(): Promise<ReadonlyMap<string, readonly LogRecord[]>> {
    this.#throwFailure()
    await doneOr(this.#onFound.promise, this.#signal)
    await this.#options.clock.sleep(GATHER_MS, this.#signal)
    this.#throwFailure()
    const found = new Map(this.#found)
    this.#found.clear()
    this.#onFound = Promise.withResolvers()
    const taken = this.#onTaken
    this.#onTaken = Promise.withResolvers()
    taken.resolve()
    return found
  }

  /** Ends `next` with a StoppedError. May be called twice. */
  async close(): Promise<void> {
    this.#closing.abort()
    await Promise.all([...this.#readers.values()].map((reader) => reader.close()))
    await Promise.all(this.#loops)
    await this.#admin[Symbol.asyncDispose]()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  #throwFailure(): void {
    if (this.#failure !== null) throw toError(this.#failure)
  }

  /** An error of a loop is that of the next call. */
  #run(loop: Promise<void>): void {
    const onError = (error: unknown): void => {
      if (error instanceof StoppedError) return
      this.#failure = error
      this.#onFound.resolve()
    }
    this.#loops.push(loop.catch(onError))
  }

  async #discover(): Promise<void> {
    for (;;) {
      await this.#options.clock.sleep(NEW_TOPICS_MS, this.#signal)
      await this.#openNew('earliest')
    }
  }

  async #openNew(from: 'earliest' | 'latest'): Promise<void> {
    const { kafka, isFollowed, onTooMany } = this.#options
    const topics = await this.#admin.listTopics(this.#signal)
    for (const topic of topics) {
      if (!isFollowed(topic) || this.#readers.has(topic)) continue
      if (this.#readers.size >= TOPICS_MAX) {
        if (!this.#isFull) onTooMany(TOPICS_MAX)
        this.#isFull = true
        return
      }
      this.#readers.set(topic, await kafka.reader({ topic, from }, this.#signal))
      this.#run(this.#read(topic))
    }
  }

  async #read(topic: string): Promise<void> {
    const reader = this.#readers.get(topic)
    for (;;) {
      const records = await reader?.poll(this.#signal).catch(ifDeleted)
      if (reader === undefined || records === undefined || records === null) break
      if (records.length === 0) continue
      this.#found.set(topic, records)
      const taken = this.#onTaken.promise
      this.#onFound.resolve()
      await doneOr(taken, this.#signal)
    }
    await reader?.close()
    this.#readers.delete(topic)
  }
}

/** Null: the topic was deleted, or its first records were. It is opened again if it exists. */
function ifDeleted(error: unknown): null {
  const code = error instanceof CodedError ? error.code : ''
  if (code === 'UNKNOWN_TOPIC' || code === 'OFFSET_OUT_OF_RANGE') return null
  throw error
}
