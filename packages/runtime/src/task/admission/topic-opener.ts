import type { Admin, Producer, ProducerTopic } from '@tributary/kafka'
import { CodedError, type Logger } from '@tributary/support'

export interface TopicOpenerOptions {
  readonly producer: Producer
  readonly admin: Admin
  /** Called when a topic is opened for the first time, or for the first time since `forgetTopics`. */
  readonly onOpened: (topic: string) => void
  readonly logger: Logger
}

/**
 * Opens the topics of records. A missing topic is created by the broker if its auto-creation is on, otherwise here,
 * with the broker's defaults for partitions and replicas.
 */
export class TopicOpener {
  readonly #options: TopicOpenerOptions
  /** The broker's setting; true also when the account may not read it. */
  #brokerCreates: Promise<boolean> | null = null
  readonly #opened = new Set<string>()
  /** Openings that were started ahead, until the record of that topic awaits them. */
  readonly #ahead = new Map<string, Promise<ProducerTopic>>()
  /** Topics to open ahead that wait for a worker. */
  readonly #queue = new Set<string>()
  #workers = 0

  constructor(options: TopicOpenerOptions) {
    this.#options = options
  }

  /** Reads the broker's setting while the task starts. If that fails, `open` reads it again and reports the error. */
  preload(signal: AbortSignal): void {
    this.#readAutoCreation(signal).catch(() => undefined)
  }

  /** Sends requests only for a topic that was not opened before. */
  async open(name: string, signal: AbortSignal): Promise<ProducerTopic> {
    const { producer, onOpened } = this.#options
    const known = this.#opened.has(name) ? producer.knownTopic(name) : null
    if (known !== null) return known
    const topic = await this.#openNow(name, signal)
    this.#opened.add(name)
    onOpened(name)
    return topic
  }

  /**
   * Starts to open the topics of later records concurrently: creating a topic takes the brokers some hundredths of a
   * second, and a snapshot may need thousands. A failure is not thrown here, but by `open` for the first record of that
   * topic.
   */
  openAhead(names: Iterable<string>, signal: AbortSignal): void {
    const { producer } = this.#options
    for (const name of names) {
      const isKnown = this.#opened.has(name) && producer.knownTopic(name) !== null
      if (!isKnown && !this.#ahead.has(name)) this.#queue.add(name)
    }
    while (this.#workers < WORKERS_MAX && this.#queue.size > 0) void this.#work(signal)
  }

  /** Opens topics of the queue one after the other, until one fails. */
  async #work(signal: AbortSignal): Promise<void> {
    this.#workers += 1
    try {
      for (const name of this.#queue) {
        this.#queue.delete(name)
        const opening = this.#find(name, signal)
        this.#ahead.set(name, opening)
        await opening
      }
    } catch {
      // The task gets this error from `open`, when it reaches a record of the topic, and may fail. So no other topic is
      // opened ahead of its records.
      this.#queue.clear()
    } finally {
      this.#workers -= 1
    }
  }

  /** Awaits the opening that was started ahead, or starts one. Either is used once. */
  async #openNow(name: string, signal: AbortSignal): Promise<ProducerTopic> {
    this.#queue.delete(name)
    try {
      return await (this.#ahead.get(name) ?? this.#find(name, signal))
    } finally {
      this.#ahead.delete(name)
    }
  }

  /** The next `open` of each topic counts as its first. */
  forgetTopics(): void {
    this.#opened.clear()
  }

  async #find(name: string, signal: AbortSignal): Promise<ProducerTopic> {
    const { producer, admin } = this.#options
    const brokerCreates = await this.#readAutoCreation(signal)
    if (!brokerCreates && (await admin.describeTopic(name, signal)) === null) await this.#create(name, signal)
    try {
      return await producer.topic(name, { signal, missingTopicWaitMs: AUTO_CREATION_WAIT_MS })
    } catch (error) {
      if (!(error instanceof CodedError) || error.code !== 'UNKNOWN_TOPIC') throw error
      await this.#create(name, signal)
      return producer.topic(name, { signal })
    }
  }

  /** Reads it once for all callers; again after a failure. */
  #readAutoCreation(signal: AbortSignal): Promise<boolean> {
    this.#brokerCreates ??= this.#options.admin
      .brokerConfig('auto.create.topics.enable', signal)
      .then((value) => value !== 'false')
      .catch((error: unknown) => {
        this.#brokerCreates = null
        throw error
      })
    return this.#brokerCreates
  }

  async #create(name: string, signal: AbortSignal): Promise<void> {
    const { admin, logger } = this.#options
    const isCreated = await admin.createTopic({ name, partitions: -1, replicationFactor: -1 }, signal)
    if (isCreated)
      logger.info(`Created topic ${name} with the broker's defaults, because the broker does not create topics itself`)
  }
}

/** A broker creates a topic when it answers a metadata request, and has elected a leader within a second or two. */
const AUTO_CREATION_WAIT_MS = 5_000

/**
 * Openings in flight share requests. A controller takes up to 10,000 records per request, one for the topic and one for
 * each partition and setting: with 64 topics that is enough for 150 partitions each.
 */
const WORKERS_MAX = 64
