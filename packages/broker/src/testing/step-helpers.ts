import { eventually } from '@tributary/testkit'
import { ErrorCode } from '../protocol/error-code.ts'
import type { ReceivedResponse } from '../protocol/message-types.ts'
import type { RawClient } from './raw-client.ts'
import type { ComparedBroker, MemberSlot, ProducerSlot } from './compared-broker.ts'

export function producerOf(broker: ComparedBroker, slot: number): ProducerSlot {
  const none = { producerId: 999_999_999n, epoch: 0, transactionalId: null, sequences: new Map<string, number>() }
  return broker.producers.get(slot) ?? none
}

export function memberOf(broker: ComparedBroker, slot: number): MemberSlot {
  return broker.members.get(slot) ?? { memberId: 'nobody', generationId: 1 }
}

export function partitionsIn(
  topics: readonly { readonly topic: string; readonly partitions: readonly number[] }[],
): string[] {
  const own = topics.filter(({ topic }) => !topic.startsWith('__'))
  return own.flatMap(({ topic, partitions }) => partitions.map((index) => `${topic}/${index}`)).toSorted()
}

/** Kafka answers before the leader of a new partition is ready. */
export async function leadersOf(broker: ComparedBroker, name: string, count: number): Promise<void> {
  const partitions = Array.from({ length: count }, (_, partitionIndex) => ({
    partitionIndex,
    timestamp: -1n,
    currentLeaderEpoch: -1,
  }))
  await eventually(`${name} has a leader`, async () => {
    const answer = await broker.client.send('ListOffsets', 7, { replicaId: -1, topics: [{ name, partitions }] })
    return answer.topics[0]?.partitions.every(({ errorCode }) => errorCode === ErrorCode.NONE) === true
  })
}

/** Kafka answers before all markers of a transaction are written. */
export function ended({ client }: ComparedBroker, transactionalId: string): Promise<void> {
  return transactionEnded(client, transactionalId)
}

export async function transactionEnded(client: RawClient, transactionalId: string): Promise<void> {
  await eventually(`the transaction of ${transactionalId} has ended`, async () => {
    const answer = await client.send('DescribeTransactions', 0, { transactionalIds: [transactionalId] })
    return answer.transactionStates[0]?.transactionState.startsWith('Prepare') !== true
  })
}

const DELETE = 1
/** The source of a setting of a topic itself. */
const DYNAMIC_TOPIC = 1

/** Kafka answers before the brokers apply a setting. */
export async function settingApplied(
  { value, configOperation }: { readonly value: string; readonly configOperation: number },
  describe: () => Promise<ReceivedResponse<'DescribeConfigs'>>,
): Promise<void> {
  await eventually('the setting is applied', async () => {
    const [config] = (await describe()).results[0]?.configs ?? []
    const isOwn = config?.configSource === DYNAMIC_TOPIC
    return config === undefined || (configOperation === DELETE ? !isOwn : isOwn && config.value === value)
  })
}
