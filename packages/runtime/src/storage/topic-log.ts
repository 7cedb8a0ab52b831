import type { Kafka, LogRecord, Producer, ProducerTopic, RecordPart, TopicReader } from '@tributary/kafka'
import { assert, StoppedError, toError, type Logger } from '@tributary/support'

export interface TopicLogOptions {
  readonly kafka: Kafka
  readonly topic: string
  readonly logger: Logger
  /** Called for each record in order, of earlier and of our own writes; must not throw. */
  readonly onRecord: (record: LogRecord) => void
}

/**
 * A compacted topic as a small database (Connect's KafkaBasedLog): everything in it is read at start, then followed; what is
 * written is seen again by the reader. One loop reads; `onRecord` is called from it.
 */
export class TopicLog implements AsyncDisposable {
  readonly #options: TopicLogOptions
  readonly #stop = new AbortController()
  readonly #waiting = new Set<Waiter>()
  readonly #pending = new Map<number, PendingWrite>()
  #reader: TopicReader | null = null
  #producer: Producer | null = null
  #topic: ProducerTopic | null = null
  #loop: Promise<void> | null = null
  #nextToken = 0

  constructor(options: TopicLogOptions) {
    this.#options = options
  }

  /** Connects and reads the topic to its end. */
  async start(signal?: AbortSignal): Promise<void> {
    const { kafka, topic } = this.#options
    this.#reader = await kafka.reader({ topic, from: 'earliest' }, signal)
    await this.#reader.readToEnd((record) => this.#options.onRecord(record), signal)
    this.#producer = await kafka.producer({ compression: 'none', onDelivered: (tokens) => this.#delivered(tokens) })
    this.#topic = await this.#producer.topic(topic, signal === undefined ? {} : { signal })
    this.#loop = this.#follow(this.#reader)
  }

  async #follow(reader: TopicReader): Promise<void> {
    try {
      for (;;) {
        for (const record of await reader.poll(this.#stop.signal)) this.#options.onRecord(record)
        this.#settle(reader)
      }
    } catch (thrown) {
      const error = toError(thrown)
      for (const waiter of this.#waiting) waiter.reject(error)
      if (!(error instanceof StoppedError)) {
        this.#options.logger.error(`Reading the internal topic ${this.#options.topic} ended`, { error })
      }
    }
  }

  #settle(reader: TopicReader): void {
    for (const waiter of this.#waiting) {
      const isReached = [...waiter.ends].every(([partition, end]) => reader.position(partition) >= end)
      if (!isReached) continue
      this.#waiting.delete(waiter)
      waiter.resolve()
    }
  }

  /** Writes a record (a null value is a tombstone); resolves when the brokers have it. */
  send(key: string, value: string | null): Promise<void> {
    const topic = this.#topic
    assert(topic !== null && this.#producer !== null, 'the log is not started')
    if (this.#producer.failure !== null) return Promise.reject(this.#producer.failure)
    const token = this.#nextToken++
    return new Promise((resolve, reject) => {
      this.#pending.set(token, { resolve, reject })
      try {
        topic.send({
          key: textPart(key),
          value: value === null ? null : textPart(value),
          headers: [],
          partition: null,
          timestamp: null,
          token,
        })
      } catch (error) {
        this.#pending.delete(token)
        reject(toError(error))
        return
      }
      this.#producer?.flush(this.#stop.signal).catch((error: unknown) => {
        if (this.#pending.delete(token)) reject(toError(error))
      })
    })
  }

  #delivered(tokens: readonly number[]): void {
    for (const token of tokens) {
      this.#pending.get(token)?.resolve()
      this.#pending.delete(token)
    }
  }

  /** Resolves when everything that was in the topic when called has been given to `onRecord`. */
  async readToEnd(): Promise<void> {
    const reader = this.#reader
    assert(reader !== null, 'the log is not started')
    const ends = await reader.endOffsets(this.#stop.signal)
    if ([...ends].every(([partition, end]) => reader.position(partition) >= end)) return
    await new Promise<void>((resolve, reject) => this.#waiting.add({ ends, resolve, reject }))
  }

  async close(): Promise<void> {
    this.#stop.abort()
    await this.#loop
    await this.#producer?.close()
    await this.#reader?.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}

interface Waiter {
  readonly ends: ReadonlyMap<number, bigint>
  readonly resolve: () => void
  readonly reject: (error: Error) => void
}

interface PendingWrite {
  readonly resolve: () => void
  readonly reject: (error: Error) => void
}

const NO_PREFIX = new Uint8Array(0)

function textPart(text: string): RecordPart {
  const buffer = Buffer.from(text)
  return { prefix: NO_PREFIX, buffer, start: 0, end: buffer.length }
}
