/** Which record format a connector continues with: a topic mixes the two only if a configuration requests it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type LogRecord, textPart } from '@tributary/kafka'
import {
  connectorConfig,
  type Database,
  eventually,
  fullTest,
  kafkaClient,
  readTopic,
  type Service,
  startMySql,
  startService,
  uniqueName,
  useKafka,
  useMySql,
  waitForRecords,
} from '@tributary/testkit'
import { type ExactJson, isExactObject, member } from '../conformance/exact-json.ts'
import { readRecording } from '../conformance/recording.ts'

const recorded = readRecording(new URL('../../fixtures/golden/expected/00_smoke.jsonl.gz', import.meta.url))

/** A position in the binlog of a server, as in an offset. */
interface Place {
  readonly file: string
  readonly pos: number
  readonly gtids: string
}

async function currentPlace(database: Database): Promise<Place> {
  const [status] = await database.query('SHOW BINARY LOG STATUS')
  const gtids = String(status?.['Executed_Gtid_Set']).replaceAll('\n', '')
  return { file: String(status?.['File']), pos: Number(status?.['Position']), gtids }
}

/** A recorded document with the position and the names of this run. */
function documentAt(document: ExactJson | undefined, place: Place, prefix: string): Record<string, unknown> {
  assert.ok(isExactObject(document))
  const text = JSON.stringify(document, (_key, part: unknown) =>
    typeof part === 'object' && part !== null && 'normalForm' in part ? Number(part.normalForm) : part,
  )
  const renamed = text.replaceAll('PFX', prefix).replaceAll('g_smoke', prefix)
  return { ...(JSON.parse(renamed) as Record<string, unknown>), ...place }
}

/** The schema history that the reference wrote in its snapshot. */
function historyAt(place: Place, prefix: string): readonly string[] {
  const records = recorded.topics.get('PFX-history') ?? []
  const ofSnapshot = records.filter(({ value }) => member(member(value, 'position'), 'snapshot') === 'INITIAL')
  assert.equal(ofSnapshot.length, 6)
  return ofSnapshot.map(({ value }) => {
    const position = documentAt(member(value, 'position'), place, prefix)
    const { file: _file, pos: _pos, gtids: _gtids, ...rest } = documentAt(value, place, prefix)
    return JSON.stringify({ ...rest, position })
  })
}

async function write(
  bootstrapServers: readonly string[],
  topic: string,
  records: readonly { readonly key: string | null; readonly value: string }[],
): Promise<void> {
  await using producer = await (await kafkaClient(bootstrapServers)).producer({ onDelivered: () => undefined })
  const target = await producer.topic(topic)
  for (const { key, value } of records) {
    target.send({
      key: key === null ? null : textPart(key),
      value: textPart(value),
      headers: [],
      partition: 0,
      timestamp: null,
      token: 0,
    })
  }
  await producer.flush()
}

interface Event {
  readonly op: string
  readonly after: { readonly name: string }
  readonly source: Readonly<Record<string, unknown>>
}

function eventOf({ value }: LogRecord): Event {
  return (JSON.parse(value?.toString() ?? 'null') as { payload: Event }).payload
}

/** The last offset stored for the connector. */
async function storedOffset(bootstrapServers: readonly string[], service: Service, name: string): Promise<unknown> {
  const key = JSON.stringify([name, { server: name }])
  const records = await readTopic(bootstrapServers, service.offsetTopic)
  return JSON.parse(records.findLast((record) => record.key?.toString() === key)?.value?.toString() ?? 'null')
}

async function remove(service: Service, name: string): Promise<void> {
  await service.rest('DELETE', `/connectors/${name}`)
  const isGone = async (): Promise<boolean> => (await service.rest('GET', `/connectors/${name}/status`)).status === 404
  await eventually(`${name} is gone`, isGone)
}

const CREATE_PETS =
  "pets (id INT NOT NULL AUTO_INCREMENT PRIMARY KEY, name VARCHAR(40) NOT NULL, kind ENUM('dog','cat') DEFAULT 'dog', weight DECIMAL(6,2))"

test('offset and history of Debezium: the connector continues without a snapshot, in v2, and logs it', async () => {
  // A server of its own: the offset is in the middle of the next transaction.
  await using database = await startMySql()
  const { bootstrapServers } = await useKafka()
  const prefix = uniqueName('taken')
  await using service = await startService({ bootstrapServers })
  await database.query(
    `CREATE DATABASE ${prefix}; CREATE TABLE ${prefix}.${CREATE_PETS}; INSERT INTO ${prefix}.pets (name) VALUES ('Rex')`,
  )
  const place = await currentPlace(database)
  // According to the recorded offset, two events and one row of the next transaction are done.
  await database.query(`INSERT INTO ${prefix}.pets (name) VALUES ('Mia'), ('Otto')`)
  const offset = documentAt(recorded.offset, place, prefix)
  assert.deepEqual([offset['event'], offset['row']], [2, 1])
  await using admin = (await kafkaClient(bootstrapServers)).admin()
  await admin.createTopic({ name: `schemahistory.${prefix}`, partitions: 1, replicationFactor: 1 })
  const history = historyAt(place, prefix).map((value) => ({ key: null, value }))
  await write(bootstrapServers, `schemahistory.${prefix}`, history)
  const key = JSON.stringify([prefix, { server: prefix }])
  await write(bootstrapServers, service.offsetTopic, [{ key, value: JSON.stringify(offset) }])

  await service.register(prefix, connectorConfig({ database, bootstrapServers, prefix, includes: prefix }))
  await database.query(`INSERT INTO ${prefix}.pets (name) VALUES ('Bim')`)
  const events = (await waitForRecords(bootstrapServers, `${prefix}.${prefix}.pets`, 2)).map(eventOf)
  await remove(service, prefix)

  assert.deepEqual(
    events.map(({ op, after, source }) => [op, after.name, source['connector'], source['snapshot']]),
    [
      ['c', 'Otto', 'mysql', 'false'],
      ['c', 'Bim', 'mysql', 'false'],
    ],
  )
  assert.match(service.log, /The stored offset was written by Debezium.*: records continue in the form v2/)
  assert.match(service.log, /Neither schema nor data will be snapshotted/)
  const after = (await storedOffset(bootstrapServers, service, prefix)) as Record<string, unknown>
  // Debezium ignores the keys that identify the history, and the lists of captured tables.
  assert.deepEqual(Object.keys(after), [...Object.keys(offset), 'server_identity', 'file_created', 'captured_lists'])
})

fullTest('an offset of v1 contains its format, and the connector continues in v1', async () => {
  const [database, { bootstrapServers }] = await Promise.all([useMySql(), useKafka()])
  const prefix = uniqueName('first')
  await using service = await startService({ bootstrapServers })
  await database.query(
    `CREATE DATABASE ${prefix}; CREATE TABLE ${prefix}.${CREATE_PETS}; INSERT INTO ${prefix}.pets (name) VALUES ('Rex')`,
  )
  const config = connectorConfig({ database, bootstrapServers, prefix, includes: prefix })
  const topic = `${prefix}.${prefix}.pets`
  await service.register(prefix, config)
  await waitForRecords(bootstrapServers, topic, 1)
  await remove(service, prefix)
  const offset = (await storedOffset(bootstrapServers, service, prefix)) as Record<string, unknown>
  assert.equal(offset['record_format'], 'v1')

  await database.query(`INSERT INTO ${prefix}.pets (name) VALUES ('Mia')`)
  await service.register(prefix, config)
  const records = await waitForRecords(bootstrapServers, topic, 2)

  const [snapshotted, streamed] = records.map(eventOf)
  assert.deepEqual([snapshotted?.op, streamed?.op, streamed?.after.name], ['r', 'c', 'Mia'])
  assert.deepEqual(Object.keys(streamed?.source ?? {}), Object.keys(snapshotted?.source ?? {}))
  assert.ok(!('connector' in (streamed?.source ?? {})))
  assert.ok(records.every(({ headers }) => headers.length === 0))
})

fullTest("the worker's source.struct.version applies to new connectors, and changes no existing topic", async () => {
  const [database, { bootstrapServers }] = await Promise.all([useMySql(), useKafka()])
  const [begun, fresh] = [uniqueName('begun'), uniqueName('fresh')]
  const create = (name: string): Promise<unknown> =>
    database.query(
      `CREATE DATABASE ${name}; CREATE TABLE ${name}.${CREATE_PETS}; INSERT INTO ${name}.pets (name) VALUES ('Rex')`,
    )
  const register = (service: Service, name: string): Promise<void> =>
    service.register(name, connectorConfig({ database, bootstrapServers, prefix: name, includes: name }))
  const eventsOf = async (name: string, count: number): Promise<readonly Event[]> =>
    (await waitForRecords(bootstrapServers, `${name}.${name}.pets`, count)).map(eventOf)
  await create(begun)
  await create(fresh)
  const name = uniqueName('workers')
  {
    await using before = await startService({ bootstrapServers, name })
    await register(before, begun)
    await eventsOf(begun, 1)
  }

  await using service = await startService({ bootstrapServers, name, env: { CONNECT_SOURCE_STRUCT_VERSION: 'V2' } })
  await register(service, fresh)
  await database.query(`INSERT INTO ${begun}.pets (name) VALUES ('Mia')`)

  const [first] = await eventsOf(fresh, 1)
  assert.equal(first?.source['connector'], 'mysql')
  const ofBegun = await eventsOf(begun, 2)
  assert.deepEqual(
    ofBegun.map(({ op, source }) => [op, 'connector' in source]),
    [
      ['r', false],
      ['c', false],
    ],
  )
})
