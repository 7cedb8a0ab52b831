import type { Admin, Kafka, LogRecord } from '@tributary/kafka'
import { type Clock, doneOr, StoppedError, toError } from '@tributary/support'
import { FollowedTopic } from './followed-topic.ts'
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

/**
 * Reads all topics of some connectors, with those that are created later, in one order.
 *
 * Records of several topics arrive in several responses, the later change possibly first. So when one has arrived, the
 * follower looks where each topic ends: a connector writes in the order of the binlog, so whatever comes before that
 * record is before those ends, and the follower waits until it is there. Only a load of several requests at once may
 * show another order.
 */
export class TopicFollower implements AsyncDisposable {
  readonly #options: TopicFollowerOptions
  readonly #signal: AbortSignal
  readonly #admin: Admin
  readonly #closing = new AbortController()
  readonly #topics = new Map<string, FollowedTopic>()
  readonly #loops: Promise<void>[] = []
  #opening: Promise<void> = Promise.resolve()
  #failure: unknown = null
  #isFull = false
  #onProgress = Promise.withResolvers<void>()

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

  /** The next records, as soon as there is one. */
  async next(): Promise<readonly LogRecord[]> {
    for (;;) {
      await this.#until(() => this.#some((topic) => topic.hasRecords))
      await this.#openNew('earliest')
      await Promise.all([...this.#topics.values()].map((topic) => topic.look(this.#signal)))
      await this.#until(() => !this.#some((topic) => !topic.isReady))
      const records = this.#take()
      if (records.length > 0) return records
    }
  }

  /** Ends `next` with a StoppedError. May be called twice. */
  async close(): Promise<void> {
    this.#closing.abort()
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
    const found = new Map(this.#topics.entries().map(([name, topic]) => [name, topic.found]))
    const merged = mergeRecords(found)
    const counts = Map.groupBy(merged, (record) => record.topic)
    for (const [name, topic] of this.#topics) topic.take(counts.get(name)?.length ?? 0)
    return merged
  }

  async #until(condition: () => boolean): Promise<void> {
    for (;;) {
      if (this.#failure !== null) throw toError(this.#failure)
      if (condition()) return
      await doneOr(this.#onProgress.promise, this.#signal)
    }
  }

  #progress(): void {
    const { resolve } = this.#onProgress
    this.#onProgress = Promise.withResolvers()
    resolve()
  }

  /** An error of a loop is that of the next call. */
  #run(loop: Promise<void>): void {
    const onError = (error: unknown): void => {
      if (error instanceof StoppedError) return
      this.#failure = error
      this.#progress()
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
    const { kafka, isFollowed, onTooMany } = this.#options
    for (const [name, { isEnded, hasRecords }] of this.#topics) if (isEnded && !hasRecords) this.#topics.delete(name)
    for (const name of await this.#admin.listTopics(this.#signal)) {
      if (!isFollowed(name) || this.#topics.has(name)) continue
      if (this.#topics.size >= TOPICS_MAX) {
        if (!this.#isFull) onTooMany(TOPICS_MAX)
        this.#isFull = true
        return
      }
      const topic = new FollowedTopic(await kafka.reader({ topic: name, from }, this.#signal))
      this.#topics.set(name, topic)
      this.#run(topic.read(() => this.#progress(), this.#signal))
    }
  }
}
