/**
 * `tributary rehearse` beside a worker with the same REST interface, so that it needs no Java: the comparison with
 * Debezium itself is in tests/interop/rehearse.interop.test.ts.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  fullTest,
  kafkaClient,
  type OwnBroker,
  readTopic,
  type Service,
  startOwnBroker,
  startService,
  useMySql,
} from '@tributary/testkit'
import { RehearsedShop, RehearseProcess, resultOf, unnamed } from '../interop/rehearse/rehearsed-shop.ts'

/** Of its own: other tests create topics in a shared one. */
let kafka: OwnBroker
let worker: Service
let shop: RehearsedShop
let bootstrapServers: readonly string[]

before(async () => {
  kafka = await startOwnBroker()
  ;({ bootstrapServers } = kafka)
  worker = await startService({ bootstrapServers })
  shop = await RehearsedShop.open({
    database: await useMySql(),
    connect: worker,
    bootstrapServers,
    more: { 'source.struct.version': 'v2' },
  })
})
after(async () => {
  await worker[Symbol.asyncDispose]()
  await kafka[Symbol.asyncDispose]()
})

async function rehearse(...more: readonly string[]): Promise<Awaited<ReturnType<RehearseProcess['end']>>> {
  const brokers = bootstrapServers.join(',')
  const args = ['--from', worker.url, '--connector', shop.name, '--bootstrap-servers', brokers, '--json']
  await using _workload = shop.startWorkload()
  return await new RehearseProcess([...args, '--minutes', '0.1', ...more]).end()
}

/**
 * What nobody but the worker may write: the number of records of the history and the config topic, and the keys of the
 * offset topic, where the worker may still store the offset of earlier changes.
 */
async function written(): Promise<unknown> {
  const read = (topic: string): ReturnType<typeof readTopic> => readTopic(bootstrapServers, topic)
  const history = await read(shop.config['schema.history.internal.kafka.topic'] ?? '')
  const configs = await read(`${worker.name}_configs`)
  const offsets = await read(worker.offsetTopic)
  return { history: history.length, configs: configs.length, offsets: new Set(offsets.map(({ key }) => String(key))) }
}

async function topics(): Promise<readonly string[]> {
  await using admin = (await kafkaClient(bootstrapServers)).admin()
  return await admin.listTopics()
}

test('records of the same program are equal, and nothing is written', async () => {
  const earlier = new Set(await topics())
  const end = await rehearse()
  const result = resultOf(end)
  assert.deepEqual(unnamed(result), [])
  assert.equal(end.code, 0, JSON.stringify(result.not_compared) + end.stderr)
  assert.ok(result.records.compared > 20)
  assert.deepEqual(
    result.differences.map(({ path }) => path).filter((path) => /source\.version/.test(path)),
    [],
  )
  const made = (await topics()).filter((topic) => !earlier.has(topic))
  assert.deepEqual(
    made.filter((topic) => !/\.more\d+$/.test(topic)),
    [],
    'only topics of new tables are new',
  )
})

fullTest('a changed property is found, from the internal topics too', async () => {
  const [configs, offsets] = [`${worker.name}_configs`, worker.offsetTopic]
  await using _workload = shop.startWorkload()
  const end = await new RehearseProcess([
    '--config-topic',
    configs,
    '--offset-topic',
    offsets,
    '--connector',
    shop.name,
    '--json',
    '--minutes',
    '0.1',
    '--bootstrap-servers',
    bootstrapServers.join(','),
    '--set',
    'decimal.handling.mode=string',
  ]).end()
  const result = resultOf(end)
  assert.equal(end.code, 1)
  assert.deepEqual(
    new Set(result.differences.filter(({ reason }) => reason === null).map(({ kind }) => kind)),
    new Set(['value', 'schema']),
  )
  assert.ok(unnamed(result).every((text) => text.includes('price')))
})

fullTest(
  'the id of the running connector, and numbers that no server has, are refused before anything runs',
  async () => {
    const own = shop.config['database.server.id'] ?? ''
    for (const id of [own, '4294967296']) {
      const end = await rehearse('--server-id', id)
      assert.equal(end.code, 2, end.stderr)
      assert.match(
        end.stderr,
        new RegExp(`cannot read the binlog as the replica ${id}: .*Choose a number for --server-id`),
      )
    }
  },
)

fullTest('nothing is added to the internal topics and the history; the commands have --set and no login', async () => {
  // Without changes the worker writes nothing either.
  const earlier = await written()
  const brokers = bootstrapServers.join(',')
  const to = 'http://ada:hunter2@tributary:8083/'
  const args = ['--from', worker.url, '--connector', shop.name, '--bootstrap-servers', brokers, '--json', '--to', to]
  const statements = `SET NAMES utf8mb4; INSERT INTO ${shop.name}.beats VALUES (9)`
  const set = ['--set', 'decimal.handling.mode=string', '--set', `database.initial.statements=${statements}`]
  const end = await new RehearseProcess([...args, ...set, '--minutes', '0.1']).end()
  const result = resultOf(end)
  assert.equal(end.code, 5, end.stderr)
  assert.deepEqual(await written(), earlier)
  const rows = await shop.database.query(`SELECT n FROM ${shop.name}.beats`)
  assert.equal(rows.length, 1, 'the statement has not been run')
  const changed = result.changed.filter(({ reason }) => reason.startsWith('--set')).map(({ property }) => property)
  assert.deepEqual(changed, ['decimal.handling.mode', 'database.initial.statements'])
  assert.match(result.move.map(({ command }) => command).join('\n'), /"decimal\.handling\.mode":"string"/)
  assert.doesNotMatch(end.stdout, /hunter2|:8083\/\/connectors/)
})

fullTest('a schema history that is missing is reported, and not created', async () => {
  const topic = `${shop.name}-nowhere`
  const end = await rehearse('--set', `schema.history.internal.kafka.topic=${topic}`)
  assert.equal(end.code, 1)
  assert.match(end.stderr, /It would rebuild the schema history: its topic \S+-nowhere does not exist/)
  assert.deepEqual(
    (await topics()).filter((each) => each.startsWith(topic)),
    [],
  )
})
