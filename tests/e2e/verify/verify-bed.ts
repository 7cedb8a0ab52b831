import type { Verification, VerifiedTable } from '@tributary/rest-api'
import { connectorConfig, type Database, eventually, type Service } from '@tributary/testkit'

export interface Bed {
  readonly database: Database
  readonly bootstrapServers: readonly string[]
  readonly service: Service
  /** Name of the database, of the connector and of the topic prefix. */
  readonly name: string
}

/** A quiet stream moves its offset with each heartbeat, otherwise every five seconds. */
const FAST = { 'heartbeat.interval.ms': '300' }

/** Registers a connector for a database of its own. */
export async function capture(bed: Bed, more: Readonly<Record<string, string>> = {}): Promise<void> {
  const { database, bootstrapServers, service, name } = bed
  const config = connectorConfig({
    database,
    bootstrapServers,
    prefix: name,
    includes: name,
    more: { ...FAST, ...more },
  })
  await service.register(name, config)
  await service.waitUntilRunning(name)
}

/** Compares over REST, and returns the run when it has ended. */
export async function verifyAll(
  { service, name }: Pick<Bed, 'service' | 'name'>,
  request: object = {},
): Promise<Verification> {
  const started = await service.rest('POST', `/connectors/${name}/verifications`, request)
  if (started.status !== 201) throw new Error(`${started.status} ${started.text}`)
  const { id } = started.json as Verification
  return eventually(
    'the verification ends',
    async () => {
      const run = (await service.rest('GET', `/connectors/${name}/verifications/${id}`)).json as Verification
      return run.state !== 'RUNNING' && run
    },
    { timeoutMs: 300_000, everyMs: 100 },
  )
}

/** The result of a table, for assertions. */
export function resultOf(table: VerifiedTable): unknown {
  const { missing, extra, different, without_tombstone: tombstones, note, unproven, differences } = table
  return [table.table, table.state, { missing, extra, different, tombstones, note, unproven, differences }]
}
