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
 * Writes records of text to one topic, in the order of the calls. Connects on first use. Replaces a producer that has
 * failed for good (sequence lost, no permission) at the next call: a permission may be granted later, and the worker
 * must outlive such a fault.
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

  /** Connects unless connected. Waits while the brokers are unreachable. */
  async open(signal?: AbortSignal): Promise<void> {
    await this.#connected(signal)
  }

  /**
   * Resolves when the brokers have stored all the records. Those for one partition are sent as one batch, which is
   * stored completely or not at all. After StoppedError they may still be stored later.
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

  /** Drops records that are not stored yet; their writes fail. The next write connects again. */
  async dropUnstored(): Promise<void> {
    const open = this.#open
    this.#open = null
    await open?.producer.close()
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
    // It may have failed between two writes.
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

  /** Closes the connection and drops records that are not stored yet. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    await this.#opening?.catch(() => undefined)
    await this.#open?.producer.close()
  }
}
