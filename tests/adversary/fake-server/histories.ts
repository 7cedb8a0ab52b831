import { systemClock } from '@tributary/support'
import { type Conversation, scriptOf, startFakeServer, uniqueName } from '@tributary/testkit'
import type { FaultCase } from './fault-case.ts'
import { ObservedTask } from './observed-task.ts'

const TOPIC = 'schema.history.internal.kafka.topic'
const SERVERS = 'schema.history.internal.kafka.bootstrap.servers'

export function historyProperties(bootstrapServers: readonly string[], topic: string): Record<string, string> {
  return { [SERVERS]: bootstrapServers.join(','), [TOPIC]: topic }
}

/** Writes the schema history of each recording, from which the streams start. Returns the properties of the first part. */
export async function prepareHistories(
  conversations: readonly Conversation[],
  bootstrapServers: readonly string[],
): Promise<Record<string, string>> {
  const shared = historyProperties(bootstrapServers, uniqueName('fake-history'))
  for (const each of conversations) {
    await using server = await startFakeServer(scriptOf(each, false))
    const address = { 'database.hostname': server.host, 'database.port': String(server.port) }
    const own = { ...each.config, ...address, ...shared, [TOPIC]: `${shared[TOPIC]}-${each.flavor}` }
    await using task = new ObservedTask({ flavor: each.flavor, config: own, stored: null, clock: systemClock })
    await task.until(() => task.changes.length >= each.snapshotChanges, AbortSignal.timeout(30_000))
  }
  return shared
}

/** A stream reads the history of its server, which no case may change; each snapshot writes one of its own. */
export function historyOf(
  { entry, flavor }: FaultCase,
  shared: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const topic = shared[TOPIC] ?? ''
  return { ...shared, [TOPIC]: entry === 'stream' ? `${topic}-${flavor}` : uniqueName('fake-snapshot') }
}
