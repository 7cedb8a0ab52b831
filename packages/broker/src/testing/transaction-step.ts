import { systemClock } from '@tributary/support'
import type { SeededRandom } from '@tributary/testkit'
import type { ComparedBroker } from './compared-broker.ts'
import type { Step } from './step.ts'
import { ended, leadersOf } from './step-helpers.ts'
import { testBatch } from './test-batch.ts'

const FETCH_BYTES = 1_000_000
const ISOLATIONS = [0, 1]

/**
 * A whole transaction: batches in one or two partitions, what readers see while it is open, and after its end. Steps
 * that are drawn one by one rarely get that far.
 */
export function transactionStep(random: SeededRandom, topic: string, transactionalId: string): Step {
  const counts = Array.from({ length: random.integer(1, 4) }, () => random.integer(1, 4))
  const partitions = random.pick([[0], [0, 1]])
  const committed = random.integer(0, 2) === 0
  const plain = random.integer(0, 2) === 0
  const fetchOffset = BigInt(random.pick([0, 0, 1, 3]))
  const timestamp = systemClock.now()
  return {
    text: `${committed ? 'committed' : 'aborted'} transaction ${transactionalId} with ${counts.join('+')} in ${topic}/${partitions.join('+')}${plain ? ', beside a plain batch' : ''}, read from ${fetchOffset}`,
    run: async (broker) => {
      const seen: unknown[] = [await createIfMissing(broker, topic)]
      const claim = await begin(broker, transactionalId)
      if (claim === null) return [...seen, 'no producer id']
      const { producerId, producerEpoch } = claim
      const added = {
        v3AndBelowTransactionalId: transactionalId,
        v3AndBelowProducerId: producerId,
        v3AndBelowProducerEpoch: producerEpoch,
        v3AndBelowTopics: [{ name: topic, partitions }],
      }
      // Kafka returns the partitions in any order.
      const answers = JSON.stringify(await broker.send('AddPartitionsToTxn', 3, added)).match(/"partition[^,}]*/g) ?? []
      seen.push([...answers].toSorted())
      let sequence = 0
      for (const count of counts) {
        const values = Array.from({ length: count }, (_, i) => `x${sequence + i}`)
        const identity = { producerId, epoch: producerEpoch, sequence, isTransactional: true }
        const records = testBatch({ values, hasKeys: true, timestamp, ...identity })
        for (const index of partitions) seen.push(await produce(broker, { topic, index, records, transactionalId }))
        sequence += count
      }
      const records = testBatch({ values: ['plain'], hasKeys: true, timestamp })
      if (plain) seen.push(await produce(broker, { topic, index: 0, records, transactionalId: null }))
      for (const index of partitions) seen.push(await readBoth(broker, { topic, index, fetchOffset }))
      seen.push(await broker.send('EndTxn', 3, { transactionalId, producerId, producerEpoch, committed }))
      await ended(broker, transactionalId)
      for (const index of partitions) seen.push(await readBoth(broker, { topic, index, fetchOffset }))
      return seen
    },
  }
}

async function createIfMissing(broker: ComparedBroker, name: string): Promise<unknown> {
  const topics = [{ name, numPartitions: 2, replicationFactor: 1 }]
  const answer = await broker.client.send('CreateTopics', 5, { topics, timeoutMs: 10_000 })
  const errorCode = answer.topics[0]?.errorCode
  if (errorCode === 0) await leadersOf(broker, name, 2)
  return errorCode
}

/** A new epoch of the transactional id; null: refused. */
async function begin(
  { client }: ComparedBroker,
  transactionalId: string,
): Promise<{ readonly producerId: bigint; readonly producerEpoch: number } | null> {
  const none = { producerId: -1n, producerEpoch: -1 }
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const answer = await client.send('InitProducerId', 4, { transactionalId, transactionTimeoutMs: 60_000, ...none })
    if (answer.errorCode === 0) return answer
    // An earlier transaction is being ended.
    await systemClock.sleep(RETRY_MS)
  }
  return null
}

const ATTEMPTS = 200
const RETRY_MS = 5

interface Produced {
  readonly topic: string
  readonly index: number
  readonly records: Buffer
  readonly transactionalId: string | null
}

function produce(broker: ComparedBroker, { topic, index, records, transactionalId }: Produced): Promise<unknown> {
  const topicData = [{ name: topic, partitionData: [{ index, records }] }]
  return broker.send('Produce', 9, { transactionalId, acks: -1, timeoutMs: 10_000, topicData })
}

interface ReadPlace {
  readonly topic: string
  readonly index: number
  readonly fetchOffset: bigint
}

/** What readers of all records and of committed ones see, and where the log ends for them. */
async function readBoth(broker: ComparedBroker, { topic, index, fetchOffset }: ReadPlace): Promise<unknown> {
  const seen: unknown[] = []
  for (const isolationLevel of ISOLATIONS) {
    const partitions = [{ partition: index, fetchOffset, partitionMaxBytes: FETCH_BYTES }]
    const limits = { maxWaitMs: 0, minBytes: 1, maxBytes: FETCH_BYTES }
    const answer = await broker.client.send('Fetch', 11, { ...limits, isolationLevel, topics: [{ topic, partitions }] })
    const { records = null, ...rest } = answer.responses[0]?.partitions[0] ?? {}
    seen.push(broker.comparable(rest), broker.batches(records))
    const last = [{ partitionIndex: index, timestamp: -1n, currentLeaderEpoch: -1 }]
    const topics = [{ name: topic, partitions: last }]
    const ends = await broker.client.send('ListOffsets', 7, { replicaId: -1, isolationLevel, topics })
    const [end] = ends.topics[0]?.partitions ?? []
    seen.push([end?.errorCode, end?.offset])
  }
  return seen
}
