import { kafkaClient, readTopic } from '@tributary/testkit'
import type { OutgoingRecord, RecordPart } from '@tributary/kafka'
import { present } from '@tributary/support'

/** Records of one topic, ready to be sent. */
export interface PrebuiltTopic {
  readonly topic: string
  readonly records: readonly OutgoingRecord[]
}

/**
 * Reads the records of topics in the form in which a task passes them to the producer: equal prefixes are one object.
 */
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

/** Sends `count` records: repeats the prebuilt ones, and alternates between the topics as the transactions did. */
export async function sendPrebuilt(
  bootstrapServers: readonly string[],
  topics: readonly PrebuiltTopic[],
  count: number,
): Promise<SendingResult> {
  await using producer = await (await kafkaClient(bootstrapServers)).producer({ onDelivered: () => undefined })
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
      // Yields to the socket, as a task does once per poll.
      else await new Promise(setImmediate)
    }
  }
  await producer.flush()
  const { user, system } = process.cpuUsage(usage)
  return { seconds: (performance.now() - begin) / 1000, processorSeconds: (user + system) / 1e6 }
}

/** The share of one of four topics in a poll of 256 records. */
const RECORDS_PER_TURN = 64
