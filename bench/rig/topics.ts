import { kafkaClient } from '@tributary/testkit'

/** Makes topics of one partition, so that all systems find the same ones. */
export async function createTopics(bootstrapServers: readonly string[], names: Iterable<string>): Promise<void> {
  await using admin = kafkaClient(bootstrapServers).admin()
  await inBatches([...names], (name) => admin.createTopic({ name, partitions: 1, replicationFactor: 1 }))
}

/** Gives their place on the disk back. */
export async function deleteTopics(bootstrapServers: readonly string[], names: Iterable<string>): Promise<void> {
  await using admin = kafkaClient(bootstrapServers).admin()
  await inBatches([...names], (name) => admin.deleteTopic(name))
}

/** One request after the other is slow for thousands of topics, and all of them at once time out. */
const BATCH = 25

async function inBatches(names: readonly string[], request: (name: string) => Promise<unknown>): Promise<void> {
  for (let from = 0; from < names.length; from += BATCH) {
    await Promise.all(names.slice(from, from + BATCH).map((name) => request(name)))
  }
}
