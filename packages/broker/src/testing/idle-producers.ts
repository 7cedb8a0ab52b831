import { present, systemClock } from '@tributary/support'
import type { RawClient } from './raw-client.ts'
import { testBatch } from './test-batch.ts'

const TOPIC = 'idle'
const TRANSACTIONAL_ID = 'idle-transactions'
const NO_PRODUCER = { producerId: -1n, producerEpoch: -1 }
/** ErrorCode.CONCURRENT_TRANSACTIONS. */
const CONCURRENT_TRANSACTIONS = 51
const RETRY_MS = 5
/** The longest that a broker accepts by default. */
const TRANSACTION_TIMEOUT_MS = 900_000

interface Identity {
  readonly producerId: bigint
  readonly producerEpoch: number
}

/** The answers to producers that a broker has forgotten, as error codes. */
export interface ForgottenAnswers {
  /** A batch whose sequence number leaves out some. */
  readonly gap: number | undefined
  /** A batch that was written before. */
  readonly repeated: number | undefined
  readonly partitionAdded: number | undefined
  readonly transactionEnded: number
  readonly transactionDescribed: number | undefined
  /** The id is claimed by its owner, with its producer id: which epoch it gets, and whether with the same producer id. */
  readonly claimed: readonly [errorCode: number, epoch: number, isSame: boolean]
}

/** An idempotent and a transactional producer that write a few records and rest until the broker forgets them. */
export class IdleProducers {
  readonly #client: RawClient
  #timestamp: number
  readonly #idempotent: Identity
  readonly #transactional: Identity

  private constructor(client: RawClient, timestamp: number, identities: readonly Identity[]) {
    this.#client = client
    this.#timestamp = timestamp
    this.#idempotent = present(identities[0], 'the first producer')
    this.#transactional = present(identities[1], 'the second producer')
  }

  /** @param timestamp of the records, by the clock of the broker */
  static async write(client: RawClient, timestamp: number): Promise<IdleProducers> {
    const topics = [{ name: TOPIC, numPartitions: 1, replicationFactor: 1 }]
    await client.send('CreateTopics', 5, { topics, timeoutMs: 10_000 })
    const identities = [await claim(client, null), await claim(client, TRANSACTIONAL_ID)]
    const producers = new IdleProducers(client, timestamp, identities)
    await producers.#produce(0)
    await producers.#produce(1)
    await producers.addPartition()
    await producers.#produceInTransaction()
    await producers.end()
    return producers
  }

  async answers(): Promise<ForgottenAnswers> {
    const partitionAdded = await this.addPartition()
    const transactionEnded = await this.end()
    const transactionDescribed = await this.describe()
    const claimed = await claim(this.#client, TRANSACTIONAL_ID, this.#transactional)
    const isSame = claimed.producerId === this.#transactional.producerId
    return {
      gap: await this.#produce(99),
      repeated: await this.#produce(0),
      partitionAdded,
      transactionEnded,
      transactionDescribed,
      claimed: [claimed.errorCode, claimed.producerEpoch, isSame],
    }
  }

  /** The same producers on another connection. */
  on(client: RawClient): IdleProducers {
    return new IdleProducers(client, this.#timestamp, [this.#idempotent, this.#transactional])
  }

  /** Leaves a transaction open. */
  async open(): Promise<void> {
    await this.addPartition()
    await this.#produceInTransaction(1)
  }

  /** The next batch of the idempotent producer, and another transaction. */
  async work(sequence: number, timestamp: number): Promise<void> {
    this.#timestamp = timestamp
    await this.#produce(sequence)
    await this.addPartition()
    await this.end()
  }

  /** The producers that have a state in the partition. */
  async active(): Promise<number | undefined> {
    const topics = [{ name: TOPIC, partitionIndexes: [0] }]
    const { topics: described } = await this.#client.send('DescribeProducers', 0, { topics })
    return described[0]?.partitions[0]?.activeProducers.length
  }

  async describe(): Promise<number | undefined> {
    const transactionalIds = [TRANSACTIONAL_ID]
    const { transactionStates } = await this.#client.send('DescribeTransactions', 0, { transactionalIds })
    return transactionStates[0]?.errorCode
  }

  addPartition(): Promise<number | undefined> {
    const { producerId, producerEpoch } = this.#transactional
    const request = {
      v3AndBelowTransactionalId: TRANSACTIONAL_ID,
      v3AndBelowProducerId: producerId,
      v3AndBelowProducerEpoch: producerEpoch,
      v3AndBelowTopics: [{ name: TOPIC, partitions: [0] }],
    }
    return settled(async () => {
      const { resultsByTopicV3AndBelow: results } = await this.#client.send('AddPartitionsToTxn', 3, request)
      return results?.[0]?.resultsByPartition[0]?.partitionErrorCode
    })
  }

  end(): Promise<number> {
    const request = { transactionalId: TRANSACTIONAL_ID, ...this.#transactional, committed: true }
    return settled(async () => (await this.#client.send('EndTxn', 3, request)).errorCode)
  }

  #produce(sequence: number): Promise<number | undefined> {
    const { producerId, producerEpoch: epoch } = this.#idempotent
    const records = this.#batch({ producerId, epoch, sequence })
    return this.#send(null, records)
  }

  #produceInTransaction(sequence = 0): Promise<number | undefined> {
    const { producerId, producerEpoch: epoch } = this.#transactional
    return this.#send(TRANSACTIONAL_ID, this.#batch({ producerId, epoch, sequence, isTransactional: true }))
  }

  #batch(
    identity: Pick<Parameters<typeof testBatch>[0], 'producerId' | 'epoch' | 'sequence' | 'isTransactional'>,
  ): Buffer {
    return testBatch({ values: ['v'], hasKeys: true, timestamp: this.#timestamp, ...identity })
  }

  async #send(transactionalId: string | null, records: Buffer): Promise<number | undefined> {
    const topicData = [{ name: TOPIC, partitionData: [{ index: 0, records }] }]
    const answer = await this.#client.send('Produce', 9, { transactionalId, acks: -1, timeoutMs: 10_000, topicData })
    return answer.responses[0]?.partitionResponses[0]?.errorCode
  }
}

async function claim(
  client: RawClient,
  transactionalId: string | null,
  owner: Identity = NO_PRODUCER,
): Promise<Identity & { readonly errorCode: number }> {
  const { producerId, producerEpoch } = owner
  const request = { transactionalId, transactionTimeoutMs: TRANSACTION_TIMEOUT_MS, producerId, producerEpoch }
  for (;;) {
    const answer = await client.send('InitProducerId', 4, request)
    if (answer.errorCode !== CONCURRENT_TRANSACTIONS) return answer
    await systemClock.sleep(RETRY_MS)
  }
}

/** Repeats a request until Kafka has ended the transaction before. */
async function settled<T extends number | undefined>(request: () => Promise<T>): Promise<T> {
  for (;;) {
    const errorCode = await request()
    if (errorCode !== CONCURRENT_TRANSACTIONS) return errorCode
    await systemClock.sleep(RETRY_MS)
  }
}

/** Error codes of the protocol guide, as Kafka 4.3 answers (idle-producers.full.test.ts). */
export const KNOWN: ForgottenAnswers = {
  gap: 45,
  repeated: 0,
  partitionAdded: 0,
  transactionEnded: 0,
  transactionDescribed: 0,
  claimed: [0, 1, true],
}

export const FORGOTTEN: ForgottenAnswers = {
  gap: 0,
  repeated: 45,
  partitionAdded: 49,
  transactionEnded: 49,
  transactionDescribed: 105,
  claimed: [0, 0, false],
}
