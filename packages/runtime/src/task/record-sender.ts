import type { Converter, Header, HeaderConverter, Schema, SourceRecord, ValueEncoder } from '@tributary/connect-api'
import type { OutgoingRecord, ProducerTopic, RecordHeader, RecordPart } from '@tributary/kafka'
import {
  ByteWriter,
  describeError,
  isRetriable,
  present,
  StoppedError,
  SharedMemory,
  type CodedError,
} from '@tributary/support'
import { runtimeErrors } from '../errors.ts'
import { offsetJson } from '../storage/offset-record.ts'
import { isRegistered, prepareAhead, prepareRecord } from './prepare-ahead.ts'

export interface RecordSenderOptions {
  readonly keyConverter: Converter
  readonly valueConverter: Converter
  readonly headerConverter: HeaderConverter
}

/**
 * Turns records into bytes and hands them to the producer. Key first, since its bytes choose the partition; both halves are
 * written into buffers that every record uses again, and the producer copies them into its batch.
 */
export class RecordSender {
  readonly #options: RecordSenderOptions
  readonly #topicsMax: number
  /** In the order of opening. */
  readonly #sinks = new Map<string, TopicSink>()
  #lastSink: TopicSink | null = null
  readonly #keyPart = new WriterPart(WRITER_BYTES)
  readonly #valuePart: WriterPart
  /** The list of headers encoded last, and its bytes. */
  #headers: readonly Header[] = []
  #encodedHeaders: readonly RecordHeader[] = NO_RECORD_HEADERS
  readonly #outgoing: Mutable<OutgoingRecord> = {
    key: null,
    value: null,
    headers: NO_RECORD_HEADERS,
    partition: null,
    timestamp: null,
    token: 0,
  }

  /** `topicsMax`: more than so many are not kept open. */
  constructor(options: RecordSenderOptions, topicsMax: number = TOPICS_MAX) {
    this.#options = options
    this.#topicsMax = topicsMax
    this.#valuePart = new WriterPart(SharedMemory.ofThread()?.allocateBuffer(VALUE_BYTES) ?? WRITER_BYTES)
  }

  /** True: the topic is open and the converters are prepared for the record's schemas. */
  isReady(record: SourceRecord): boolean {
    return this.#sinkOf(record.topic)?.isRegistered(record) ?? false
  }

  /**
   * Prepares the converters for the schemas of a record.
   *
   * @throws what a converter says (retriable: it may be called again), or RECORD_FAILED
   */
  async prepare(record: SourceRecord, signal: AbortSignal): Promise<void> {
    try {
      await prepareRecord(this.#options, record, signal)
    } catch (error) {
      if (error instanceof StoppedError || isRetriable(error)) throw error
      throw recordError(record, 'converted', error)
    }
  }

  /** Does beside one another what `prepare` would do for each of the records; never fails. */
  prepareAhead(records: readonly SourceRecord[], signal: AbortSignal): Promise<void> {
    return prepareAhead(this.#options, records, signal)
  }

  /** What the converters' preparations have been waiting for for some seconds; null: nothing. */
  pendingFailure(): Error | null {
    const { keyConverter, valueConverter } = this.#options
    return keyConverter.pendingFailure?.() ?? valueConverter.pendingFailure?.() ?? null
  }

  /** False: the topic has to be opened first, for the first time or again. */
  isOpen(topic: string): boolean {
    return this.#sinkOf(topic) !== null
  }

  /** Looked up once for the record: asked whether it is open, then sent to; and for those after it to the same topic. */
  #sinkOf(topic: string): TopicSink | null {
    if (topic === this.#lastSink?.topic.name) return this.#lastSink
    const sink = this.#sinks.get(topic) ?? null
    if (sink !== null) this.#lastSink = sink
    return sink
  }

  open(topic: ProducerTopic): void {
    this.#sinks.set(topic.name, new TopicSink(topic, this.#options))
    const [oldest] = this.#sinks.keys()
    if (this.#sinks.size > this.#topicsMax && oldest !== undefined) this.#sinks.delete(oldest)
    this.#lastSink = null
  }

  /** Every topic has to be opened again. */
  forgetTopics(): void {
    this.#sinks.clear()
    this.#lastSink = null
  }

  /** Converts and sends one record of an open topic. Throws RECORD_FAILED, and has sent nothing then. */
  send(record: SourceRecord, token: number): void {
    const sink = present(this.#sinkOf(record.topic), 'the opened topic')
    const outgoing = this.#outgoing
    try {
      const keyEncoder = sink.keyEncoder(record.keySchema)
      const valueEncoder = sink.valueEncoder(record.valueSchema)
      outgoing.key = this.#keyPart.fill(keyEncoder, record.key)
      outgoing.value = this.#valuePart.fill(valueEncoder, record.value)
      if (record.headers !== this.#headers) this.#encodeHeaders(record.headers)
      outgoing.headers = this.#encodedHeaders
      if (outgoing.key !== null && keyEncoder.headers !== undefined) this.#addHeaders(keyEncoder.headers)
      if (outgoing.value !== null && valueEncoder.headers !== undefined) this.#addHeaders(valueEncoder.headers)
    } catch (error) {
      throw recordError(record, 'converted', error)
    }
    outgoing.partition = record.partition
    outgoing.timestamp = record.timestamp
    outgoing.token = token
    try {
      sink.topic.send(outgoing)
    } catch (error) {
      throw recordError(record, 'sent', error)
    }
  }

  /** Those of a converter stand behind the record's own. */
  #addHeaders(headers: readonly RecordHeader[]): void {
    if (headers.length > 0) this.#outgoing.headers = [...this.#outgoing.headers, ...headers]
  }

  /** Connectors give the same list with nearly every record. */
  #encodeHeaders(headers: readonly Header[]): void {
    this.#encodedHeaders = headers.map(({ key, schema, value }) => {
      const bytes = this.#options.headerConverter.encode(schema, value)
      return { key: Buffer.from(key), value: bytes === null ? null : Buffer.from(bytes) }
    })
    this.#headers = headers
  }
}

function recordError({ topic, sourceOffset }: SourceRecord, doing: 'converted' | 'sent', error: unknown): CodedError {
  const position = offsetJson(sourceOffset.toDocument())
  return runtimeErrors.RECORD_FAILED({ topic, position, doing, reason: describeError(error) }, error)
}

/** A topic with the encoders of the schemas last used on it: nearly always the same ones as for the record before. */
class TopicSink {
  readonly topic: ProducerTopic
  readonly #options: RecordSenderOptions
  #keySchema: Schema | null | undefined
  #keyEncoder: ValueEncoder | null = null
  #valueSchema: Schema | null | undefined
  #valueEncoder: ValueEncoder | null = null

  constructor(topic: ProducerTopic, options: RecordSenderOptions) {
    this.topic = topic
    this.#options = options
  }

  /** Nearly always the schemas are those of the record before, which were. */
  isRegistered({ keySchema, valueSchema }: SourceRecord): boolean {
    const isKeyKnown = this.#keyEncoder !== null && keySchema === this.#keySchema
    const isValueKnown = this.#valueEncoder !== null && valueSchema === this.#valueSchema
    const { keyConverter, valueConverter } = this.#options
    return (
      (isKeyKnown || isRegistered(keyConverter, keySchema, this.topic.name)) &&
      (isValueKnown || isRegistered(valueConverter, valueSchema, this.topic.name))
    )
  }

  keyEncoder(schema: Schema | null): ValueEncoder {
    if (this.#keyEncoder === null || schema !== this.#keySchema) {
      this.#keySchema = schema
      this.#keyEncoder = this.#options.keyConverter.encoderFor(schema, this.topic.name)
    }
    return this.#keyEncoder
  }

  valueEncoder(schema: Schema | null): ValueEncoder {
    if (this.#valueEncoder === null || schema !== this.#valueSchema) {
      this.#valueSchema = schema
      this.#valueEncoder = this.#options.valueConverter.encoderFor(schema, this.topic.name)
    }
    return this.#valueEncoder
  }
}

/** A part whose bytes lie in a writer that is used again for the next record. */
class WriterPart implements RecordPart {
  prefix: Uint8Array = new Uint8Array(0)
  buffer: Buffer = Buffer.alloc(0)
  readonly start = 0
  end = 0
  readonly #writer: ByteWriter

  constructor(room: number | Buffer) {
    this.#writer = new ByteWriter(room)
  }

  /** The part with the value's bytes, or null when it becomes Kafka's null. */
  fill(encoder: ValueEncoder, value: SourceRecord['value']): RecordPart | null {
    const writer = this.#writer
    writer.reset()
    if (!encoder.write(value, writer)) return null
    this.prefix = encoder.prefix
    this.buffer = writer.bytes
    this.end = writer.position
    return this
  }
}

const WRITER_BYTES = 1 << 14
/** Values are written into the shared memory, where long texts are escaped and searched in place; larger values are copied. */
const VALUE_BYTES = 9 * 2 ** 16
/** An open topic keeps the encoders of its last schemas, 15 KB for a table of five columns: 90 MB together. What ENUMs keep comes on top. */
const TOPICS_MAX = 6_000

type Mutable<T> = { -readonly [K in keyof T]: T[K] }
const NO_RECORD_HEADERS: readonly RecordHeader[] = []
