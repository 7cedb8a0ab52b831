import { kafkaClient } from '@tributary/testkit'

/** Creates topics with one partition, so that all systems write to equal topics. */
export async function createTopics(bootstrapServers: readonly string[], names: Iterable<string>): Promise<void> {
  await using admin = (await kafkaClient(bootstrapServers)).admin()
  await inBatches([...names], (name) => admin.createTopic({ name, partitions: 1, replicationFactor: 1 }))
}

/** Deletes topics, to free disk space. */
export async function deleteTopics(bootstrapServers: readonly string[], names: Iterable<string>): Promise<void> {
  await using admin = (await kafkaClient(bootstrapServers)).admin()
  await inBatches([...names], (name) => admin.deleteTopic(name))
}

/** For thousands of topics, sequential requests are slow, and sending all at once leads to time-outs. */
const BATCH = 25

async function inBatches(names: readonly string[], request: (name: string) => Promise<unknown>): Promise<void> {
  for (let from = 0; from < names.length; from += BATCH) {
    await Promise.all(names.slice(from, from + BATCH).map((name) => request(name)))
  }
}
