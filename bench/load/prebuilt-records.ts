import { kafkaClient, readTopic } from '@tributary/testkit'
import type { OutgoingRecord, RecordPart } from '@tributary/kafka'
import { present } from '@tributary/support'

/** Records that are ready to be sent, of one topic. */
export interface PrebuiltTopic {
  readonly topic: string
  readonly records: readonly OutgoingRecord[]
}

/** The records of topics, as the task that wrote them had handed them to the producer: what repeats is one object. */
export async function prebuiltRecords(
  bootstrapServers: readonly string[],
  topics: readonly string[],
  target: (topic: string) => string,
): Promise<readonly PrebuiltTopic[]> {
  const prefixes = new Map<string, Buffer>()
  const part = (bytes: Buffer | null): RecordPart | null => {
    if (bytes === null) return null
    const length = bytes.indexOf(PAYLOAD) + PAYLOAD.length
    const text = bytes.toString('latin1', 0, length)
    const prefix = prefixes.get(text) ?? Buffer.from(bytes.subarray(0, length))
    prefixes.set(text, prefix)
    const buffer = Buffer.from(bytes.subarray(length))
    return { prefix, buffer, start: 0, end: buffer.length }
  }
  const all: PrebuiltTopic[] = []
  for (const topic of topics) {
    const records = (await readTopic(bootstrapServers, topic)).map(({ key, value }, token) => {
      return { key: part(key), value: part(value), headers: [], partition: null, timestamp: null, token }
    })
    all.push({ topic: target(topic), records })
  }
  return all
}

const PAYLOAD = Buffer.from('"payload":')

export interface SendingResult {
  readonly seconds: number
  readonly processorSeconds: number
}

/** Sends that many records, those there are over and over, topic after topic as the transactions went. */
export async function sendPrebuilt(
  bootstrapServers: readonly string[],
  topics: readonly PrebuiltTopic[],
  count: number,
): Promise<SendingResult> {
  await using producer = await kafkaClient(bootstrapServers).producer({ onDelivered: () => undefined })
  const targets = await Promise.all(topics.map(async ({ topic }) => producer.topic(topic)))
  const usage = process.cpuUsage()
  const begin = performance.now()
  for (let sent = 0, round = 0; sent < count; round++) {
    for (const [index, { records }] of topics.entries()) {
      const target = present(targets[index], 'a topic')
      for (let i = 0; i < RECORDS_PER_TURN && sent < count; i++, sent++) {
        target.send(present(records[(round * RECORDS_PER_TURN + i) % records.length], 'a record'))
      }
      if (producer.isFull) await producer.ready()
      // As a task does once a poll: the socket has its turn.
      else await new Promise(setImmediate)
    }
  }
  await producer.flush()
  const { user, system } = process.cpuUsage(usage)
  return { seconds: (performance.now() - begin) / 1000, processorSeconds: (user + system) / 1e6 }
}

/** Of a poll of 256, those of one of four topics. */
const RECORDS_PER_TURN = 64
