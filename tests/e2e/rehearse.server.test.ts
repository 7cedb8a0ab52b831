/**
 * `tributary rehearse` beside a worker with the same REST interface, so that it needs no Java: the comparison with
 * Debezium itself is in tests/interop/rehearse.interop.test.ts.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { kafkaClient, type Service, startService, useKafka, useMySql } from '@tributary/testkit'
import { RehearsedShop, RehearseProcess, resultOf, unnamed } from '../interop/rehearse/rehearsed-shop.ts'

let worker: Service
let shop: RehearsedShop
let bootstrapServers: readonly string[]

before(async () => {
  ;({ bootstrapServers } = await useKafka())
  worker = await startService({ bootstrapServers })
  shop = await RehearsedShop.open({
    database: await useMySql(),
    connect: worker,
    bootstrapServers,
    more: { 'source.struct.version': 'v2' },
  })
})
after(() => worker[Symbol.asyncDispose]())

async function rehearse(...more: readonly string[]): Promise<Awaited<ReturnType<RehearseProcess['end']>>> {
  const brokers = bootstrapServers.join(',')
  const args = ['--from', worker.url, '--connector', shop.name, '--bootstrap-servers', brokers, '--json']
  await using _workload = shop.startWorkload()
  return await new RehearseProcess([...args, '--minutes', '0.1', ...more]).end()
}

async function topics(): Promise<readonly string[]> {
  await using admin = kafkaClient(bootstrapServers).admin()
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

test('a changed property is found, from the internal topics too', async () => {
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

test('a schema history that is missing is reported, and not created', async () => {
  const topic = `${shop.name}-nowhere`
  const end = await rehearse('--set', `schema.history.internal.kafka.topic=${topic}`)
  assert.equal(end.code, 1)
  assert.match(end.stderr, /It would rebuild the schema history: its topic \S+-nowhere does not exist/)
  assert.deepEqual(
    (await topics()).filter((each) => each.startsWith(topic)),
    [],
  )
})
