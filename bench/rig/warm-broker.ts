import { createTopics, deleteTopics } from './topics.ts'
import { sendPrebuilt, type PrebuiltTopic } from '../load/prebuilt-records.ts'

/**
 * Warms up a broker that has just started. Its JIT compiler uses a whole processor for the first half minute of load,
 * which would slow down the first measured system, and a fast one for a larger share of its run.
 */
export async function warmUpBroker(bootstrapServers: readonly string[], isQuick: boolean): Promise<void> {
  const topics = Array.from({ length: TOPICS }, (_, n) => `warm-up-${n}`)
  await createTopics(bootstrapServers, topics)
  const end = performance.now() + (isQuick ? QUICK_MS : LONG_MS)
  while (performance.now() < end) await sendPrebuilt(bootstrapServers, topics.map(recordsOf), RECORDS_PER_TURN)
  await deleteTopics(bootstrapServers, topics)
}

function recordsOf(topic: string): PrebuiltTopic {
  const prefix = Buffer.from(`{"schema":${JSON.stringify('x'.repeat(SCHEMA_BYTES))},"payload":`)
  const records = Array.from({ length: DIFFERENT_RECORDS }, (_, token) => {
    const payload = Buffer.from(JSON.stringify({ id: token, text: `${token}, `.repeat(PAYLOAD_BYTES / 8) }))
    return {
      key: { prefix, buffer: payload, start: 0, end: 20 },
      value: { prefix, buffer: payload, start: 0, end: payload.length },
      headers: [],
      partition: null,
      timestamp: null,
      token,
    }
  })
  return { topic, records }
}

const LONG_MS = 30_000
const QUICK_MS = 5_000
const TOPICS = 4
const SCHEMA_BYTES = 1000
const PAYLOAD_BYTES = 400
const DIFFERENT_RECORDS = 1000
const RECORDS_PER_TURN = 200_000
