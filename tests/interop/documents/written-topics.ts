import type { Kafka, LogRecord } from '@tributary/kafka'

/** A topic that a connector has written. */
export interface WrittenTopic {
  /** The replication factor of each partition. */
  readonly partitions: readonly number[]
  /** In the order of the partitions and offsets. */
  readonly records: readonly LogRecord[]
}

/** All topics of a cluster except those that the worker and the brokers keep for themselves. */
export async function writtenTopics(
  kafka: Kafka,
  isInternal: (topic: string) => boolean,
): Promise<ReadonlyMap<string, WrittenTopic>> {
  await using admin = kafka.admin()
  const found = new Map<string, WrittenTopic>()
  for (const topic of (await admin.listTopics()).toSorted()) {
    if (isInternal(topic)) continue
    const description = await admin.describeTopic(topic)
    if (description === null) continue
    const records: LogRecord[] = []
    await using reader = await kafka.reader({ topic, from: 'earliest' })
    await reader.readToEnd((record) => void records.push(record))
    const partitions = description.partitions.map(({ replicas }) => replicas.length)
    const order = records.toSorted((a, b) => a.partition - b.partition || Number(a.offset - b.offset))
    found.set(topic, { partitions, records: order })
  }
  return found
}

/** The settings of topics, as text. */
export async function topicSettings(kafka: Kafka, topics: Iterable<string>): Promise<ReadonlyMap<string, string>> {
  await using admin = kafka.admin()
  const found = new Map<string, string>()
  for (const topic of topics) {
    const settings = [...(await admin.topicConfig(topic))].toSorted(([a], [b]) => (a < b ? -1 : 1))
    found.set(topic, JSON.stringify(settings))
  }
  return found
}

/** Deletes topics, and waits until the cluster has none of them. */
export async function deleteTopics(kafka: Kafka, topics: Iterable<string>): Promise<void> {
  await using admin = kafka.admin()
  for (const topic of topics) await admin.deleteTopic(topic)
}
