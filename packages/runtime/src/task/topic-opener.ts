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
  #brokerCreates: boolean | null = null
  readonly #opened = new Set<string>()

  constructor(options: TopicOpenerOptions) {
    this.#options = options
  }

  /** Asks the brokers only the first time. */
  async open(name: string, signal: AbortSignal): Promise<ProducerTopic> {
    const { producer, onOpened } = this.#options
    const known = this.#opened.has(name) ? producer.knownTopic(name) : null
    if (known !== null) return known
    const topic = await this.#find(name, signal)
    this.#opened.add(name)
    onOpened(name)
    return topic
  }

  /** Each topic is opened for the first time again. */
  forgetTopics(): void {
    this.#opened.clear()
  }

  async #find(name: string, signal: AbortSignal): Promise<ProducerTopic> {
    const { producer, admin } = this.#options
    this.#brokerCreates ??= (await admin.brokerConfig('auto.create.topics.enable', signal)) !== 'false'
    if (!this.#brokerCreates && (await admin.describeTopic(name, signal)) === null) await this.#create(name, signal)
    try {
      return await producer.topic(name, { signal, missingTopicWaitMs: AUTO_CREATION_WAIT_MS })
    } catch (error) {
      if (!(error instanceof CodedError) || error.code !== 'UNKNOWN_TOPIC') throw error
      await this.#create(name, signal)
      return producer.topic(name, { signal })
    }
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
