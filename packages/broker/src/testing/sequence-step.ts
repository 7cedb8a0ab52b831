import { systemClock } from '@tributary/support'
import type { SeededRandom } from '@tributary/testkit'
import type { Step } from './step.ts'
import { testBatch } from './test-batch.ts'

/**
 * Batches of a new producer in order, one of them again, then one with a gap before it, and the one that fills the gap.
 */
export function sequenceStep(random: SeededRandom, topic: string): Step {
  const counts = Array.from({ length: random.integer(1, 4) }, () => random.integer(1, 4))
  const gap = random.integer(1, 4)
  const repeated = random.integer(0, counts.length)
  const timestamp = systemClock.now()
  return {
    text: `batches ${counts.join('+')} of a new producer for ${topic}/0, number ${repeated} again, and one ${gap} later`,
    run: async (broker) => {
      const { producerId, producerEpoch: epoch } = await broker.client.send('InitProducerId', 4, {
        transactionalId: null,
        transactionTimeoutMs: 60_000,
        producerId: -1n,
        producerEpoch: -1,
      })
      const produce = (sequence: number, count: number): Promise<unknown> => {
        const values = Array.from({ length: count }, (_, i) => `s${sequence + i}`)
        const identity = { producerId, epoch, sequence }
        const records = testBatch({ values, hasKeys: true, timestamp, ...identity })
        const topicData = [{ name: topic, partitionData: [{ index: 0, records }] }]
        return broker.send('Produce', 9, { transactionalId: null, acks: -1, timeoutMs: 10_000, topicData })
      }
      const answers: unknown[] = []
      let next = 0
      for (const count of counts) {
        answers.push(await produce(next, count))
        next += count
      }
      const before = counts.slice(0, repeated).reduce((sum, count) => sum + count, 0)
      answers.push(await produce(before, counts[repeated] ?? 1))
      for (const sequence of [next + gap, next]) answers.push(await produce(sequence, 1))
      return answers
    },
  }
}
