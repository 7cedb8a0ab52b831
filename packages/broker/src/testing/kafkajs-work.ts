import { eventually } from '@tributary/testkit'
import { CompressionTypes, Kafka, logLevel, type Consumer, type KafkaMessage } from 'kafkajs'
import { sortedLines } from './sorted-lines.ts'

/** Works with a broker through kafkajs: administration, producers, transactions, groups. */
export async function kafkajsWork(server: string, prefix: string): Promise<readonly string[]> {
  const lines: string[] = []
  const report = (what: string, found: unknown): void => {
    lines.push(`${what}: ${JSON.stringify(found)}`.replaceAll(prefix, ''))
  }
  const kafka = new Kafka({ brokers: [server], logLevel: logLevel.NOTHING })
  const topic = `${prefix}orders`
  await administer(kafka, prefix, report)
  await produce(kafka, topic, report)
  report('read', sortedLines(await readInGroup(kafka, { topic, groupId: `${prefix}g`, count: 402 })))
  await rebalance(kafka, prefix, report)
  await transact(kafka, prefix, report)
  await deleteAll(kafka, prefix, report)
  return lines
}

function byText(one: string, other: string): number {
  return one < other ? -1 : 1
}

type Report = (what: string, found: unknown) => void

async function administer(kafka: Kafka, prefix: string, report: Report): Promise<void> {
  const admin = kafka.admin()
  await admin.connect()
  const topic = `${prefix}orders`
  const configEntries = [{ name: 'retention.ms', value: '86400000' }]
  report('create', await admin.createTopics({ topics: [{ topic, numPartitions: 2, configEntries }] }))
  report('create again', await admin.createTopics({ topics: [{ topic }] }))
  report('more partitions', await admin.createPartitions({ topicPartitions: [{ topic, count: 3 }] }))
  await eventually('the third partition is seen', async () => {
    const { topics } = await admin.fetchTopicMetadata({ topics: [topic] })
    return topics[0]?.partitions.length === 3
  })
  const described = await admin.describeConfigs({
    includeSynonyms: false,
    resources: [{ type: 2, name: topic, configNames: ['retention.ms'] }],
  })
  report('retention', described.resources[0]?.configEntries[0]?.configValue)
  const altered = [{ type: 2, name: topic, configEntries: [{ name: 'retention.ms', value: '1000000' }] }]
  await admin.alterConfigs({ validateOnly: false, resources: altered })
  report('nodes', (await admin.describeCluster()).brokers.length)
  await admin.disconnect()
}

async function produce(kafka: Kafka, topic: string, report: Report): Promise<void> {
  for (const idempotent of [false, true]) {
    const producer = kafka.producer({ idempotent })
    await producer.connect()
    for (const compression of [CompressionTypes.None, CompressionTypes.GZIP]) {
      const messages = Array.from({ length: 100 }, (_, i) => ({
        key: `key ${i}`,
        value: `${idempotent} ${compression} ${i}`,
        headers: { h: 'header' },
        partition: i % 3,
      }))
      const sent = await producer.send({ topic, acks: -1, compression, messages })
      report('sent', sent.map((each) => `${each.partition}/${each.baseOffset} ${each.errorCode}`).toSorted(byText))
    }
    await producer.disconnect()
  }
  const producer = kafka.producer()
  await producer.connect()
  await producer.send({ topic, acks: 1, messages: [{ key: null, value: 'acks 1', partition: 0 }] })
  await producer.send({ topic, acks: 0, messages: [{ key: 'tombstone', value: null, partition: 0 }] })
  await producer.disconnect()
}

interface GroupRead {
  readonly topic: string
  readonly groupId: string
  readonly count: number
  readonly readUncommitted?: boolean
}

/** Reads that many records from the beginning as the only member of a group. */
async function readInGroup(kafka: Kafka, { topic, groupId, count, ...options }: GroupRead): Promise<string[]> {
  const consumer = kafka.consumer({ groupId, ...options })
  const found: string[] = []
  await consumer.connect()
  await consumer.subscribe({ topics: [topic], fromBeginning: true })
  await consumer.run({ eachMessage: async ({ partition, message }) => void found.push(textOf(partition, message)) })
  await eventually(`${count} records of ${topic}`, () => found.length >= count)
  await consumer.disconnect()
  return found
}

function textOf(partition: number, { offset, key, value, headers }: KafkaMessage): string {
  const header = headers?.['h']?.toString() ?? ''
  return `${partition}/${offset} ${key?.toString() ?? null} ${value?.toString() ?? null} ${header}`
}

/** A second member takes a part of the partitions, and leaves. */
async function rebalance(kafka: Kafka, prefix: string, report: Report): Promise<void> {
  const shares = new Map<string, number>()
  const join = async (name: string): Promise<Consumer> => {
    const consumer = kafka.consumer({ groupId: `${prefix}shared`, heartbeatInterval: 200 })
    consumer.on('consumer.group_join', ({ payload }) => {
      shares.set(name, Object.values(payload.memberAssignment).flat().length)
    })
    await consumer.connect()
    await consumer.subscribe({ topics: [`${prefix}orders`], fromBeginning: true })
    await consumer.run({ eachMessage: () => Promise.resolve() })
    return consumer
  }
  const one = await join('one')
  await eventually('the first member has three partitions', () => shares.get('one') === 3)
  const two = await join('two')
  await eventually('both members have partitions', () => {
    const [first = 0, second = 0] = [shares.get('one'), shares.get('two')]
    return first > 0 && second > 0 && first + second === 3
  })
  const admin = kafka.admin()
  await admin.connect()
  const { groups } = await admin.describeGroups([`${prefix}shared`])
  report('described', [groups[0]?.state, groups[0]?.members.length, groups[0]?.protocol])
  await two.disconnect()
  await eventually('the first member has three partitions again', () => shares.get('one') === 3)
  await one.disconnect()
  const offsets = await admin.fetchOffsets({ groupId: `${prefix}g`, topics: [`${prefix}orders`] })
  report('committed', offsets[0]?.partitions.map((each) => `${each.partition}: ${each.offset}`).toSorted(byText))
  await admin.disconnect()
}

async function transact(kafka: Kafka, prefix: string, report: Report): Promise<void> {
  const topic = `${prefix}payments`
  const admin = kafka.admin()
  await admin.connect()
  await admin.createTopics({ topics: [{ topic, numPartitions: 1 }] })
  const producer = kafka.producer({ transactionalId: `${prefix}tx`, maxInFlightRequests: 1, idempotent: true })
  await producer.connect()
  for (let round = 0; round < 6; round++) {
    const transaction = await producer.transaction()
    const messages = Array.from({ length: 10 }, (_, i) => ({ key: 'k', value: `round ${round} ${i}` }))
    await transaction.send({ topic, messages })
    const offsets = [{ partition: 0, offset: String(round) }]
    await transaction.sendOffsets({ consumerGroupId: `${prefix}copies`, topics: [{ topic, partitions: offsets }] })
    await (round % 2 === 0 ? transaction.commit() : transaction.abort())
  }
  await producer.disconnect()
  const committed = await readInGroup(kafka, { topic, groupId: `${prefix}c`, count: 30 })
  report('committed', sortedLines(committed))
  const all = await readInGroup(kafka, { topic, groupId: `${prefix}u`, count: 60, readUncommitted: true })
  report('all', sortedLines(all))
  const offsets = await admin.fetchOffsets({ groupId: `${prefix}copies`, topics: [topic] })
  report('offsets of the transactions', offsets[0]?.partitions[0]?.offset)
  await admin.disconnect()
}

async function deleteAll(kafka: Kafka, prefix: string, report: Report): Promise<void> {
  const admin = kafka.admin()
  await admin.connect()
  const topic = `${prefix}orders`
  await admin.setOffsets({ groupId: `${prefix}idle`, topic, partitions: [{ partition: 0, offset: '7' }] })
  const offsets = await admin.fetchOffsets({ groupId: `${prefix}idle`, topics: [topic] })
  report('set offset', offsets[0]?.partitions[0]?.offset)
  await admin.deleteTopicRecords({ topic, partitions: [{ partition: 0, offset: '10' }] })
  const ends = await admin.fetchTopicOffsets(topic)
  report('offsets', ends.map(({ partition, low, high }) => `${partition}: ${low} ${high}`).toSorted(byText))
  report('delete group', await admin.deleteGroups([`${prefix}g`]))
  report('delete topics', await admin.deleteTopics({ topics: [topic, `${prefix}payments`] }))
  await admin.disconnect()
}
