import assert from 'node:assert/strict'
import { systemClock } from '@tributary/support'
import type { BrokerConnection } from '../network/broker-connection.ts'
import { openBrokerConnection } from '../network/broker-login.ts'
import { readBatches, type ReceivedBatch } from '../protocol/batch-reader.ts'
import { BufferPool } from '../protocol/buffer-pool.ts'
import { FETCH_API_KEY, FETCH_VERSION, fetchRequest, parseFetchResponse } from '../protocol/fetch.ts'
import { PlainBatchBuilder } from '../protocol/plain-batch-builder.ts'
import { parseProduceResponse, PRODUCE_API_KEY, PRODUCE_VERSION, produceRequest } from '../protocol/produce.ts'
import { stampBatch, TRANSACTIONAL, type ProducerState } from '../protocol/record-batch.ts'
import { valueRecord } from './clients.ts'

/** The producer as which a batch is written. */
export interface BatchIdentity {
  readonly producer: ProducerState
  readonly sequence: number
  readonly transactionalId?: string
}

/** Single requests for partition 0 of a topic, for tests that simulate another client or inspect batches. */
export class RawPartition implements AsyncDisposable {
  readonly connection: BrokerConnection
  readonly #topic: string

  private constructor(connection: BrokerConnection, topic: string) {
    this.connection = connection
    this.#topic = topic
  }

  static async open(port: number, topic: string): Promise<RawPartition> {
    const timeouts = { connectTimeoutMs: 10_000, requestTimeoutMs: 10_000 }
    const login = {
      clientId: 'raw',
      tls: null,
      sasl: null,
      onUnencrypted: () => undefined,
      clock: systemClock,
      ...timeouts,
    }
    return new RawPartition(await openBrokerConnection({ host: '127.0.0.1', port }, login), topic)
  }

  /** All batches, up to 1 MiB. */
  async batches(): Promise<readonly ReceivedBatch[]> {
    const body = fetchRequest({
      topic: this.#topic,
      partitions: [{ partition: 0, offset: 0n }],
      maxWaitMs: 100,
      maxBytes: 2 ** 20,
      isCommittedOnly: false,
    })
    const request = { apiKey: FETCH_API_KEY, apiVersion: FETCH_VERSION, body, parse: parseFetchResponse }
    const { promise, resolve, reject } = Promise.withResolvers<readonly ReceivedBatch[]>()
    this.connection.sendFramed(request, (error, response) => {
      const [partition] = response?.partitions ?? []
      if (partition === undefined) reject(error ?? new Error('nothing fetched'))
      else resolve(readBatches(partition.records))
    })
    return promise
  }

  /** Producer id and epoch of the first batch. */
  async writer(): Promise<ProducerState> {
    const [first] = await this.batches()
    assert.ok(first)
    return { producerId: first.producerId, epoch: first.bytes.readInt16BE(51) }
  }

  /** Writes one batch; returns the error code of the broker. */
  async write(values: readonly string[], as: BatchIdentity): Promise<number> {
    const { producer, sequence, transactionalId } = as
    const builder = new PlainBatchBuilder(new BufferPool(0), { batchBytesMax: 2 ** 20, wireBytesMax: 2 ** 20 }, 1)
    for (const value of values) builder.append(valueRecord(value), systemClock.now())
    const { buffer, length } = builder.finish()
    const batch = buffer.subarray(0, length)
    if (transactionalId !== undefined) batch.writeInt16BE(TRANSACTIONAL, 21)
    stampBatch(batch, producer, sequence)
    const topics = [{ topic: this.#topic, partitions: [{ partition: 0, batch }] }]
    const body = produceRequest({ topics, timeoutMs: 5000, ...(transactionalId !== undefined && { transactionalId }) })
    const request = { apiKey: PRODUCE_API_KEY, apiVersion: PRODUCE_VERSION, body, parse: parseProduceResponse }
    const { promise, resolve, reject } = Promise.withResolvers<number>()
    this.connection.sendFramed(request, (error, response) => {
      const [partition] = response ?? []
      if (partition === undefined) reject(error ?? new Error('no response'))
      else resolve(partition.errorCode)
    })
    return promise
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.connection.close()
  }
}
