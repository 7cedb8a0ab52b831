import { createKafka, type Kafka, type LogRecord } from '@tributary/kafka'
import { silentLogger, systemClock } from '@tributary/support'
import { eventually, type EventuallyOptions } from '../process/eventually.ts'

/** A client of the cluster for tests. */
export function kafkaClient(bootstrapServers: readonly string[]): Kafka {
  return createKafka({ bootstrapServers, clientId: 'testkit', logger: silentLogger, clock: systemClock })
}

/** All records that a topic holds now, partition by partition; none when it does not exist. */
export async function readTopic(bootstrapServers: readonly string[], topic: string): Promise<readonly LogRecord[]> {
  const kafka = kafkaClient(bootstrapServers)
  await using admin = kafka.admin()
  if ((await admin.describeTopic(topic)) === null) return []
  await using reader = await kafka.reader({ topic, from: 'earliest' })
  const records: LogRecord[] = []
  await reader.readToEnd((record) => records.push(record))
  return records
}

/** Waits until a topic holds at least that many records, and gives all it then holds. */
export function waitForRecords(
  bootstrapServers: readonly string[],
  topic: string,
  count: number,
  options: EventuallyOptions = {},
): Promise<readonly LogRecord[]> {
  return eventually(
    `${topic} holds ${count} records`,
    async () => {
      const records = await readTopic(bootstrapServers, topic)
      return records.length >= count && records
    },
    { timeoutMs: 60_000, everyMs: 200, ...options },
  )
}

/** Column `id` of the row that an event in JSON with a schema tells of, as it is after the change. */
export function idOf({ value }: LogRecord): number {
  return (JSON.parse(value?.toString() ?? 'null') as { payload: { after: { id: number } } }).payload.after.id
}
