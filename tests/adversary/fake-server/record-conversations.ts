/**
 * Writes `packages/testkit/fixtures/conversations/`: what a real MySQL and a real MariaDB answer to a check, a snapshot
 * and a stream of the connector, from which the fake server answers. Run it when the connector sends other statements:
 *
 *     npm run --silent exec -- tests/adversary/fake-server/record-conversations.ts
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { OffsetDocument } from '@tributary/connect-api'
import { checkConnector } from '@tributary/connector-mysql'
import { systemClock } from '@tributary/support'
import {
  connectorConfig,
  type Conversation,
  conversationFile,
  type DatabaseServer,
  startKafka,
  startMariaDb,
  startMySql,
} from '@tributary/testkit'
import { ObservedTask } from './observed-task.ts'
import { RecordingProxy } from './recording-proxy.ts'

const TABLE = 'CREATE TABLE fake.t (id INT PRIMARY KEY, name VARCHAR(40), price DECIMAL(10, 2), at DATETIME(3))'
const ROWS = "INSERT INTO fake.t VALUES (1, 'one', 1.10, '2026-01-02 03:04:05.678'), (2, NULL, NULL, NULL)"
const CHANGES = [
  "INSERT INTO fake.t VALUES (3, 'three', 3.30, '2026-01-03 00:00:00'), (4, 'four', -4, NULL)",
  "UPDATE fake.t SET name = 'one, changed' WHERE id IN (1, 3)",
  'ALTER TABLE fake.t ADD COLUMN more INT NULL',
  "BEGIN; INSERT INTO fake.t VALUES (5, 'five', 5, NULL, 55); DELETE FROM fake.t WHERE id = 2; COMMIT",
  'INSERT INTO fake.untouched VALUES (1)',
  'UPDATE fake.t SET more = id',
] as const
const SNAPSHOT_CHANGES = 2
/** 2 + 2 rows inserted and updated · 1 + 1 in the transaction · 4 updated. */
const STREAM_CHANGES = 10

async function record(server: DatabaseServer, bootstrapServers: readonly string[]): Promise<Conversation> {
  const { flavor } = server
  await server.query(`CREATE DATABASE fake; ${TABLE}; CREATE TABLE fake.untouched (id INT PRIMARY KEY); ${ROWS}`)
  await using proxy = new RecordingProxy(server.port)
  await proxy.listen()
  const own = {
    'database.ssl.mode': flavor === 'mariadb' ? 'disable' : 'disabled',
    'database.server.id': '54321',
    'poll.interval.ms': '20',
    'source.struct.version': 'v2',
    'table.include.list': 'fake.t',
    'driver.allowPublicKeyRetrieval': 'true',
  }
  const config = {
    ...connectorConfig({
      database: server,
      bootstrapServers,
      prefix: `recorded-${flavor}`,
      includes: 'fake',
      more: own,
    }),
    name: 'fake',
    'database.port': String(proxy.port),
  }
  const { findings } = await checkConnector(config)
  console.log(flavor, findings)
  const deadline = AbortSignal.timeout(60_000)
  const options = { flavor, config, clock: systemClock }
  await using first = new ObservedTask({ ...options, stored: null })
  let offset: OffsetDocument | null = null
  let made: Promise<unknown> | null = null
  const change = async (): Promise<void> => {
    for (const sql of CHANGES) await server.query(sql)
  }
  await first.until(() => {
    if (made === null && first.logger.matching('Connected to binlog').length > 0) {
      offset = { ...first.stored }
      made = change()
    }
    return first.changes.length >= SNAPSHOT_CHANGES + STREAM_CHANGES
  }, deadline)
  await using second = new ObservedTask({ ...options, stored: offset })
  await second.until(() => second.changes.length >= STREAM_CHANGES, deadline)
  const [, file = ''] = /"file":"([^"]+)"/.exec(JSON.stringify(offset)) ?? []
  const answers = [...proxy.answers].map(([sql, all]) => [sql, all.map((bytes) => bytes.toString('base64'))] as const)
  return {
    flavor,
    greeting: proxy.greeting.toString('base64'),
    answers: Object.fromEntries(answers),
    binlog: { file, events: eventsOf(join(server.dataFolder, file)) },
    config: withoutAddresses(config),
    offset: offset ?? {},
    changes: first.changes,
    snapshotChanges: SNAPSHOT_CHANGES,
  }
}

function withoutAddresses(config: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(config).filter(([name]) => !/hostname|port|history/.test(name)))
}

/** A file is a four-byte magic number, then the events without gaps; int<4> at offset 9 of each is its size. */
function eventsOf(path: string): string[] {
  const file = readFileSync(path)
  const events: string[] = []
  for (let at = 4; at < file.length; at += file.readUInt32LE(at + 9)) {
    events.push(file.toString('base64', at, at + file.readUInt32LE(at + 9)))
  }
  return events
}

await using kafka = await startKafka()
for (const start of [startMySql, startMariaDb]) {
  await using server = await start()
  const conversation = await record(server, kafka.bootstrapServers)
  const { path, bytes } = conversationFile(conversation)
  writeFileSync(path, bytes)
  console.log(`${path.pathname}: ${bytes.length} bytes, ${Object.keys(conversation.answers).length} statements`)
}
