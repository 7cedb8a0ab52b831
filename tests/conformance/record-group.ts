import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { systemClock } from '@tributary/support'
import { eventually, startConnect, startKafka, storageTopics, type Service } from '@tributary/testkit'
import { Kafka as OtherClient, type Admin } from 'kafkajs'

/**
 * Records what real workers of Kafka Connect write into their group, for each version of its protocol:
 * `packages/runtime/fixtures/group-protocol/captured.json`. The admin of another client reads it.
 *
 *     npm run --silent exec -- tests/conformance/record-group.ts
 */
interface CapturedMember {
  readonly shape: string
  readonly protocol: string
  readonly metadata: string
  readonly assignment: string
}

const captured: CapturedMember[] = []
await using kafka = await startKafka()
const { bootstrapServers } = kafka
const client = new OtherClient({ brokers: [...bootstrapServers], logLevel: 0 })
const admin = client.admin()
await admin.connect()
for (const protocol of ['eager', 'compatible', 'sessioned']) await record(`recorded-${protocol}`, protocol)
await admin.disconnect()
const file = new URL('../../packages/runtime/fixtures/group-protocol/captured.json', import.meta.url)
await writeFile(fileURLToPath(file), `${JSON.stringify(captured, null, 2)}\n`)

async function record(name: string, protocol: string): Promise<void> {
  const properties = { 'connect.protocol': protocol, 'scheduled.rebalance.max.delay.ms': '60000' }
  const first = await startConnect({ bootstrapServers, name, properties })
  await capture(admin, name, `${protocol}: one worker without connectors`, (members) => members.length === 1)
  await storeConnectors(name)
  await capture(
    admin,
    name,
    `${protocol}: one worker with three connectors`,
    ([only]) => count(only, 'recorded-b') >= 1,
  )
  const second = await startConnect({ bootstrapServers, name, properties })
  const isShared = (members: Members): boolean =>
    members.length === 2 && members.every((each) => each.memberMetadata.length > 0)
  await capture(admin, name, `${protocol}: a second worker joins`, isShared)
  // By then the work has moved, and each worker has reported what it runs.
  await systemClock.sleep(8_000)
  await capture(admin, name, `${protocol}: the work is shared`, isShared)
  await stop(second)
  await capture(admin, name, `${protocol}: its work waits for it to return`, (members) => members.length === 1)
  await stop(first)
}

type Members = Awaited<ReturnType<Admin['describeGroups']>>['groups'][number]['members']

function count(member: Members[number] | undefined, text: string): number {
  return (member?.memberAssignment.toString('latin1').split(text).length ?? 1) - 1
}

async function capture(from: Admin, name: string, shape: string, isReached: (members: Members) => boolean) {
  await eventually(
    shape,
    async () => {
      const { groups } = await from.describeGroups([name])
      const [group] = groups
      if (group?.state !== 'Stable' || !isReached(group.members)) return false
      for (const { memberMetadata, memberAssignment } of group.members) {
        const [metadata, assignment] = [memberMetadata.toString('hex'), memberAssignment.toString('hex')]
        captured.push({ shape, protocol: group.protocol, metadata, assignment })
      }
      return true
    },
    { timeoutMs: 60_000 },
  )
}

/** Directly in the config topic: the validation of a request would look for a database. */
async function storeConnectors(name: string): Promise<void> {
  const producer = client.producer()
  await producer.connect()
  const messages = ['a', 'b', 'ü'].map((letter) => {
    const each = `recorded-${letter}`
    const config = {
      name: each,
      'connector.class': 'io.debezium.connector.mysql.MySqlConnector',
      'topic.prefix': each,
      'database.hostname': '127.0.0.1',
      'database.port': '1',
      'schema.history.internal.kafka.bootstrap.servers': bootstrapServers.join(','),
      'schema.history.internal.kafka.topic': `history-${each}`,
    }
    return { key: `connector-${each}`, value: JSON.stringify({ properties: config }) }
  })
  await producer.send({ topic: storageTopics(name).configs, messages })
  await producer.disconnect()
}

async function stop(service: Service): Promise<void> {
  await service[Symbol.asyncDispose]()
}
