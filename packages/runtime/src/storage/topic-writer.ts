import { textPart, type Kafka, type Producer, type ProducerTopic, type TransactionalProducer } from '@tributary/kafka'
import { CodedError, doneOr, StoppedError, throwIfStopped } from '@tributary/support'

/** A record of an internal topic. A null value is a tombstone. */
export interface TextRecord {
  readonly key: string
  readonly value: string | null
}

export interface TopicWriterOptions {
  readonly kafka: Kafka
  readonly topic: string
  /** Each call of `write` is a transaction of the producer with this id. Default: no transactions. */
  readonly transactionalId?: string | undefined
}

interface OpenTopic {
  readonly producer: Producer
  /** The same, if it writes in transactions. */
  readonly transactional: TransactionalProducer | null
  readonly topic: ProducerTopic
}

/**
 * Writes records of text to one topic, in the order of the calls. Connects on first use. Replaces a producer that has
 * failed for good (sequence lost, no permission) at the next call: a permission may be granted later, and the worker
 * must outlive such a fault.
 *
 * With a transactional id it fences any other writer with that id when it connects. When it is fenced itself, it takes
 * the id back once per call: whether this worker may do so at all is decided by its lease.
 */
export class TopicWriter implements AsyncDisposable {
  readonly #options: TopicWriterOptions
  readonly #stop = new AbortController()
  #open: OpenTopic | null = null
  #opening: Promise<OpenTopic> | null = null
  #token = 0
  /** The end of the last transaction. */
  #last: Promise<unknown> = Promise.resolve()

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
  write(records: readonly TextRecord[], signal?: AbortSignal): Promise<void> {
    if (this.#options.transactionalId === undefined) return this.#write(records, signal)
    const written = this.#last.then(() => this.#writeTransaction(records, signal))
    this.#last = written.catch(() => undefined)
    return written
  }

  async #writeTransaction(records: readonly TextRecord[], signal: AbortSignal | undefined): Promise<void> {
    throwIfStopped(signal)
    try {
      await this.#write(records, signal)
    } catch (error) {
      if (!(error instanceof CodedError) || error.code !== 'PRODUCER_FENCED') throw error
      await this.#write(records, signal)
    }
  }

  async #write(records: readonly TextRecord[], signal: AbortSignal | undefined): Promise<void> {
    const { producer, transactional, topic } = await this.#connected(signal)
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
      if (transactional === null) await producer.flush(signal)
      else await transactional.commit(this.#token, signal)
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
    const { transactionalId } = this.#options
    const options = { compression: 'none', onDelivered: () => undefined } as const
    const transactional =
      transactionalId === undefined ? null : await kafka.transactionalProducer({ ...options, transactionalId }, signal)
    const producer = transactional ?? (await kafka.producer(options, signal))
    try {
      this.#open = { producer, transactional, topic: await producer.topic(topic, { signal }) }
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
