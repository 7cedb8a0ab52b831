import assert from 'node:assert/strict'
import { addPartitionsToTxnV3, endTxnV3, findCoordinatorV4, initProducerIdV4 } from '@platformatic/kafka'
import { eventually } from '@tributary/testkit'
import type { BrokerConnection } from '../network/broker-connection.ts'
import { request } from '../network/codec.ts'
import type { ProducerState } from '../protocol/record-batch.ts'
import type { RawPartition } from './raw-partition.ts'

const TRANSACTION_KEY = 1 as const

/** A transactional producer of single requests, for tests of a reader. Needs a cluster of one broker. */
export class RawTransaction {
  readonly #connection: BrokerConnection
  readonly #id: string
  readonly #producer: ProducerState
  #sequence = 0

  private constructor(connection: BrokerConnection, id: string, producer: ProducerState) {
    this.#connection = connection
    this.#id = id
    this.#producer = producer
  }

  static async init(partition: RawPartition, id: string): Promise<RawTransaction> {
    const { connection } = partition
    // The broker creates the topic of the coordinator.
    await request(connection, findCoordinatorV4.api, TRANSACTION_KEY, [id])
    const init = await eventually('the transaction coordinator is available', async () => {
      const response = await request(connection, initProducerIdV4.api, id, 60_000, -1n, -1)
      return response.errorCode === 0 && response
    })
    return new RawTransaction(connection, id, { producerId: init.producerId, epoch: init.producerEpoch })
  }

  /** Writes a batch in the transaction; the first one begins it. */
  async write(partition: RawPartition, topic: string, values: readonly string[]): Promise<void> {
    const { producerId, epoch } = this.#producer
    const transaction = {
      transactionalId: this.#id,
      producerId,
      producerEpoch: epoch,
      verifyOnly: false,
      topics: [{ name: topic, partitions: [0] }],
    }
    await eventually('the partition is in the transaction', async () => {
      const response = await request(this.#connection, addPartitionsToTxnV3.api, [transaction])
      return response.resultsByTransaction.every(({ topicResults }) =>
        topicResults.every(({ resultsByPartition }) =>
          resultsByPartition.every(({ partitionErrorCode }) => partitionErrorCode === 0),
        ),
      )
    })
    assert.equal(
      await partition.write(values, { producer: this.#producer, sequence: this.#sequence, transactionalId: this.#id }),
      0,
    )
    this.#sequence += values.length
  }

  async end(isCommitted: boolean): Promise<void> {
    const { producerId, epoch } = this.#producer
    const response = await request(this.#connection, endTxnV3.api, this.#id, producerId, epoch, isCommitted)
    assert.equal(response.errorCode, 0)
  }
}
