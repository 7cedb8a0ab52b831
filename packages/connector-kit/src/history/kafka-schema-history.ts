import { textPart, type Admin, type Kafka, type LogRecord, type Producer, type ProducerTopic } from '@tributary/kafka'
import { CodedError, StoppedError, withTimeout, type Clock, type Logger } from '@tributary/support'
import { createHash } from 'node:crypto'
import type { CheckpointStore } from './checkpoint.ts'
import { historyErrors } from './errors.ts'
import { formatHistoryRecord, parseHistoryRecord } from './history-record-json.ts'
import { checkpointTopic, KafkaCheckpoints } from './kafka-checkpoints.ts'
import type { HistoryExtent, HistoryRecord, RecoverOptions, SchemaHistory } from './schema-history.ts'

export interface KafkaSchemaHistoryOptions {
  readonly kafka: Kafka
  /** `schema.history.internal.kafka.topic` */
  readonly topic: string
  /** For errors: the addresses of the brokers, as the configuration has them. */
  readonly servers: string
  readonly clock: Clock
  readonly logger: Logger
}

/**
 * Limit of the first answer. The worker's brokers have answered when a task starts; if those of the history do not,
 * their property may be wrong, so the error names it. It is retriable: the task starts again. Once a broker has
 * answered, requests have no such limit.
 */
const FIRST_ANSWER_MS_MAX = 120_000

/** What the topic is created with (docs/reference/record-format-v1.md): nothing in it may ever expire. */
const TOPIC_SETTINGS: Readonly<Record<string, string>> = {
  'cleanup.policy': 'delete',
  'retention.ms': '9223372036854775807',
  'retention.bytes': '-1',
}

/** Three batches: definitions of thousands of tables at once are rare, and a buffer does not release its memory. */
const BUFFER_BYTES_MAX = 3 * 2 ** 20

const FOR_EVER = 'retention.ms=9223372036854775807,retention.bytes=-1'
const FIVE_YEARS_MS = 5n * 365n * 86_400_000n

/**
 * The schema history in a topic of one partition: records have no key, values are those of Debezium's
 * KafkaSchemaHistory.
 */
export class KafkaSchemaHistory implements SchemaHistory {
  readonly #options: KafkaSchemaHistoryOptions
  readonly #admin: Admin
  #producer: Producer | null = null
  #topic: ProducerTopic | null = null
  #token = 0
  #hasAnswered = false
  #end: bigint | null = null
  readonly checkpoints: CheckpointStore

  constructor(options: KafkaSchemaHistoryOptions) {
    const { kafka, topic } = options
    this.#options = options
    this.#admin = kafka.admin()
    this.checkpoints = new KafkaCheckpoints({
      kafka,
      ask: (request, signal) => this.#first((limit) => request(this.#admin, limit), signal),
      topic: checkpointTopic(topic),
    })
  }

  async extent(signal?: AbortSignal): Promise<HistoryExtent | null> {
    const { kafka, topic } = this.#options
    if (!(await this.#isThere(signal))) return null
    await using reader = await kafka.reader({ topic, partitions: [0], from: 'earliest' }, signal)
    const ends = await reader.endOffsets(signal)
    return { begin: reader.position(0), end: ends.get(0) ?? 0n }
  }

  async #isThere(signal: AbortSignal | undefined): Promise<boolean> {
    return (await this.#first((limit) => this.#admin.describeTopic(this.#options.topic, limit), signal)) !== null
  }

  async fingerprint(offset: bigint, signal?: AbortSignal): Promise<string | null> {
    const { kafka, topic } = this.#options
    const extent = await this.extent(signal)
    if (extent === null || offset < extent.begin || offset >= extent.end) return null
    const from = new Map([[0, offset]])
    await using reader = await kafka.reader({ topic, partitions: [0], from, fetchBytesMax: 1 }, signal)
    for (;;) {
      // The record itself, or the one after it when the offset belongs to none.
      const [record] = await reader.poll(signal)
      if (record === undefined && reader.position(0) <= offset) continue
      if (record?.offset !== offset || record.value === null) return null
      return createHash('sha256').update(record.value).digest('hex')
    }
  }

  get end(): bigint | null {
    return this.#end
  }

  async measure(signal?: AbortSignal): Promise<void> {
    const sent = this.#token
    const extent = await this.extent(signal)
    if (extent !== null && this.#token === sent) this.#end ??= extent.end
  }

  async connect(signal?: AbortSignal): Promise<void> {
    await this.#connected(signal)
  }

  async initialize(signal?: AbortSignal): Promise<void> {
    const { topic, logger } = this.#options
    const admin = this.#admin
    const settings = { name: topic, partitions: 1, replicationFactor: 1, configs: TOPIC_SETTINGS }
    const isCreated = await this.#first((limit) => admin.createTopic(settings, limit), signal)
    if (isCreated) {
      this.#end = 0n
      logger.info(`Database schema history topic '${topic}' created`)
      return
    }
    const description = await admin.describeTopic(topic, signal)
    this.#checkSettings(await this.#readSettings(signal), description?.partitions.length ?? 1)
  }

  /** Without permission to read them Debezium continues with a warning, too. */
  async #readSettings(signal: AbortSignal | undefined): Promise<ReadonlyMap<string, string | null> | null> {
    const { topic, logger } = this.#options
    try {
      return await this.#admin.topicConfig(topic, signal)
    } catch (error) {
      if (!(error instanceof CodedError) || error.code !== 'NOT_AUTHORIZED') throw error
      const needs = 'it must keep its records for ever (cleanup.policy=delete, retention.ms=-1, retention.bytes=-1)'
      logger.warn(`The settings of the database schema history topic '${topic}' could not be read; ${needs}`, { error })
      return null
    }
  }

  /** Runs a request; until the first answer, with the limit and the error of `FIRST_ANSWER_MS_MAX`. */
  async #first<T>(ask: (signal?: AbortSignal) => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    if (this.#hasAnswered) return ask(signal)
    const { clock, servers, topic } = this.#options
    try {
      const answer = await withTimeout(clock, FIRST_ANSWER_MS_MAX, ask, signal)
      this.#hasAnswered = true
      return answer
    } catch (error) {
      if (!(error instanceof StoppedError) || signal?.aborted === true) throw error
      throw historyErrors.HISTORY_UNREACHABLE({ servers, topic, seconds: FIRST_ANSWER_MS_MAX / 1000 })
    }
  }

  #checkSettings(config: ReadonlyMap<string, string | null> | null, partitions: number): void {
    const { topic, servers, logger } = this.#options
    const alter = `kafka-configs.sh --bootstrap-server ${servers} --alter --entity-type topics --entity-name ${topic} --add-config`
    const warn = (what: string, remedy: string): void =>
      logger.warn(
        `Database schema history topic '${topic}' ${what}: the history may be lost, and the connector cannot continue without it. ${remedy}`,
      )
    if (partitions !== 1) {
      warn(`has ${partitions} partitions and needs exactly 1`, 'Name another topic, which is created correctly')
    }
    if (config === null) return
    const policy = config.get('cleanup.policy') ?? 'delete'
    // Records of the history have no keys, which a compacted topic refuses.
    if (policy !== 'delete') throw historyErrors.HISTORY_TOPIC_POLICY({ topic, policy, command: alter })
    const retention = BigInt(config.get('retention.ms') ?? '-1')
    if (retention >= 0n && retention < FIVE_YEARS_MS) {
      warn(`has retention.ms=${retention} and needs 5 years or more`, `Run: ${alter} ${FOR_EVER}`)
    }
    const bytes = BigInt(config.get('retention.bytes') ?? '-1')
    if (bytes >= 0n) warn(`has retention.bytes=${bytes} and needs no limit`, `Run: ${alter} ${FOR_EVER}`)
  }

  async prepare(signal?: AbortSignal): Promise<void> {
    await this.#open(signal)
  }

  async append(records: readonly HistoryRecord[], signal?: AbortSignal): Promise<void> {
    const { producer, topic } = await this.#open(signal)
    for (const record of records) {
      topic.send({
        key: null,
        value: textPart(formatHistoryRecord(record)),
        headers: [],
        partition: 0,
        timestamp: null,
        token: this.#token++,
      })
      if (producer.isFull) await producer.ready(signal)
    }
    await producer.flush(signal)
    if (this.#end !== null) this.#end += BigInt(records.length)
  }

  async #open(signal: AbortSignal | undefined): Promise<{ producer: Producer; topic: ProducerTopic }> {
    const producer = await this.#connected(signal)
    this.#topic ??= await producer.topic(this.#options.topic, signal === undefined ? {} : { signal })
    return { producer, topic: this.#topic }
  }

  async #connected(signal: AbortSignal | undefined): Promise<Producer> {
    const options = { compression: 'none', bufferBytesMax: BUFFER_BYTES_MAX, onDelivered: () => undefined } as const
    this.#producer ??= await this.#first((limit) => this.#options.kafka.producer(options, limit), signal)
    return this.#producer
  }

  async recover(
    onRecord: (record: HistoryRecord) => void,
    options: RecoverOptions = {},
  ): Promise<HistoryExtent | null> {
    const { kafka, topic } = this.#options
    const { from, onUnreadable, signal } = options
    if (!(await this.#isThere(signal))) return null
    const start = from === undefined ? 'earliest' : new Map([[0, from]])
    await using reader = await kafka.reader({ topic, partitions: [0], from: start }, signal)
    const begin = reader.position(0)
    await reader.readToEnd((record) => {
      const parsed = this.#parse(record)
      if (parsed === undefined) onUnreadable?.(record.offset)
      else onRecord(parsed)
    }, signal)
    const end = reader.position(0)
    this.#end = end
    return { begin, end }
  }

  /** Undefined, and logged: it is not a history record. */
  #parse({ value, offset }: LogRecord): HistoryRecord | undefined {
    const parsed = value === null ? undefined : parseHistoryRecord(value.toString())
    if (parsed === undefined) {
      const { topic, logger } = this.#options
      logger.warn(`Skipping a record of the schema history topic '${topic}' that is not a history record`, {
        offset: String(offset),
      })
    }
    return parsed
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      await this.#producer?.close()
      await this.checkpoints[Symbol.asyncDispose]()
    } finally {
      await this.#admin.close()
    }
  }
}
