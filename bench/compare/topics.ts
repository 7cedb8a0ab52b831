import { kafkaClient } from '@tributary/testkit'

/** Makes topics of one partition, so that all systems find the same ones. */
export async function createTopics(bootstrapServers: readonly string[], names: Iterable<string>): Promise<void> {
  await using admin = kafkaClient(bootstrapServers).admin()
  for (const name of names) await admin.createTopic({ name, partitions: 1, replicationFactor: 1 })
}

/** Gives their place on the disk back. */
export async function deleteTopics(bootstrapServers: readonly string[], names: Iterable<string>): Promise<void> {
  await using admin = kafkaClient(bootstrapServers).admin()
  for (const name of names) await admin.deleteTopic(name)
}
