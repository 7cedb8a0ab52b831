import type { Admin, Kafka, LogRecord, TopicReader } from '@tributary/kafka'
import { type Clock, doneOr, StoppedError, toError, withTimeout } from '@tributary/support'
import { FollowedTopic, ifDeleted } from './followed-topic.ts'
import { mergeRecords } from './merge-records.ts'

export interface TopicFollowerOptions {
  readonly kafka: Kafka
  readonly isFollowed: (topic: string) => boolean
  /** Called once, when there are more topics than are read. */
  readonly onTooMany: (topicsMax: number) => void
  readonly clock: Clock
  readonly signal: AbortSignal
}

/** How soon the records of a new topic are read while nothing else happens. */
const NEW_TOPICS_MS = 200
/** Each has connections of its own, and requests while nothing happens. */
const TOPICS_MAX = 200
/** A topic that is deleted while it is opened is asked for without end. */
const OPEN_MS = 10_000

/**
 * Reads all topics of some connectors, with those that are created later, in one order.
 *
 * Records of several topics arrive in several responses, the later change possibly first. A connector writes in the
 * order of the binlog, so when a record has arrived, whatever comes before it is written. So the follower looks then
 * which topics there are and where they end, and returns the record when all topics are read up to there. Only records
 * of several produce requests in flight may have another order.
 */
export class TopicFollower implements AsyncDisposable {
  readonly #options: TopicFollowerOptions
  readonly #signal: AbortSignal
  readonly #admin: Admin
  readonly #closing = new AbortController()
  readonly #failed = new AbortController()
  readonly #topics = new Map<string, FollowedTopic>()
  readonly #loops: Promise<void>[] = []
  #opening: Promise<void> = Promise.resolve()
  #isFull = false
  #onProgress = Promise.withResolvers<void>()

  private constructor(options: TopicFollowerOptions) {
    this.#options = options
    this.#admin = options.kafka.admin()
    this.#signal = AbortSignal.any([options.signal, this.#closing.signal, this.#failed.signal])
  }

  /** Begins at the ends of the topics that exist. */
  static async open(options: TopicFollowerOptions): Promise<TopicFollower> {
    const follower = new TopicFollower(options)
    await follower.#openNew('latest')
    follower.#run(follower.#discover())
    return follower
  }

  /** The next records, as soon as there is one. */
  async next(): Promise<readonly LogRecord[]> {
    try {
      await this.#until(() => this.#some((topic) => topic.hasRecords))
      for (const topic of this.#topics.values()) topic.markDue()
      await this.#openNew('earliest')
      await Promise.all([...this.#topics.values()].map((topic) => topic.look(this.#signal)))
      await this.#until(() => !this.#some((topic) => !topic.isReady))
      return this.#take()
    } catch (error) {
      throw this.#failed.signal.aborted ? toError(this.#failed.signal.reason) : error
    }
  }

  /** Ends `next` with a StoppedError. May be called twice. */
  async close(): Promise<void> {
    this.#closing.abort()
    await this.#opening.catch(() => undefined)
    await Promise.all([...this.#topics.values()].map((topic) => topic.close()))
    await Promise.all(this.#loops)
    await this.#admin[Symbol.asyncDispose]()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  #some(predicate: (topic: FollowedTopic) => boolean): boolean {
    return this.#topics.values().some(predicate)
  }

  #take(): readonly LogRecord[] {
    const merged = mergeRecords(new Map(this.#topics.entries().map(([name, topic]) => [name, topic.found])))
    const counts = Map.groupBy(merged, (record) => record.topic)
    for (const [name, topic] of this.#topics) topic.take(counts.get(name)?.length ?? 0)
    return merged
  }

  async #until(condition: () => boolean): Promise<void> {
    while (!condition()) await doneOr(this.#onProgress.promise, this.#signal)
  }

  #progress(): void {
    const { resolve } = this.#onProgress
    this.#onProgress = Promise.withResolvers()
    resolve()
  }

  /** An error of a loop is that of the next call. */
  #run(loop: Promise<void>): void {
    const onError = (error: unknown): void => {
      if (!(error instanceof StoppedError)) this.#failed.abort(error)
    }
    this.#loops.push(loop.catch(onError))
  }

  async #discover(): Promise<void> {
    for (;;) {
      await this.#options.clock.sleep(NEW_TOPICS_MS, this.#signal)
      await this.#openNew('earliest')
    }
  }

  /** One call after the other, so that no topic is opened twice. */
  #openNew(from: 'earliest' | 'latest'): Promise<void> {
    this.#opening = this.#opening.then(() => this.#openThoseOfNow(from))
    return this.#opening
  }

  async #openThoseOfNow(from: 'earliest' | 'latest'): Promise<void> {
    const { isFollowed, onTooMany } = this.#options
    const names = new Set(await this.#admin.listTopics(this.#signal))
    this.#endDeleted(names)
    for (const name of names) {
      if (!isFollowed(name) || this.#topics.has(name)) continue
      if (this.#topics.size >= TOPICS_MAX) {
        if (!this.#isFull) onTooMany(TOPICS_MAX)
        this.#isFull = true
        return
      }
      const reader = await this.#openReader(name, from)
      if (reader === null) continue
      const topic = new FollowedTopic(reader)
      this.#topics.set(name, topic)
      this.#run(topic.read(() => this.#progress(), this.#signal))
    }
  }

  #endDeleted(names: ReadonlySet<string>): void {
    for (const [name, topic] of this.#topics) {
      if (!names.has(name)) topic.end()
      if (topic.isEnded && !topic.hasRecords) this.#topics.delete(name)
    }
    this.#progress()
  }

  /** Null: the topic was deleted meanwhile. */
  async #openReader(topic: string, from: 'earliest' | 'latest'): Promise<TopicReader | null> {
    const { kafka, clock } = this.#options
    const open = (signal: AbortSignal): Promise<TopicReader | null> =>
      kafka.reader({ topic, from }, signal).catch((error: unknown) => {
        if (error instanceof StoppedError && !this.#signal.aborted) return null
        return ifDeleted(error)
      })
    return withTimeout(clock, OPEN_MS, open, this.#signal)
  }
}
