import type { Admin, Producer, ProducerTopic } from '@tributary/kafka'
import { CodedError, type Logger } from '@tributary/support'

export interface TopicOpenerOptions {
  readonly producer: Producer
  readonly admin: Admin
  /** Called for each topic that is opened for the first time, or since `forgetTopics`. */
  readonly onOpened: (topic: string) => void
  readonly logger: Logger
}

/**
 * Opens the topics that records go to. A topic that does not exist is created by the broker when it may (auto-creation), and
 * otherwise here, with the broker's own defaults for partitions and replicas.
 */
export class TopicOpener {
  readonly #options: TopicOpenerOptions
  /** What the broker says; true also when it may not be asked. */
  #brokerCreates: Promise<boolean> | null = null
  readonly #opened = new Set<string>()
  /** Openings that were begun and that no record has waited for yet. */
  readonly #begun = new Map<string, Promise<ProducerTopic>>()
  readonly #toBegin = new Set<string>()
  /** How many of `#toBegin` are being opened. */
  #underWay = 0

  constructor(options: TopicOpenerOptions) {
    this.#options = options
  }

  /** Asks what `open` asks first, while there is time for it. What goes wrong is told by `open`, which asks again. */
  prepare(signal: AbortSignal): void {
    this.#askWhetherBrokerCreates(signal).catch(() => undefined)
  }

  /** Asks the brokers only the first time. */
  async open(name: string, signal: AbortSignal): Promise<ProducerTopic> {
    const { producer, onOpened } = this.#options
    const known = this.#opened.has(name) ? producer.knownTopic(name) : null
    if (known !== null) return known
    const topic = await this.#take(name, signal)
    this.#opened.add(name)
    onOpened(name)
    return topic
  }

  /**
   * Begins to open topics that records will be sent to soon, beside one another: a topic that has to be created takes the brokers
   * some hundredths of a second, and a snapshot may need thousands. It is a hint. Whether an opening has failed is told by `open`,
   * when the turn of its record comes; of a record that never has its turn it does not matter.
   */
  openAhead(names: Iterable<string>, signal: AbortSignal): void {
    const { producer } = this.#options
    for (const name of names) {
      const isKnown = this.#opened.has(name) && producer.knownTopic(name) !== null
      if (!isKnown && !this.#begun.has(name)) this.#toBegin.add(name)
    }
    while (this.#underWay < UNDER_WAY_MAX && this.#toBegin.size > 0) void this.#work(signal)
  }

  /** Opens what is to be opened ahead, one topic after the other, until one cannot be. */
  async #work(signal: AbortSignal): Promise<void> {
    this.#underWay += 1
    try {
      for (const name of this.#toBegin) {
        this.#toBegin.delete(name)
        const opening = this.#find(name, signal)
        this.#begun.set(name, opening)
        await opening
      }
    } catch {
      // `open` gives the error, to the record whose turn it is. What waits here may never be needed then.
      this.#toBegin.clear()
    } finally {
      this.#underWay -= 1
    }
  }

  /** The result of an opening that was begun ahead, of this once, or of one that begins now. */
  async #take(name: string, signal: AbortSignal): Promise<ProducerTopic> {
    this.#toBegin.delete(name)
    try {
      return await (this.#begun.get(name) ?? this.#find(name, signal))
    } finally {
      this.#begun.delete(name)
    }
  }

  /** Each topic is opened for the first time again. */
  forgetTopics(): void {
    this.#opened.clear()
  }

  async #find(name: string, signal: AbortSignal): Promise<ProducerTopic> {
    const { producer, admin } = this.#options
    const brokerCreates = await this.#askWhetherBrokerCreates(signal)
    if (!brokerCreates && (await admin.describeTopic(name, signal)) === null) await this.#create(name, signal)
    try {
      return await producer.topic(name, { signal, missingTopicWaitMs: AUTO_CREATION_WAIT_MS })
    } catch (error) {
      if (!(error instanceof CodedError) || error.code !== 'UNKNOWN_TOPIC') throw error
      await this.#create(name, signal)
      return producer.topic(name, { signal })
    }
  }

  /** Asked once, whoever asks first. */
  #askWhetherBrokerCreates(signal: AbortSignal): Promise<boolean> {
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
      logger.info(`Created topic ${name} with the broker's defaults: the broker does not create topics itself`)
  }
}

/** A broker that creates topics does so while answering, and has elected a leader within a second or two. */
const AUTO_CREATION_WAIT_MS = 5_000

/**
 * They share requests. A controller takes up to 10,000 records a request, one for the topic and one for each partition and setting:
 * enough for 150 partitions by default.
 */
const UNDER_WAY_MAX = 64
