import { kafkaClient } from '@tributary/testkit'
import { numberAfter } from '../measure/document-numbers.ts'

/** Consumes a topic and records when the record of each key `id` arrived, in milliseconds since 1970. */
export async function readArrivals(
  bootstrapServers: readonly string[],
  topic: string,
  count: number,
): Promise<Float64Array> {
  const arrivedMs = new Float64Array(count)
  await using reader = await (await kafkaClient(bootstrapServers)).reader({ topic, from: 'earliest' })
  for (let seen = 0; seen < count;) {
    const records = await reader.poll()
    const atMs = performance.timeOrigin + performance.now()
    for (const { key, offset } of records) {
      const id = key === null ? NaN : numberAfter(key, ID)
      if (id === WARM_UP_ID) continue
      if (!(id >= 0 && id < count) || arrivedMs[id] !== 0)
        throw new Error(`record ${offset}: the id ${id} is repeated or unknown`)
      arrivedMs[id] = atMs
      seen += 1
    }
  }
  return arrivedMs
}

/** The id of the row whose event creates the topic. */
export const WARM_UP_ID = 2_000_000_000
const ID = Buffer.from('"id":')
