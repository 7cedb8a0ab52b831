import { present, systemClock } from '@tributary/support'
import { ComparedBroker } from './compared-broker.ts'
import { RawClient } from './raw-client.ts'
import { ended, leadersOf } from './step-helpers.ts'
import { testBatch } from './test-batch.ts'

/** The records of all scripts have this time: ten minutes ago. */
const TIMESTAMP = systemClock.now() - 600_000
const BYTES = 1_000_000

interface Owner {
  readonly transactionalId: string
  readonly producerId: bigint
  readonly producerEpoch: number
}

export interface Sent {
  readonly sequence: number
  readonly count?: number
  readonly isTransactional?: boolean
}

/** The requests of a script, with what can be compared of their answers. Its topic is `t`, its group `g`. */
export class ScriptedClient implements AsyncDisposable {
  readonly #broker: ComparedBroker
  readonly #client: RawClient
  readonly #prefix: string

  private constructor(client: RawClient, prefix: string) {
    this.#client = client
    this.#broker = new ComparedBroker(client)
    this.#prefix = prefix
  }

  static async connect(server: string, prefix: string): Promise<ScriptedClient> {
    return new ScriptedClient(await RawClient.connect(server), prefix)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client[Symbol.asyncDispose]()
  }

  get #topic(): string {
    return `${this.#prefix}t`
  }

  get #group(): string {
    return `${this.#prefix}g`
  }

  async createTopic(): Promise<void> {
    const topics = [{ name: this.#topic, numPartitions: 1, replicationFactor: 1 }]
    await this.#client.send('CreateTopics', 5, { topics, timeoutMs: 10_000 })
    await leadersOf(this.#broker, this.#topic, 1)
  }

  deleteTopic(): Promise<unknown> {
    return this.#broker.send('DeleteTopics', 5, { topicNames: [this.#topic], timeoutMs: 10_000 })
  }

  async begin(name: string): Promise<Owner> {
    const transactionalId = `${this.#prefix}${name}`
    const none = { producerId: -1n, producerEpoch: -1 }
    await this.#broker.send('FindCoordinator', 4, { keyType: 1, coordinatorKeys: [transactionalId] })
    const { producerId, producerEpoch } = await this.#client.send('InitProducerId', 4, {
      transactionalId,
      transactionTimeoutMs: 60_000,
      ...none,
    })
    return { transactionalId, producerId, producerEpoch }
  }

  addPartition({ transactionalId, producerId, producerEpoch }: Owner): Promise<unknown> {
    return this.#broker.send('AddPartitionsToTxn', 3, {
      v3AndBelowTransactionalId: transactionalId,
      v3AndBelowProducerId: producerId,
      v3AndBelowProducerEpoch: producerEpoch,
      v3AndBelowTopics: [{ name: this.#topic, partitions: [0] }],
    })
  }

  async end(owner: Owner, committed: boolean): Promise<unknown> {
    const answer = await this.#broker.send('EndTxn', 3, { ...owner, committed })
    await ended(this.#broker, owner.transactionalId)
    return answer
  }

  produce(owner: Owner | null, { sequence, count = 1, isTransactional = false }: Sent): Promise<unknown> {
    const values = Array.from({ length: count }, (_, i) => `v${i}`)
    const identity =
      owner === null ? {} : { producerId: owner.producerId, epoch: owner.producerEpoch, sequence, isTransactional }
    const records = testBatch({ values, hasKeys: true, timestamp: TIMESTAMP, ...identity })
    const transactionalId = isTransactional ? present(owner, 'the owner of a transaction').transactionalId : null
    const topicData = [{ name: this.#topic, partitionData: [{ index: 0, records }] }]
    return this.#broker.send('Produce', 9, { transactionalId, acks: -1, timeoutMs: 10_000, topicData })
  }

  deleteRecords(offset: bigint): Promise<unknown> {
    const topics = [{ name: this.#topic, partitions: [{ partitionIndex: 0, offset }] }]
    return this.#broker.send('DeleteRecords', 2, { topics, timeoutMs: 10_000 })
  }

  /** The offset of the record with the latest time. */
  latest(): Promise<unknown> {
    const partitions = [{ partitionIndex: 0, timestamp: -3n, currentLeaderEpoch: -1 }]
    return this.#broker.send('ListOffsets', 7, { replicaId: -1, topics: [{ name: this.#topic, partitions }] })
  }

  /** What a reader of committed records gets, without the bytes. */
  async readCommitted(fetchOffset: bigint): Promise<unknown> {
    const partitions = [{ partition: 0, fetchOffset, partitionMaxBytes: BYTES }]
    const answer = await this.#client.send('Fetch', 11, {
      maxWaitMs: 0,
      minBytes: 1,
      maxBytes: BYTES,
      isolationLevel: 1,
      topics: [{ topic: this.#topic, partitions }],
    })
    const { records, abortedTransactions, lastStableOffset } = present(
      answer.responses[0]?.partitions[0],
      'the partition',
    )
    const aborted = (abortedTransactions ?? []).map(({ firstOffset }) => firstOffset)
    return [String(lastStableOffset), aborted.map(String), this.#broker.batches(records)]
  }

  async pendingOffset({ transactionalId, producerId, producerEpoch }: Owner, offset: bigint): Promise<unknown> {
    const claim = { transactionalId, producerId, producerEpoch }
    const added = await this.#broker.send('AddOffsetsToTxn', 3, { ...claim, groupId: this.#group })
    const partitions = [{ partitionIndex: 0, committedOffset: offset, committedMetadata: '' }]
    const topics = [{ name: this.#topic, partitions }]
    return [added, await this.#broker.send('TxnOffsetCommit', 3, { ...claim, groupId: this.#group, topics })]
  }

  committedOffset(requireStable: boolean = false): Promise<unknown> {
    const topics = [{ name: this.#topic, partitionIndexes: [0] }]
    return this.#broker.send('OffsetFetch', 7, { groupId: this.#group, topics, requireStable })
  }

  deleteOffset(): Promise<unknown> {
    const topics = [{ name: this.#topic, partitions: [{ partitionIndex: 0 }] }]
    return this.#broker.send('OffsetDelete', 0, { groupId: this.#group, topics })
  }

  async deleteGroup(): Promise<unknown> {
    const answer = await this.#client.send('DeleteGroups', 2, { groupsNames: [this.#group] })
    return answer.results.map(({ errorCode }) => errorCode)
  }

  /** Joins as the only member, a new one by default; returns its id and generation. */
  async join(
    metadata: string,
    memberId: string = '',
  ): Promise<{ readonly memberId: string; readonly generationId: number }> {
    const protocols = [{ name: 'p', metadata: Buffer.from(metadata) }]
    const answer = await this.#client.send('JoinGroup', 3, {
      groupId: this.#group,
      sessionTimeoutMs: 30_000,
      rebalanceTimeoutMs: 30_000,
      memberId,
      protocolType: 'connect',
      protocols,
    })
    return { memberId: answer.memberId, generationId: answer.generationId }
  }

  async assign({
    memberId,
    generationId,
  }: {
    readonly memberId: string
    readonly generationId: number
  }): Promise<number> {
    const assignments = [{ memberId, assignment: Buffer.from('work') }]
    const answer = await this.#client.send('SyncGroup', 2, {
      groupId: this.#group,
      generationId,
      memberId,
      assignments,
    })
    return answer.errorCode
  }

  /** Its state, and what its members are assigned. */
  async describeGroup(): Promise<unknown> {
    const { groups } = await this.#client.send('DescribeGroups', 4, { groups: [this.#group] })
    return groups.map(({ groupState, members }) => [
      groupState,
      members.map(({ memberAssignment }) => memberAssignment.toString()),
    ])
  }
}
