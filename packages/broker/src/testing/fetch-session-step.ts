import { systemClock } from '@tributary/support'
import type { SeededRandom } from '@tributary/testkit'
import type { SentRequest } from '../protocol/message-types.ts'
import type { ComparedBroker } from './compared-broker.ts'
import type { Step } from './step.ts'
import { testBatch } from './test-batch.ts'

const FETCH_BYTES = 1_000_000
const VERSION = 11

type Topics = SentRequest<'Fetch'>['topics']

interface SessionFetch {
  readonly sessionId: number
  readonly sessionEpoch: number
  readonly topics?: Topics
  readonly forgotten?: readonly number[]
}

/** A fetch session: its begin, changes of its partitions, new records, a wrong epoch, its end, and a use after that. */
export function fetchSessionStep(random: SeededRandom, topic: string): Step {
  const offsets = [random.integer(0, 4), random.integer(0, 4)]
  const later = random.integer(0, 12)
  const forgotten = random.pick([[], [0], [1], [0, 1]])
  const wrongEpoch = random.pick([1, 3, 9])
  const timestamp = systemClock.now()
  const listed = (...wanted: readonly (readonly [number, number])[]): Topics => {
    const partitions = wanted.map(([partition, offset]) => ({
      partition,
      fetchOffset: BigInt(offset),
      partitionMaxBytes: FETCH_BYTES,
    }))
    return [{ topic, partitions }]
  }
  return {
    text: `fetch session of ${topic} from ${offsets.join('+')}, then ${later}, without ${forgotten.join('+')}, epoch ${wrongEpoch}`,
    run: async (broker) => {
      const seen: unknown[] = []
      const send = async (fetch: SessionFetch): Promise<number> => {
        const { sessionId, answer } = await fetchInSession(broker, topic, fetch)
        seen.push(answer)
        return sessionId
      }
      const all = listed([0, offsets[0] ?? 0], [1, offsets[1] ?? 0])
      const sessionId = await send({ sessionId: 0, sessionEpoch: 0, topics: all })
      await send({ sessionId, sessionEpoch: 1 })
      await send({ sessionId, sessionEpoch: 2, topics: listed([0, later]) })
      const records = testBatch({ values: ['in a session'], hasKeys: true, timestamp })
      const topicData = [{ name: topic, partitionData: [{ index: 0, records }] }]
      seen.push(await broker.send('Produce', 9, { transactionalId: null, acks: -1, timeoutMs: 10_000, topicData }))
      await send({ sessionId, sessionEpoch: 3 })
      await send({ sessionId, sessionEpoch: 4, forgotten })
      await send({ sessionId, sessionEpoch: wrongEpoch })
      await send({ sessionId, sessionEpoch: 5, topics: listed([2, 0]) })
      await send({ sessionId, sessionEpoch: -1, topics: all })
      await send({ sessionId, sessionEpoch: 6 })
      return seen
    },
  }
}

async function fetchInSession(
  broker: ComparedBroker,
  topic: string,
  { sessionId, sessionEpoch, topics = [], forgotten = [] }: SessionFetch,
): Promise<{ readonly sessionId: number; readonly answer: unknown }> {
  const answer = await broker.client.send('Fetch', VERSION, {
    maxWaitMs: 0,
    minBytes: 1,
    maxBytes: FETCH_BYTES,
    isolationLevel: 0,
    sessionId,
    sessionEpoch,
    topics,
    forgottenTopicsData: forgotten.length === 0 ? [] : [{ topic, partitions: forgotten }],
  })
  const partitions = answer.responses.flatMap((each) => each.partitions)
  const found = partitions.map(({ records, ...rest }) => [broker.comparable(rest), broker.batches(records)])
  // Kafka lists the partitions in the order in which it reads them, which changes.
  const sorted = found.map((each) => JSON.stringify(each)).toSorted()
  return { sessionId: answer.sessionId, answer: [answer.errorCode, answer.sessionId === 0, sorted] }
}
