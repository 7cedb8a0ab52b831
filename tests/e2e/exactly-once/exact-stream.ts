import { connectorConfig, kafkaClient, startService, uniqueName, useMySql, type Service } from '@tributary/testkit'
import { NumberedRows, seenBy } from './numbered-rows.ts'

export interface ExactStreamOptions {
  readonly bootstrapServers: readonly string[]
  /** Of the topic of the table. */
  readonly partitions: number
  /** Properties of the connector. */
  readonly more?: Readonly<Record<string, string>>
}

/** A service with exactly-once delivery whose connector streams a table of numbered rows. */
export interface ExactStream extends AsyncDisposable {
  readonly service: Service
  /** The name of the connector, its prefix and its database. */
  readonly name: string
  readonly rows: NumberedRows
  /** Whether a consumer of committed records at these brokers has seen all rows. */
  readonly isComplete: (bootstrapServers: readonly string[]) => Promise<boolean>
}

export async function startExactStream({
  bootstrapServers,
  partitions,
  more,
}: ExactStreamOptions): Promise<ExactStream> {
  const database = await useMySql()
  const name = uniqueName('exact')
  const rows = await NumberedRows.create(name)
  await using admin = (await kafkaClient(bootstrapServers)).admin()
  await admin.createTopic({ name: rows.topic, partitions, replicationFactor: 1 })
  const service = await startService({
    bootstrapServers,
    env: { CONNECT_EXACTLY_ONCE_SOURCE_SUPPORT: 'enabled' },
  })
  try {
    const exact = { 'exactly.once.support': 'required', 'snapshot.mode': 'no_data', ...more }
    await service.register(
      name,
      connectorConfig({ database, bootstrapServers, prefix: name, includes: name, more: exact }),
    )
    await service.waitForLog(/Connected to binlog at/)
  } catch (error) {
    await service[Symbol.asyncDispose]()
    throw error
  }
  return {
    service,
    name,
    rows,
    isComplete: async (servers) => (await seenBy(servers, rows.topic, rows.last)).missing.length === 0,
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  }
}
