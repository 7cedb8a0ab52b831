import assert from 'node:assert/strict'
import { readBatches, readRecords } from '@tributary/kafka'
import { systemClock } from '@tributary/support'
import type { SeededRandom } from '@tributary/testkit'
import type { RawClient } from './raw-client.ts'
import { transactionEnded } from './step-helpers.ts'
import { testBatch } from './test-batch.ts'

/** A record as a reader sees it; markers of transactions are left out. */
export type SeenRecord = readonly [offset: number, key: string | null, value: string | null]

const KEYS = 12
const VALUE_BYTES = 20_000
const READ_COMMITTED = 1

/** Creates a compacted topic with the smallest segments that Kafka allows. */
export async function createCompacted(client: RawClient, name: string, deleteRetentionMs: number): Promise<void> {
  const settings = {
    'cleanup.policy': 'compact',
    'segment.bytes': '1048576',
    'min.cleanable.dirty.ratio': '0.001',
    'delete.retention.ms': String(deleteRetentionMs),
  }
  const configs = Object.entries(settings).map(([key, value]) => ({ name: key, value }))
  const topics = [{ name, numPartitions: 1, replicationFactor: 1, configs }]
  const answer = await client.send('CreateTopics', 5, { topics, timeoutMs: 10_000 })
  assert.equal(answer.topics[0]?.errorCode, 0)
}

/** Writes random records, some without values, alone and in transactions, every second of which is aborted. */
export class CompactionLoad {
  readonly #client: RawClient
  readonly #topic: string
  readonly #random: SeededRandom
  readonly #keyPrefix: string
  #timestamp = systemClock.now()
  #count = 0

  constructor(client: RawClient, topic: string, random: SeededRandom, keyPrefix: string = 'key') {
    this.#keyPrefix = keyPrefix
    this.#client = client
    this.#topic = topic
    this.#random = random
  }

  async write(batches: number): Promise<void> {
    for (let i = 0; i < batches; i++) {
      if (this.#random.integer(0, 5) === 0) await this.#transaction()
      else await this.#produce({ transactionalId: null, producerId: -1n, epoch: -1, sequence: -1 })
    }
  }

  async #transaction(): Promise<void> {
    const transactionalId = `${this.#topic}-${this.#random.integer(0, 3)}`
    const claim = { transactionalId, transactionTimeoutMs: 60_000, producerId: -1n, producerEpoch: -1 }
    const { producerId, producerEpoch: epoch } = await this.#again(() => this.#client.send('InitProducerId', 4, claim))
    const added = {
      v3AndBelowTransactionalId: transactionalId,
      v3AndBelowProducerId: producerId,
      v3AndBelowProducerEpoch: epoch,
      v3AndBelowTopics: [{ name: this.#topic, partitions: [0] }],
    }
    await this.#again(async () => {
      const answer = await this.#client.send('AddPartitionsToTxn', 3, added)
      return { errorCode: answer.resultsByTopicV3AndBelow[0]?.resultsByPartition[0]?.partitionErrorCode ?? -1 }
    })
    let sequence = 0
    for (let i = this.#random.integer(1, 4); i > 0; i--) {
      sequence += await this.#produce({ transactionalId, producerId, epoch, sequence })
    }
    const end = { transactionalId, producerId, producerEpoch: epoch, committed: this.#random.integer(0, 2) === 0 }
    await this.#again(() => this.#client.send('EndTxn', 3, end))
    // Kafka writes the markers after its answer.
    await transactionEnded(this.#client, transactionalId)
  }

  /** Kafka ends transactions and elects leaders after its answer. */
  async #again<T extends { readonly errorCode: number }>(send: () => Promise<T>): Promise<T> {
    for (;;) {
      const answer = await send()
      if (answer.errorCode === 0) return answer
    }
  }

  async #produce(producer: {
    readonly transactionalId: string | null
    readonly producerId: bigint
    readonly epoch: number
    readonly sequence: number
  }): Promise<number> {
    const count = this.#random.integer(1, 6)
    const keys = Array.from({ length: count }, () => `${this.#keyPrefix} ${this.#random.integer(0, KEYS)}`)
    const values = keys.map(() => {
      const text = `value ${this.#count++} `
      return this.#random.integer(0, 5) === 0 ? null : text.padEnd(VALUE_BYTES, 'x')
    })
    const isTransactional = producer.transactionalId !== null
    const batch = { values, keys, hasKeys: true, timestamp: this.#timestamp++, ...producer, isTransactional }
    const topicData = [{ name: this.#topic, partitionData: [{ index: 0, records: testBatch(batch) }] }]
    const { transactionalId } = producer
    await this.#again(async () => {
      const answer = await this.#client.send('Produce', 9, { transactionalId, acks: -1, timeoutMs: 10_000, topicData })
      return { errorCode: answer.responses[0]?.partitionResponses[0]?.errorCode ?? -1 }
    })
    return count
  }
}

/** All records of a partition from its start. Values are shortened. */
export async function readCompacted(client: RawClient, topic: string): Promise<readonly SeenRecord[]> {
  const seen: SeenRecord[] = []
  for (let next = 0n; ;) {
    const partitions = [{ partition: 0, fetchOffset: next, partitionMaxBytes: 10_000_000 }]
    const answer = await client.send('Fetch', 11, {
      maxWaitMs: 0,
      minBytes: 1,
      maxBytes: 10_000_000,
      isolationLevel: READ_COMMITTED,
      topics: [{ topic, partitions }],
    })
    const found = answer.responses[0]?.partitions[0]
    assert.equal(found?.errorCode, 0)
    const batches = readBatches(found.records ?? Buffer.alloc(0))
    for (const batch of batches) {
      const isControl = (batch.attributes & 0b100000) !== 0
      for (const { offsetDelta, key, value } of isControl ? [] : readRecords(batch)) {
        const offset = Number(batch.baseOffset) + offsetDelta
        seen.push([offset, key?.toString('latin1') ?? null, value?.toString('latin1').trimEnd().slice(0, 16) ?? null])
      }
    }
    const last = batches.at(-1)
    if (last === undefined) return seen
    next = last.lastOffset + 1n
  }
}
