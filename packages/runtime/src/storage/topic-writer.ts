import { textPart, type Kafka, type Producer, type ProducerTopic } from '@tributary/kafka'
import { doneOr, StoppedError } from '@tributary/support'

/** A record of an internal topic. A null value is a tombstone. */
export interface TextRecord {
  readonly key: string
  readonly value: string | null
}

export interface TopicWriterOptions {
  readonly kafka: Kafka
  readonly topic: string
}

interface OpenTopic {
  readonly producer: Producer
  readonly topic: ProducerTopic
}

/**
 * Writes records of text to one topic, in the order of the calls. It connects when it is first used. A producer that has failed
 * for good (sequence lost, no permission) is replaced at the next call: what was refused once may be granted later, and a
 * worker outlives such a fault.
 */
export class TopicWriter implements AsyncDisposable {
  readonly #options: TopicWriterOptions
  readonly #stop = new AbortController()
  #open: OpenTopic | null = null
  #opening: Promise<OpenTopic> | null = null
  #token = 0

  constructor(options: TopicWriterOptions) {
    this.#options = options
  }

  /** Connects, unless it is connected. Waits while brokers are away. */
  async open(signal?: AbortSignal): Promise<void> {
    await this.#connected(signal)
  }

  /**
   * Resolves when the brokers have all the records. Those for one partition go out as one batch, which is stored whole or not at
   * all. After StoppedError they may still be stored later.
   */
  async write(records: readonly TextRecord[], signal?: AbortSignal): Promise<void> {
    const { producer, topic } = await this.#connected(signal)
    try {
      for (const { key, value } of records) {
        topic.send({
          key: textPart(key),
          value: value === null ? null : textPart(value),
          headers: [],
          partition: null,
          timestamp: null,
          token: this.#token++,
        })
      }
      await producer.flush(signal)
    } catch (error) {
      if (producer.failure !== null) await producer.close()
      throw error
    }
  }

  #connected(signal: AbortSignal | undefined): Promise<OpenTopic> {
    if (this.#stop.signal.aborted) return Promise.reject(new StoppedError())
    if (this.#open?.producer.failure === null) return Promise.resolve(this.#open)
    this.#opening ??= this.#connect().finally(() => {
      this.#opening = null
    })
    return doneOr(this.#opening, signal)
  }

  async #connect(): Promise<OpenTopic> {
    const { kafka, topic } = this.#options
    const { signal } = this.#stop
    // One that has failed between two writes.
    await this.#open?.producer.close()
    const producer = await kafka.producer({ compression: 'none', onDelivered: () => undefined }, signal)
    try {
      this.#open = { producer, topic: await producer.topic(topic, { signal }) }
      return this.#open
    } catch (error) {
      await producer.close()
      throw error
    }
  }

  /** Ends the connection; what is not stored yet is given up. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    await this.#opening?.catch(() => undefined)
    await this.#open?.producer.close()
  }
}
