import { kafkaClient } from '@tributary/testkit'
import { textPart } from '@tributary/kafka'
import { setTimeout as sleep } from 'node:timers/promises'
import { createTopics, deleteTopics } from '../rig/topics.ts'
import { readArrivals } from './arrivals.ts'

/** About the size of an event with its schema. */
const VALUE_BYTES = 3_000
const TOPIC = 'latency.floor'

/**
 * Measures the latency of broker and consumer alone: sends records directly to a topic at the given rate and measures
 * from each `send` until the consumer has the record. It is a lower bound for every system, and the most by which the
 * harness can distort a figure.
 */
export async function harnessFloor(
  bootstrapServers: readonly string[],
  perSecond: number,
  seconds: number,
): Promise<readonly number[]> {
  const count = perSecond * seconds
  await createTopics(bootstrapServers, [TOPIC])
  await using producer = await (await kafkaClient(bootstrapServers)).producer({ onDelivered: () => undefined })
  const topic = await producer.topic(TOPIC)
  const arrivals = readArrivals(bootstrapServers, TOPIC, count)
  const sentMs = new Float64Array(count)
  const value = textPart('x'.repeat(VALUE_BYTES))
  const begin = performance.now()
  for (let next = 0; next < count;) {
    const due = Math.min(count, Math.floor(((performance.now() - begin) * perSecond) / 1000) + 1)
    for (; next < due; next++) {
      sentMs[next] = performance.timeOrigin + performance.now()
      const key = textPart(`{"id":${next}}`)
      topic.send({ key, value, headers: [], partition: null, timestamp: null, token: next })
    }
    await sleep(1)
  }
  const arrivedMs = await arrivals
  await deleteTopics(bootstrapServers, [TOPIC])
  return Array.from(arrivedMs, (ms, i) => ms - (sentMs[i] ?? NaN))
}
