import { textPart, type Kafka, type Producer, type ProducerTopic, type TransactionalProducer } from '@tributary/kafka'
import { CodedError, doneOr, retry, StoppedError, throwIfStopped, type Clock } from '@tributary/support'

/** A record of an internal topic. A null value is a tombstone. */
export interface TextRecord {
  readonly key: string
  readonly value: string | null
}

export interface TopicWriterOptions {
  readonly kafka: Kafka
  readonly topic: string
  /** Each call of `write` is a transaction. Default: no transactions. */
  readonly transactions?: TopicTransactions | undefined
}

export interface TopicTransactions {
  /** The transactional id of the producer. */
  readonly id: string
  readonly clock: Clock
}

interface OpenTopic {
  readonly producer: Producer
  /** The same producer if it writes in transactions; otherwise null. */
  readonly transactional: TransactionalProducer | null
  readonly topic: ProducerTopic
}

/**
 * Writes records of text to one topic, in the order of the calls. Connects on first use. Replaces a producer that has
 * failed for good (sequence lost, no permission) at the next call: a permission may be granted later, and the worker
 * must outlive such a fault.
 *
 * With transactions it fences any other writer with the id when it connects. When it is fenced itself, it takes the id
 * back after a random pause, and writes again: the other workers of the group write with the same id. The lease of this
 * worker decides whether it may write at all. Writing a record twice does not matter: its key has the same value.
 */
export class TopicWriter implements AsyncDisposable {
  readonly #options: TopicWriterOptions
  readonly #stop = new AbortController()
  #open: OpenTopic | null = null
  #opening: Promise<OpenTopic> | null = null
  #token = 0
  /** How often records were dropped: a write that waits for its connection must not send them after that. */
  #drops = 0
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
    const drops = this.#drops
    const attempt = (): Promise<void> => this.#write(records, drops, signal)
    const { transactions } = this.#options
    if (transactions === undefined) return attempt()
    const written = this.#last.then(() => this.#writeTransaction(attempt, transactions, signal))
    this.#last = written.catch(() => undefined)
    return written
  }

  #writeTransaction(
    attempt: () => Promise<void>,
    { clock }: TopicTransactions,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    throwIfStopped(signal)
    const when = (error: Error): boolean => error instanceof CodedError && error.code === 'PRODUCER_FENCED'
    return retry(attempt, { ...FENCED_RETRIES, clock, when, ...(signal && { signal }) })
  }

  async #write(records: readonly TextRecord[], drops: number, signal: AbortSignal | undefined): Promise<void> {
    const { producer, transactional, topic } = await this.#connected(signal)
    throwIfStopped(signal)
    if (drops !== this.#drops) throw new StoppedError()
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
      if (transactional !== null) await this.#abandon(transactional)
      else if (producer.failure !== null) await producer.close()
      throw error
    }
  }

  /** The transaction may have some of the records, which the next write must not commit. */
  async #abandon(producer: TransactionalProducer): Promise<void> {
    if (this.#open?.producer === producer) this.#open = null
    await producer.close()
  }

  /** Drops records that are not stored yet; their writes fail. The next write connects again. */
  async dropUnstored(): Promise<void> {
    this.#drops += 1
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
    const { transactions } = this.#options
    const options = { compression: 'none', onDelivered: () => undefined } as const
    const transactional =
      transactions === undefined
        ? null
        : await kafka.transactionalProducer(
            { ...options, transactionalId: transactions.id, transactionTimeoutMs: TRANSACTION_TIMEOUT_MS },
            signal,
          )
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

/** With equal pauses two writers would fence each other again and again. */
const FENCED_RETRIES = { initialMs: 40, maxMs: 1_000, jitter: 0.8, limitMs: 20_000 } as const

/** All workers wait for the open transaction of one that was killed. A write takes some milliseconds. */
const TRANSACTION_TIMEOUT_MS = 10_000
