import type { Admin, Producer, ProducerTopic } from '@tributary/kafka'
import { CodedError, describeError, type Logger } from '@tributary/support'
import { newTopicText, type PlannedTopic, type TopicCreation } from '../../config/topic-creation.ts'
import { runtimeErrors } from '../../errors.ts'
import type { KeptCodecs } from './kept-codecs.ts'

export interface TopicOpenerOptions {
  readonly producer: Producer
  readonly admin: Admin
  /** The settings of the topics that are created; null: the brokers' defaults. */
  readonly creation: TopicCreation | null
  readonly codecs: Pick<KeptCodecs, 'codecFor'>
  /** Called when a topic is opened for the first time, or for the first time since `forgetTopics`. */
  readonly onOpened: (topic: string) => void
  readonly logger: Logger
}

/**
 * Opens the topics of records. A missing topic is created with the settings of the connector, if it has any. Otherwise
 * the broker creates it if its auto-creation is on, and else it is created here with the broker's defaults.
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
    if (this.#options.creation === null) this.#readAutoCreation(signal).catch(() => undefined)
  }

  /** Sends requests only for a topic that was not opened before. */
  async open(name: string, signal: AbortSignal): Promise<ProducerTopic> {
    const { producer, onOpened } = this.#options
    const known = this.#opened.has(name) ? producer.knownTopic(name) : null
    if (known !== null) return known
    const topic = await this.#openNow(name, signal)
    this.#opened.add(name)
    const [oldest] = this.#opened
    if (this.#opened.size > OPENED_MAX && oldest !== undefined) this.#opened.delete(oldest)
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
    const { producer, admin, creation, codecs } = this.#options
    const compression = await codecs.codecFor(name, signal)
    const options = compression === undefined ? { signal } : { signal, compression }
    if (creation !== null) {
      await this.#createAsPlanned(creation.plan(name), signal)
      return producer.topic(name, options)
    }
    const brokerCreates = await this.#readAutoCreation(signal)
    if (!brokerCreates && (await admin.describeTopic(name, signal)) === null) await this.#create(name, signal)
    try {
      return await producer.topic(name, { ...options, missingTopicWaitMs: AUTO_CREATION_WAIT_MS })
    } catch (error) {
      if (!(error instanceof CodedError) || error.code !== 'UNKNOWN_TOPIC') throw error
      await this.#create(name, signal)
      return producer.topic(name, options)
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

  /** A topic that exists stays as it is. */
  async #createAsPlanned({ topic, group }: PlannedTopic, signal: AbortSignal): Promise<void> {
    const { admin, logger } = this.#options
    try {
      if ((await admin.describeTopic(topic.name, signal)) !== null) return
      const isCreated = await admin.createTopic(topic, signal)
      if (isCreated) logger.info(`Created topic '${newTopicText(topic)}' using creation group ${group}`)
    } catch (error) {
      if (!(error instanceof CodedError)) throw error
      const reason = describeError(error)
      if (error.code === 'NOT_AUTHORIZED') {
        throw runtimeErrors.TOPIC_CREATION_DENIED({ topic: newTopicText(topic), group, reason }, error)
      }
      throw error.isRetriable ? error : runtimeErrors.TOPIC_NOT_CREATED({ topic: topic.name, group, reason }, error)
    }
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

/** Names are remembered so that each topic is reported once; a topic beyond is looked up and reported again. */
const OPENED_MAX = 10_000
