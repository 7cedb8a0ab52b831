import { createKafka, kafkaOptionsFromProperties, type Kafka, type LogRecord, type TopicReader } from '@tributary/kafka'
import { BackOff, type Clock, CodedError, type Logger, StoppedError, toError } from '@tributary/support'

export interface SignalTopicOptions {
  /** `signal.kafka.bootstrap.servers` */
  readonly bootstrapServers: string
  readonly topic: string
  /** The key of the records that are for this connector: `topic.prefix`. */
  readonly key: string
  /** Properties of the Kafka client under Java's names: those of `signal.consumer.…`. */
  readonly properties: Readonly<Record<string, string>>
  readonly clientId: string
  readonly clock: Clock
  readonly logger: Logger
}

/** A record of the signal topic, or the place where reading begins. */
export interface SignalRecord {
  readonly offset: bigint
  /** Null: the record is not for this connector, or this is no record but the place where reading starts. */
  readonly value: string | null
}

/** Reads the signal topic of a connector, which has one partition, in the background. */
export class SignalTopic implements AsyncDisposable {
  readonly #options: SignalTopicOptions
  readonly #kafka: Kafka
  readonly #stop = new AbortController()
  #arrived: SignalRecord[] = []
  #loop: Promise<void> | null = null
  #onArrived: () => void = () => undefined

  constructor(options: SignalTopicOptions) {
    const { bootstrapServers, properties, clientId, logger, clock } = options
    this.#options = options
    const client = kafkaOptionsFromProperties({ ...properties, 'bootstrap.servers': bootstrapServers })
    this.#kafka = createKafka({
      ...client,
      serversSetting: 'signal.kafka.bootstrap.servers',
      securitySetting: 'signal.consumer.security.protocol',
      clientId,
      logger: logger.child({ logger: 'org.apache.kafka.clients' }),
      clock,
    })
  }

  /**
   * Begins to read. May be called once.
   *
   * @param after the last record that was handled; null: signals from now on, the first record that `take` returns has
   * the offset before them
   * @param onArrived called when `take` returns something
   */
  start(after: bigint | null, onArrived: () => void): void {
    this.#onArrived = onArrived
    this.#loop = this.#run(after)
  }

  /** The records that have arrived since the last call, in their order. */
  take(): readonly SignalRecord[] {
    if (this.#arrived.length === 0) return []
    const arrived = this.#arrived
    this.#arrived = []
    return arrived
  }

  async #run(after: bigint | null): Promise<void> {
    const { clock, topic, logger } = this.#options
    const pauses = new BackOff({ initialMs: 500, maxMs: 30_000 })
    let last = after
    for (;;) {
      try {
        last = await this.#read(last, () => pauses.reset())
      } catch (thrown) {
        if (this.#stop.signal.aborted || thrown instanceof StoppedError) return
        const error = toError(thrown)
        if (error instanceof CodedError && error.code === 'OFFSET_OUT_OF_RANGE') {
          logger.error(
            `Signals in the topic '${topic}' after offset ${String(last)} were removed before they were read`,
          )
          last = BEFORE_FIRST
        }
        const pauseMs = pauses.next()
        logger.warn(`The signal topic '${topic}' cannot be read; trying again in ${pauseMs} ms`, { error })
        await clock.sleep(pauseMs, this.#stop.signal).catch(() => undefined)
      }
      if (this.#stop.signal.aborted) return
    }
  }

  /** Returns when the topic does not exist, after a pause. */
  async #read(after: bigint | null, onAnswer: () => void): Promise<bigint | null> {
    const { topic, clock } = this.#options
    const { signal } = this.#stop
    if ((await this.#kafka.admin().describeTopic(topic, signal)) === null) {
      onAnswer()
      // What is written into a topic that is created now is for this connector.
      if (after === null) this.#push({ offset: BEFORE_FIRST, value: null })
      await clock.sleep(MISSING_TOPIC_MS, signal)
      return after ?? BEFORE_FIRST
    }
    await using reader = await this.#open(after, signal)
    onAnswer()
    let last = reader.position(0) - 1n
    if (after === null) this.#push({ offset: last, value: null })
    for (;;) {
      for (const record of await reader.poll(signal)) {
        last = record.offset
        this.#push({ offset: last, value: this.#valueOf(record) })
      }
      onAnswer()
    }
  }

  #open(after: bigint | null, signal: AbortSignal): Promise<TopicReader> {
    const from = after === null ? 'latest' : after < 0n ? 'earliest' : new Map([[0, after + 1n]])
    return this.#kafka.reader({ topic: this.#options.topic, partitions: [0], from }, signal)
  }

  #valueOf({ key, value, offset }: LogRecord): string | null {
    const { key: wanted, topic, logger } = this.#options
    if (value === null) return null
    const given = key === null ? null : Buffer.from(key).toString()
    if (given === wanted) return Buffer.from(value).toString()
    // Several connectors may share the topic.
    logger.debug(
      `The signal at offset ${offset} of the topic '${topic}' is ignored: its key is ${JSON.stringify(given?.slice(0, KEY_CHARACTERS_MAX))}, and signals for this connector have the key ${wanted}`,
    )
    return null
  }

  #push(record: SignalRecord): void {
    this.#arrived.push(record)
    this.#onArrived()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    await this.#loop
  }
}

/** Of a key in the log. */
const KEY_CHARACTERS_MAX = 200
const BEFORE_FIRST = -1n
const MISSING_TOPIC_MS = 5_000
