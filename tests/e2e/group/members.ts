import type { GroupOptions } from '@tributary/kafka'
import { kafkaClient, storageTopics, uniqueName, useMySql } from '@tributary/testkit'

/** The shortest session that brokers allow by default. */
export const SHORT_SESSION = { CONNECT_SESSION_TIMEOUT_MS: '6000', CONNECT_HEARTBEAT_INTERVAL_MS: '1000' } as const

/** A member that is no worker: it offers a protocol that no worker has. */
export const ANY_MEMBER: Omit<GroupOptions, 'groupId'> = {
  protocolType: 'connect',
  protocols: [{ name: 'other', metadata: Buffer.alloc(0) }],
  sessionTimeoutMs: 10_000,
  rebalanceTimeoutMs: 10_000,
  requestTimeoutMs: 10_000,
}

/** The member ids of a worker's group. */
export async function membersOf(bootstrapServers: readonly string[], groupId: string): Promise<readonly string[]> {
  await using group = (await kafkaClient(bootstrapServers)).group({ ...ANY_MEMBER, groupId })
  return (await group.describe()).members.map(({ memberId }) => memberId)
}

/** Settings of a worker with these internal topics. */
export function topicsOf(name: string): Readonly<Record<string, string>> {
  const { configs, offsets, statuses } = storageTopics(name)
  return { CONFIG_STORAGE_TOPIC: configs, OFFSET_STORAGE_TOPIC: offsets, STATUS_STORAGE_TOPIC: statuses }
}

/** A table `t` with one row. Returns its database, which is new. */
export async function createTable(): Promise<string> {
  const schema = uniqueName('group')
  const database = await useMySql()
  await database.query(
    `CREATE DATABASE ${schema}; CREATE TABLE ${schema}.t (id INT PRIMARY KEY, note TEXT); INSERT INTO ${schema}.t VALUES (1, '')`,
  )
  return schema
}
