import { kafkaClient } from '@tributary/testkit'
import { numberBehind } from '../measure/document-numbers.ts'

/** Reads a topic as a consumer does and notes when the record of each key `id` came, in milliseconds since 1970. */
export async function readArrivals(
  bootstrapServers: readonly string[],
  topic: string,
  count: number,
): Promise<Float64Array> {
  const arrivedMs = new Float64Array(count)
  await using reader = await kafkaClient(bootstrapServers).reader({ topic, from: 'earliest' })
  for (let seen = 0; seen < count;) {
    const records = await reader.poll()
    const atMs = performance.timeOrigin + performance.now()
    for (const { key, offset } of records) {
      const id = key === null ? NaN : numberBehind(key, ID)
      if (id === WARM_UP_ID) continue
      if (!(id >= 0 && id < count) || arrivedMs[id] !== 0)
        throw new Error(`record ${offset}: ${id} came twice, or never went`)
      arrivedMs[id] = atMs
      seen += 1
    }
  }
  return arrivedMs
}

/** Of the row that makes the topic. */
export const WARM_UP_ID = 2_000_000_000
const ID = Buffer.from('"id":')
