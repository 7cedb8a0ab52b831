import type { Kafka, LogRecord } from '@tributary/kafka'
import { silentLogger, systemClock } from '@tributary/support'
import { eventually, type EventuallyOptions } from '../process/eventually.ts'

/** A client of the cluster for tests. Its code is loaded by the first call: most tests use no broker. */
export async function kafkaClient(bootstrapServers: readonly string[]): Promise<Kafka> {
  const { createKafka } = await import('@tributary/kafka')
  return createKafka({ bootstrapServers, clientId: 'testkit', logger: silentLogger, clock: systemClock })
}

/** All current records of a topic, partition by partition; an empty array if the topic does not exist. */
export async function readTopic(bootstrapServers: readonly string[], topic: string): Promise<readonly LogRecord[]> {
  const kafka = await kafkaClient(bootstrapServers)
  await using admin = kafka.admin()
  if ((await admin.describeTopic(topic)) === null) return []
  await using reader = await kafka.reader({ topic, from: 'earliest' })
  const records: LogRecord[] = []
  await reader.readToEnd((record) => records.push(record))
  return records
}

/** Waits until a topic has at least that many records, and returns all its records. */
export function waitForRecords(
  bootstrapServers: readonly string[],
  topic: string,
  count: number,
  options: EventuallyOptions = {},
): Promise<readonly LogRecord[]> {
  return eventually(
    `${topic} has ${count} records`,
    async () => {
      const records = await readTopic(bootstrapServers, topic)
      return records.length >= count && records
    },
    { timeoutMs: 60_000, everyMs: 200, ...options },
  )
}

/** The column `id` in `after` of a change event in JSON with schema. */
export function idOf({ value }: LogRecord): number {
  return (JSON.parse(value?.toString() ?? 'null') as { payload: { after: { id: number } } }).payload.after.id
}
