import assert from 'node:assert/strict'
import type { Kafka } from '../api/kafka.ts'
import type { Producer, ProducerOptions, ProducerTopic } from '../api/producer.ts'
import { part, readAll } from './clients.ts'

export interface OrderedLoadOptions extends Partial<ProducerOptions> {
  readonly kafka: Kafka
  readonly topic: string
  readonly partitions: number
  /** The timestamp of all records. Default: the time of sending. */
  readonly timestamp?: number
}

/** A shared prefix, so that the default builder (PrefixBatchBuilder) is used. */
const PREFIX = Buffer.alloc(900, '{"schema":…} ')

/**
 * Sends numbered records while a test injects faults, and then verifies from the topic that none is lost, repeated or
 * out of order.
 */
export class OrderedLoad implements AsyncDisposable {
  readonly producer: Producer
  readonly #options: OrderedLoadOptions
  readonly #topic: ProducerTopic
  readonly #sent: number[]
  readonly #delivered: Set<number>
  #count = 0

  private constructor(producer: Producer, topic: ProducerTopic, options: OrderedLoadOptions, delivered: Set<number>) {
    this.producer = producer
    this.#topic = topic
    this.#options = options
    this.#sent = Array.from({ length: options.partitions }, () => 0)
    this.#delivered = delivered
  }

  /** Creates the topic unless it exists. */
  static async start(options: OrderedLoadOptions): Promise<OrderedLoad> {
    const { kafka, topic, partitions, timestamp: _, ...producerOptions } = options
    await using admin = kafka.admin()
    await admin.createTopic({ name: topic, partitions, replicationFactor: -1 })
    const delivered = new Set<number>()
    const onDelivered = (tokens: readonly number[]): void => {
      for (const token of tokens) {
        assert.ok(!delivered.has(token), `token ${token} is delivered once`)
        delivered.add(token)
      }
    }
    const producer = await kafka.producer({
      batchBytesMax: 40_000,
      bufferBytesMax: 2_000_000,
      ...producerOptions,
      onDelivered,
    })
    const known = await producer.topic(topic)
    assert.equal(known.partitionCount, partitions)
    return new OrderedLoad(producer, known, options, delivered)
  }

  get delivered(): number {
    return this.#delivered.size
  }

  /** Sends `count` records, waiting for room, and calls `between` after every `every` of them. */
  async send(
    count: number,
    every: number = Infinity,
    between: () => void | Promise<void> = () => undefined,
  ): Promise<void> {
    for (let i = 1; i <= count; i++) {
      const { partitions, timestamp = null } = this.#options
      const partition = this.#count % partitions
      const number = this.#sent[partition] ?? 0
      this.#sent[partition] = number + 1
      const value = part(`${number} ${'x'.repeat(this.#count % 300)}`, PREFIX)
      this.#topic.send({ key: null, value, headers: [], partition, timestamp, token: this.#count })
      this.#count += 1
      if (this.producer.isFull) await this.producer.ready()
      if (i % every === 0) await between()
      // Lets responses in between, as a caller that converts records does.
      else if (i % 200 === 0) await new Promise(setImmediate)
    }
  }

  /** Flushes, reads the topic and compares: each number once, in order. */
  async verify(): Promise<void> {
    assert.equal(await this.verifyWithRepeats(), 0)
  }

  /** The same, but a batch may be repeated. Returns the number of repeated records. */
  async verifyWithRepeats(): Promise<number> {
    await this.producer.flush()
    assert.equal(this.producer.bufferedBytes, 0)
    assert.equal(this.#delivered.size, this.#count)
    const next = this.#sent.map(() => 0)
    const last = this.#sent.map(() => -1)
    let repeats = 0
    for (const { partition, value } of await readAll(this.#options.kafka, this.#options.topic)) {
      const number = Number(/^\d+/.exec(value?.toString('utf8', PREFIX.length) ?? '')?.[0])
      const expected = next[partition] ?? 0
      if (number < expected) {
        repeats += 1
        // A repeated batch is repeated from its first record on.
        assert.ok(
          number === (last[partition] ?? 0) + 1 || last[partition] === expected - 1,
          `partition ${partition}: ${number}`,
        )
      } else {
        assert.equal(number, expected, `partition ${partition}`)
        next[partition] = number + 1
      }
      last[partition] = number
    }
    assert.deepEqual(next, this.#sent)
    return repeats
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.producer.close()
  }
}
