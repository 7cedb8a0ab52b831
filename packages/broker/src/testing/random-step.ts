import { systemClock } from '@tributary/support'
import type { SeededRandom } from '@tributary/testkit'
import { ErrorCode } from '../protocol/error-code.ts'
import type { ReceivedResponse } from '../protocol/message-types.ts'
import { fetchSessionStep } from './fetch-session-step.ts'
import { sequenceStep } from './sequence-step.ts'
import type { Step } from './step.ts'
import { transactionStep } from './transaction-step.ts'
import { ended, leadersOf, memberOf, partitionsIn, producerOf, settingApplied } from './step-helpers.ts'
import { testBatch } from './test-batch.ts'

const READ_COMMITTED = 1
const RETRY_MS = 5
const ATTEMPTS = 200
const FETCH_BYTES = 1_000_000
/**
 * How long a group waits for members that do not join again. Longer than the steps of a sequence between a join and the
 * next look at its group take on a busy machine, so that both brokers answer before it has passed.
 */
const REBALANCE_MS = 8_000
/** Metadata of a committed offset that brokers refuse. */
const TOO_LONG = 'x'.repeat(5000)
/** Missing ones as well. */
const SLOTS = 3
/** The names of the topics, after the prefix of the sequence. */
export const TOPICS: readonly string[] = ['t0', 't1', 't2']

/** Draws steps whose objects have the prefix in their names, so that sequences do not meet. */
export class RandomSteps {
  readonly #random: SeededRandom
  readonly #prefix: string
  #value = 0

  constructor(random: SeededRandom, prefix: string) {
    this.#random = random
    this.#prefix = prefix
  }

  next(): Step {
    const kinds = [
      ...Array<() => Step>(5).fill(() => this.#produce()),
      ...Array<() => Step>(4).fill(() => this.#fetch()),
      ...Array<() => Step>(3).fill(() => this.#initProducer()),
      ...Array<() => Step>(3).fill(() => this.#addPartitions()),
      ...Array<() => Step>(3).fill(() => this.#endTransaction()),
      ...Array<() => Step>(2).fill(() => this.#createTopic()),
      ...Array<() => Step>(2).fill(() => this.#listOffsets()),
      ...Array<() => Step>(2).fill(() => this.#join()),
      ...Array<() => Step>(2).fill(() => this.#commitOffsets()),
      ...Array<() => Step>(2).fill(() => this.#transactionOffsets()),
      () => sequenceStep(this.#random, this.#topic()),
      ...Array<() => Step>(2).fill(() => transactionStep(this.#random, this.#topic(), this.#transactionalId())),
      () => fetchSessionStep(this.#random, this.#topic()),
      () => this.#sync(),
      () => this.#heartbeat(),
      () => this.#leave(),
      () => this.#fetchOffsets(),
      () => this.#describeGroup(),
      () => this.#deleteGroup(),
      () => this.#deleteRecords(),
      () => this.#alterConfig(),
      () => this.#createPartitions(),
      () => this.#metadata(),
      () => this.#describeTransaction(),
    ]
    return this.#random.pick(kinds)()
  }

  #topic(): string {
    return `${this.#prefix}.${this.#random.pick(TOPICS)}`
  }

  #group(): string {
    return `${this.#prefix}.g${this.#random.integer(0, 2)}`
  }

  #transactionalId(): string {
    return `${this.#prefix}.x${this.#random.integer(0, 2)}`
  }

  #createTopic(): Step {
    const name = this.#topic()
    const numPartitions = this.#random.pick([1, 1, 2, 2, -1, 0])
    const replicationFactor = this.#random.pick([1, 1, 1, -1, 2, 0])
    const configs = this.#random.pick([
      [],
      [],
      [{ name: 'cleanup.policy', value: 'compact' }],
      [{ name: 'x', value: '1' }],
    ])
    return {
      text: `create ${name} ${numPartitions} ${replicationFactor} ${JSON.stringify(configs)}`,
      run: async (broker) => {
        const topics = [{ name, numPartitions, replicationFactor, configs }]
        const answer = await broker.client.send('CreateTopics', 5, { topics, timeoutMs: 10_000 })
        const [result] = answer.topics
        if (result?.errorCode === ErrorCode.NONE) await leadersOf(broker, name, result.numPartitions)
        // The defaults of the brokers may differ in their settings.
        return [result?.errorCode, result?.numPartitions, result?.replicationFactor]
      },
    }
  }

  #createPartitions(): Step {
    const name = this.#topic()
    const count = this.#random.integer(0, 4)
    return {
      text: `create partitions ${name} ${count}`,
      run: async (broker) => {
        const topics = [{ name, count, assignments: null }]
        const answer = await broker.client.send('CreatePartitions', 1, { topics, timeoutMs: 10_000 })
        if (answer.results[0]?.errorCode === ErrorCode.NONE) await leadersOf(broker, name, count)
        return broker.comparable(answer)
      },
    }
  }

  #produce(): Step {
    const topic = this.#topic()
    const index = this.#random.integer(0, 2)
    const slot = this.#random.integer(-1, SLOTS)
    const isTransactional = this.#random.integer(0, 2) === 0
    const change = this.#random.pick(['next', 'next', 'next', 'same', 'gap', 'old epoch', 'broken', 'acks'])
    const values = Array.from({ length: this.#random.integer(1, 4) }, () => `v${this.#value++}`)
    const hasKeys = this.#random.integer(0, 4) > 0
    const version = this.#random.pick([3, 7, 8, 9, 11])
    const timestamp = systemClock.now()
    return {
      text: `produce ${topic}/${index} by ${slot} ${change}${isTransactional ? ' in a transaction' : ''}${hasKeys ? '' : ' without keys'} v${version}`,
      run: async (broker) => {
        const producer = broker.producers.get(slot)
        const key = `${topic}/${index}`
        const next = producer?.sequences.get(key) ?? 0
        const last = Math.max(0, next - values.length)
        const sequence = change === 'same' ? last : change === 'gap' ? next + 3 : next
        const inTransaction = isTransactional && producer?.transactionalId !== null && producer !== undefined
        const epoch = (producer?.epoch ?? -1) - (change === 'old epoch' && (producer?.epoch ?? 0) > 0 ? 1 : 0)
        const identity = producer && {
          producerId: producer.producerId,
          epoch,
          sequence,
          isTransactional: inTransaction,
        }
        const records = testBatch({ values, hasKeys, timestamp, ...identity })
        if (change === 'broken') records.writeUInt8(records.readUInt8(65) ^ 1, 65)
        const answer = await broker.send('Produce', version, {
          transactionalId: inTransaction ? producer.transactionalId : null,
          acks: change === 'acks' ? 1 + (this.#value % 3) : -1,
          timeoutMs: 10_000,
          topicData: [{ name: topic, partitionData: [{ index, records }] }],
        })
        const isNew = change !== 'same' && JSON.stringify(answer).includes('"errorCode":0')
        if (producer !== undefined && isNew) producer.sequences.set(key, sequence + values.length)
        return answer
      },
    }
  }

  #fetch(): Step {
    const topic = this.#topic()
    const partition = this.#random.integer(0, 2)
    const fetchOffset = BigInt(this.#random.pick([0, 0, 0, 1, 2, 5, 9, 30]))
    const isolationLevel = this.#random.integer(0, 2)
    const version = this.#random.pick([4, 7, 11, 12])
    return {
      text: `fetch ${topic}/${partition} ${fetchOffset} ${isolationLevel === READ_COMMITTED ? 'committed' : 'all'} v${version}`,
      run: async (broker) => {
        const partitions = [{ partition, fetchOffset, partitionMaxBytes: FETCH_BYTES }]
        const answer = await broker.client.send('Fetch', version, {
          maxWaitMs: 0,
          minBytes: 1,
          maxBytes: FETCH_BYTES,
          isolationLevel,
          topics: [{ topic, partitions }],
        })
        const [found] = answer.responses[0]?.partitions ?? []
        if (found === undefined) return answer.errorCode
        const { records, ...rest } = found
        return [answer.errorCode, broker.comparable(rest), broker.batches(records)]
      },
    }
  }

  #listOffsets(): Step {
    const name = this.#topic()
    const partitionIndex = this.#random.integer(0, 3)
    const timestamp = this.#random.pick([-1n, -2n, -3n, 0n, BigInt(systemClock.now() + 1_000_000)])
    const isolationLevel = this.#random.integer(0, 2)
    return {
      text: `list offsets ${name}/${partitionIndex} ${timestamp} ${isolationLevel}`,
      run: async (broker) => {
        const topics = [{ name, partitions: [{ partitionIndex, timestamp, currentLeaderEpoch: -1 }] }]
        const answer = await broker.client.send('ListOffsets', 7, { replicaId: -1, isolationLevel, topics })
        const [found] = answer.topics[0]?.partitions ?? []
        // Times of markers differ.
        return [found?.errorCode, found?.offset]
      },
    }
  }

  #initProducer(): Step {
    const slot = this.#random.integer(0, SLOTS)
    const transactionalId =
      [null, this.#transactionalId(), this.#transactionalId(), ''][this.#random.integer(0, 4)] ?? null
    const timeout = this.#random.pick([60_000, 60_000, 60_000, 0, 1_000_000])
    const claim = this.#random.pick(['none', 'none', 'own', 'old'])
    return {
      text: `init producer ${slot} as ${transactionalId} ${claim} ${timeout}`,
      run: async (broker) => {
        const known = broker.producers.get(slot)
        const isClaimed = claim !== 'none' && known !== undefined && known.transactionalId === transactionalId
        const send = async (): Promise<unknown> => {
          const answer = await broker.client.send('InitProducerId', 4, {
            transactionalId,
            transactionTimeoutMs: timeout,
            producerId: isClaimed ? known.producerId : -1n,
            producerEpoch: isClaimed ? Math.max(0, known.epoch - (claim === 'old' ? 1 : 0)) : -1,
          })
          if (answer.errorCode === ErrorCode.CONCURRENT_TRANSACTIONS) return null
          if (answer.errorCode === ErrorCode.NONE) {
            broker.producers.set(slot, {
              producerId: answer.producerId,
              epoch: answer.producerEpoch,
              transactionalId,
              sequences: new Map(),
            })
          }
          return [answer.errorCode, answer.producerEpoch]
        }
        for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
          const answer = await send()
          if (answer !== null) return answer
          await systemClock.sleep(RETRY_MS)
        }
        return 'a transaction does not end'
      },
    }
  }

  #addPartitions(): Step {
    const slot = this.#random.integer(0, SLOTS)
    const name = this.#topic()
    const partitions = this.#random.pick([[0], [0], [1], [0, 1]])
    return {
      text: `add ${name}/${partitions.join('+')} to the transaction of ${slot}`,
      run: async (broker) => {
        const { producerId, epoch, transactionalId } = producerOf(broker, slot)
        const answer = await broker.send('AddPartitionsToTxn', 3, {
          v3AndBelowTransactionalId: transactionalId ?? 'none',
          v3AndBelowProducerId: producerId,
          v3AndBelowProducerEpoch: epoch,
          v3AndBelowTopics: [{ name, partitions }],
        })
        // Kafka returns the partitions in any order.
        return [...(JSON.stringify(answer).match(/"partition[^,}]*/g) ?? [])].toSorted()
      },
    }
  }

  #transactionOffsets(): Step {
    const slot = this.#random.integer(0, SLOTS)
    const groupId = this.#group()
    const name = this.#topic()
    const committedOffset = BigInt(this.#random.integer(0, 100))
    const adds = this.#random.integer(0, 3) > 0
    return {
      text: `offsets of ${groupId} in the transaction of ${slot}${adds ? '' : ' without adding the group'}`,
      run: async (broker) => {
        const { producerId, epoch, transactionalId } = producerOf(broker, slot)
        const claim = { transactionalId: transactionalId ?? 'none', producerId, producerEpoch: epoch }
        const added = adds ? await broker.send('AddOffsetsToTxn', 3, { ...claim, groupId }) : null
        const partitions = [{ partitionIndex: 0, committedOffset, committedMetadata: 'm' }]
        const topics = [{ name, partitions }]
        const committed = await broker.send('TxnOffsetCommit', 3, { ...claim, groupId, topics })
        return [added, committed]
      },
    }
  }

  #endTransaction(): Step {
    const slot = this.#random.integer(0, SLOTS)
    const committed = this.#random.integer(0, 3) > 0
    return {
      text: `${committed ? 'commit' : 'abort'} the transaction of ${slot}`,
      run: async (broker) => {
        const { producerId, epoch, transactionalId } = producerOf(broker, slot)
        const id = transactionalId ?? 'none'
        const claim = { transactionalId: id, producerId, producerEpoch: epoch }
        const answer = await broker.send('EndTxn', 3, { ...claim, committed })
        await ended(broker, id)
        return answer
      },
    }
  }

  #describeTransaction(): Step {
    const transactionalId = this.#transactionalId()
    return {
      text: `describe transaction ${transactionalId}`,
      run: async (broker) => {
        await ended(broker, transactionalId)
        const answer = await broker.client.send('DescribeTransactions', 0, { transactionalIds: [transactionalId] })
        // Kafka keeps committed offsets in a topic, which is then a part of the transaction.
        return answer.transactionStates.map((state) =>
          broker.comparable({ ...state, topics: partitionsIn(state.topics) }),
        )
      },
    }
  }

  #join(): Step {
    const groupId = this.#group()
    const slot = this.#random.integer(0, 2)
    const protocolType = this.#random.pick(['connect', 'connect', 'consumer', ''])
    const protocols = this.#random.pick([['a'], ['a', 'b'], ['b'], []])
    const sessionTimeoutMs = this.#random.pick([60_000, 60_000, 60_000, 100])
    return {
      text: `join ${groupId} as ${slot} ${protocolType} ${protocols.join('+')} ${sessionTimeoutMs}`,
      run: async (broker) => {
        const known = broker.members.get(slot)
        const request = {
          groupId,
          sessionTimeoutMs,
          rebalanceTimeoutMs: REBALANCE_MS,
          memberId: known?.memberId ?? '',
          protocolType,
          protocols: protocols.map((name) => ({ name, metadata: Buffer.from(name) })),
        }
        let answer = await broker.client.send('JoinGroup', 5, request)
        const first = answer.errorCode
        if (first === ErrorCode.MEMBER_ID_REQUIRED) {
          answer = await broker.client.send('JoinGroup', 5, { ...request, memberId: answer.memberId })
        }
        if (answer.errorCode === ErrorCode.NONE) {
          broker.members.set(slot, { memberId: answer.memberId, generationId: answer.generationId })
        }
        if (answer.errorCode === ErrorCode.UNKNOWN_MEMBER_ID)
          broker.members.set(slot, { memberId: '', generationId: -1 })
        const members = answer.members.map(({ memberId, ...rest }) => broker.comparable({ ...rest, id: memberId }))
        const { errorCode, generationId, protocolName, leader } = answer
        const order = members.map((each) => JSON.stringify(each)).toSorted()
        return [first, errorCode, generationId, protocolName, broker.comparable(leader), order]
      },
    }
  }

  #sync(): Step {
    const { groupId, slot } = this.#memberCall()
    const isLate = this.#random.integer(0, 4) === 0
    return {
      text: `sync ${groupId} as ${slot}${isLate ? ' late' : ''}`,
      run: (broker) => {
        const { memberId, generationId } = memberOf(broker, slot)
        const assignments = [{ memberId, assignment: Buffer.from('work') }]
        const generation = generationId - (isLate ? 1 : 0)
        return broker.send('SyncGroup', 4, { groupId, generationId: generation, memberId, assignments })
      },
    }
  }

  #heartbeat(): Step {
    const { groupId, slot } = this.#memberCall()
    const isLate = this.#random.integer(0, 4) === 0
    return {
      text: `heartbeat ${groupId} as ${slot}${isLate ? ' late' : ''}`,
      run: (broker) => {
        const { memberId, generationId } = memberOf(broker, slot)
        return broker.send('Heartbeat', 3, { groupId, generationId: generationId - (isLate ? 1 : 0), memberId })
      },
    }
  }

  #leave(): Step {
    const { groupId, slot } = this.#memberCall()
    const version = this.#random.pick([2, 3, 4])
    return {
      text: `leave ${groupId} as ${slot} v${version}`,
      run: (broker) => {
        const { memberId } = memberOf(broker, slot)
        return broker.send('LeaveGroup', version, { groupId, memberId, members: [{ memberId }] })
      },
    }
  }

  #memberCall(): { readonly groupId: string; readonly slot: number } {
    return { groupId: this.#group(), slot: this.#random.integer(0, 2) }
  }

  #commitOffsets(): Step {
    const { groupId, slot } = this.#memberCall()
    const name = this.#topic()
    const isMember = this.#random.integer(0, 2) === 0
    const committedMetadata = [null, '', 'text', TOO_LONG][this.#random.integer(0, 4)] ?? null
    const committedOffset = this.#random.pick([0n, 7n, 2n ** 62n])
    return {
      text: `commit ${committedOffset} of ${name} for ${groupId}${isMember ? ` as ${slot}` : ''}`,
      run: (broker) => {
        const { memberId, generationId } = isMember ? memberOf(broker, slot) : { memberId: '', generationId: -1 }
        const partitions = [{ partitionIndex: 0, committedOffset, committedMetadata }]
        // Kafka may or may not know a group after a refused commit, so no other step uses its name.
        const isRefused = committedMetadata === TOO_LONG && memberId === ''
        return broker.send('OffsetCommit', 7, {
          groupId: isRefused ? `${this.#prefix}.refused` : groupId,
          generationIdOrMemberEpoch: generationId,
          memberId,
          topics: [{ name, partitions }],
        })
      },
    }
  }

  #fetchOffsets(): Step {
    const groupId = this.#group()
    const name = this.#topic()
    const requireStable = this.#random.integer(0, 2) === 0
    return {
      text: `committed offsets of ${groupId} for ${name}${requireStable ? ', stable' : ''}`,
      run: (broker) =>
        broker.send('OffsetFetch', 7, { groupId, topics: [{ name, partitionIndexes: [0, 1] }], requireStable }),
    }
  }

  #describeGroup(): Step {
    const groupId = this.#group()
    const version = this.#random.pick([4, 5, 6])
    return {
      text: `describe ${groupId} v${version}`,
      run: (broker) => broker.send('DescribeGroups', version, { groups: [groupId], includeAuthorizedOperations: true }),
    }
  }

  #deleteGroup(): Step {
    const groupId = this.#group()
    return { text: `delete ${groupId}`, run: (broker) => broker.send('DeleteGroups', 2, { groupsNames: [groupId] }) }
  }

  #deleteRecords(): Step {
    const name = this.#topic()
    const offset = this.#random.pick([-1n, 0n, 1n, 3n, 99n])
    return {
      text: `delete records of ${name} before ${offset}`,
      run: (broker) => {
        const topics = [{ name, partitions: [{ partitionIndex: 0, offset }] }]
        return broker.send('DeleteRecords', 2, { topics, timeoutMs: 10_000 })
      },
    }
  }

  #alterConfig(): Step {
    const resourceName = this.#topic()
    const [name, value] = this.#random.pick([
      ['retention.ms', '86400000'],
      ['retention.ms', 'never'],
      ['max.message.bytes', '200'],
      ['max.message.bytes', '1048588'],
      ['segment.bytes', '3'],
      ['no.such', '1'],
    ] as const)
    const configOperation = this.#random.pick([0, 0, 1, 2])
    return {
      text: `alter ${name} of ${resourceName}: ${configOperation} ${value}`,
      run: async (broker) => {
        const change = { name, value, configOperation }
        const configs = [change]
        const resources = [{ resourceType: 2, resourceName, configs }]
        const altered = await broker.client.send('IncrementalAlterConfigs', 1, { resources })
        const result = altered.responses[0]?.errorCode
        const describe = (configurationKeys: readonly string[]): Promise<ReceivedResponse<'DescribeConfigs'>> =>
          broker.client.send('DescribeConfigs', 4, {
            resources: [{ resourceType: 2, resourceName, configurationKeys }],
          })
        if (result === ErrorCode.NONE) await settingApplied(change, () => describe([name]))
        const described = await describe(['max.message.bytes'])
        const [config] = described.results[0]?.configs ?? []
        return [result, described.results[0]?.errorCode, config?.value, config?.configSource]
      },
    }
  }

  #metadata(): Step {
    const name = this.#random.pick([this.#topic(), this.#topic(), 'not/a/name', ''])
    const version = this.#random.pick([1, 4, 8, 9, 12])
    return {
      text: `metadata of ${name} v${version}`,
      // Version 1 creates missing topics.
      run: (broker) =>
        broker.send('Metadata', version === 1 ? 4 : version, { topics: [{ name }], allowAutoTopicCreation: false }),
    }
  }
}
