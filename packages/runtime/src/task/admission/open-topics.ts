import type { Converter, Schema, SourceRecord, ValueEncoder } from '@tributary/connect-api'
import type { ProducerTopic } from '@tributary/kafka'
import type { Converters } from './registrations.ts'
import { isRegistered } from './registrations.ts'

/** The topics that records can be sent to now, by name. The topic that was found last is found without a lookup. */
export class OpenTopics {
  readonly #converters: Converters
  readonly #countMax: number
  /** In the order of opening. */
  readonly #topics = new Map<string, OpenTopic>()
  #last: OpenTopic | null = null

  /** `countMax`: above it, the topic that was opened first is closed. */
  constructor(converters: Converters, countMax: number = TOPICS_MAX) {
    this.#converters = converters
    this.#countMax = countMax
  }

  /** Null: the topic has to be opened, for the first time or again. */
  find(name: string): OpenTopic | null {
    if (name === this.#last?.topic.name) return this.#last
    const topic = this.#topics.get(name) ?? null
    if (topic !== null) this.#last = topic
    return topic
  }

  add(topic: ProducerTopic): void {
    this.#topics.set(topic.name, new OpenTopic(topic, this.#converters))
    const [oldest] = this.#topics.keys()
    if (this.#topics.size > this.#countMax && oldest !== undefined) this.#topics.delete(oldest)
    this.#last = null
  }

  /** Closes all. */
  clear(): void {
    this.#topics.clear()
    this.#last = null
  }
}

/** A topic with the encoders of the schemas that were used last, which nearly always are those of the next record. */
export class OpenTopic {
  readonly topic: ProducerTopic
  readonly #converters: Converters
  #keySchema: Schema | null | undefined
  #keyEncoder: ValueEncoder | null = null
  #valueSchema: Schema | null | undefined
  #valueEncoder: ValueEncoder | null = null

  constructor(topic: ProducerTopic, converters: Converters) {
    this.topic = topic
    this.#converters = converters
  }

  /** True: both schemas of the record can be encoded for this topic. */
  isReadyFor({ keySchema, valueSchema }: SourceRecord): boolean {
    const { keyConverter, valueConverter } = this.#converters
    const isKeyKnown = this.#keyEncoder !== null && keySchema === this.#keySchema
    const isValueKnown = this.#valueEncoder !== null && valueSchema === this.#valueSchema
    return (
      (isKeyKnown || isRegistered(keyConverter, keySchema, this.topic.name)) &&
      (isValueKnown || isRegistered(valueConverter, valueSchema, this.topic.name))
    )
  }

  keyEncoder(schema: Schema | null): ValueEncoder {
    if (this.#keyEncoder === null || schema !== this.#keySchema) {
      this.#keySchema = schema
      this.#keyEncoder = this.#encoder(this.#converters.keyConverter, schema)
    }
    return this.#keyEncoder
  }

  valueEncoder(schema: Schema | null): ValueEncoder {
    if (this.#valueEncoder === null || schema !== this.#valueSchema) {
      this.#valueSchema = schema
      this.#valueEncoder = this.#encoder(this.#converters.valueConverter, schema)
    }
    return this.#valueEncoder
  }

  #encoder(converter: Converter, schema: Schema | null): ValueEncoder {
    return converter.encoderFor(schema, this.topic.name)
  }
}

/**
 * An open topic keeps the encoders of its last schemas, 15 KB for a table of five columns: 90 MB together, plus what
 * ENUM columns keep.
 */
const TOPICS_MAX = 6_000
