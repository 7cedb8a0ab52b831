import {
  connectorConfig,
  eventually,
  fullTest,
  kafkaClient,
  readTopic,
  type Service,
  startService,
  uniqueName,
  useKafka,
  useMySql,
  waitForRecords,
} from '@tributary/testkit'
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'

/** More than the limit of the topic, also when a codec has halved it. */
const LONG = randomBytes(30_000).toString('hex')
const LIMIT = 20_000

let service: Service
let bootstrapServers: readonly string[]
before(async () => {
  ;({ bootstrapServers } = await useKafka())
  service = await startService({ bootstrapServers })
})
after(() => service[Symbol.asyncDispose]())

/** A connector whose topic accepts small records, with a row before, at, and after the one that is too large. */
async function start(handling: string | null): Promise<{ readonly name: string; readonly topic: string }> {
  const database = await useMySql()
  const name = uniqueName('large')
  const topic = `${name}.${name}.pages`
  await using admin = (await kafkaClient(bootstrapServers)).admin()
  await admin.createTopic({
    name: topic,
    partitions: 1,
    replicationFactor: 1,
    configs: { 'max.message.bytes': `${LIMIT}` },
  })
  await database.query(
    `CREATE DATABASE ${name}; CREATE TABLE ${name}.pages (id INT PRIMARY KEY, title TEXT, body LONGTEXT, doc JSON)`,
  )
  await database.query(
    `INSERT INTO ${name}.pages VALUES (1, 'one', 'small', '{}'), (2, 'two', '${LONG}', '{"a": 1}'), (3, 'three', 'small', '{}')`,
  )
  const more: Record<string, string> = { 'retriable.restart.connector.wait.ms': '1000' }
  if (handling !== null) more['errors.record.too.large'] = handling
  await service.register(name, connectorConfig({ database, bootstrapServers, prefix: name, includes: name, more }))
  return { name, topic }
}

interface Sent {
  readonly payload: { readonly after: Readonly<Record<string, unknown>> }
}

async function rows(topic: string, count: number): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const records = await waitForRecords(bootstrapServers, topic, count)
  return records.map(({ value }) => (JSON.parse(value?.toString() ?? 'null') as Sent).payload.after)
}

async function metric(name: string, connector: string): Promise<number> {
  const { text } = await service.rest('GET', '/metrics')
  const line = text.split('\n').find((each) => each.startsWith(`${name}{`) && each.includes(`"${connector}"`))
  return Number(line?.split(' ').at(-1) ?? Number.NaN)
}

test('a record that is too large fails the task, naming table, key, size and setting; the raised limit continues it', async () => {
  const { name, topic } = await start(null)
  const { trace } = await service.waitForTask(name, ['FAILED'])
  const [first = ''] = trace.split('\n')
  assert.match(
    first,
    new RegExp(
      `a record for topic ${topic} \\(table ${name}\\.pages, key Struct\\{id=2\\}\\) from source position \\{.*\\} could not be sent: ` +
        `A record for topic ${topic} \\(key \\d+ bytes, value \\d{5} bytes\\) needs \\d{5} bytes as a batch; .* allows ${LIMIT}\\. Raise max\\.message\\.bytes of the topic`,
    ),
  )
  assert.deepEqual(
    (await rows(topic, 1)).map(({ id }) => id),
    [1],
  )

  await using admin = (await kafkaClient(bootstrapServers)).admin()
  await admin.alterTopicConfig(topic, { 'max.message.bytes': '1000000' })

  const ids = await eventually(
    'the rows are in the topic',
    async () => {
      const found = (await readTopic(bootstrapServers, topic)).length >= 3
      return found && (await rows(topic, 3)).map(({ id }) => id)
    },
    { timeoutMs: 60_000 },
  )
  // Nobody has restarted the task. A snapshot begins again.
  assert.deepEqual(new Set(ids), new Set([1, 2, 3]))
})

test('errors.record.too.large=skip leaves out such a record, and logs and counts it', async () => {
  const { name, topic } = await start('skip')
  assert.deepEqual(
    (await rows(topic, 2)).map(({ id }) => id),
    [1, 3],
  )
  await service.waitForLog(
    new RegExp(
      `A record was too large \\(\\d{5} bytes; ${LIMIT} are allowed\\) and was skipped: topic ${topic}, table ${name}\\.pages, key Struct\\{id=2\\}, source position \\{`,
    ),
  )
  await eventually('it is counted', async () => (await metric('tributary_records_too_large_skipped_total', name)) === 1)
})

fullTest(
  'errors.record.too.large=placeholder replaces the largest field of such a record, and says so in a header',
  async () => {
    const { name, topic } = await start('placeholder')
    const records = await waitForRecords(bootstrapServers, topic, 3)
    assert.deepEqual(
      (await rows(topic, 3)).map(({ id, title, body, doc }) => [id, title, body, doc]),
      [
        [1, 'one', 'small', '{}'],
        [2, 'two', '__debezium_unavailable_value', '{"a":1}'],
        [3, 'three', 'small', '{}'],
      ],
    )
    assert.deepEqual(
      records.map(({ headers }) =>
        headers
          .filter(({ key }) => key.toString().startsWith('__tributary'))
          .map(({ key, value }) => `${key.toString()}=${value?.toString() ?? ''}`),
      ),
      [[], ['__tributary.replaced.fields=after.body'], []],
    )
    await service.waitForLog(
      new RegExp(
        `has placeholders instead of values in the fields after\\.body: topic ${topic}, table ${name}\\.pages, key Struct\\{id=2\\}`,
      ),
    )
    await eventually(
      'it is counted',
      async () => (await metric('tributary_records_too_large_replaced_total', name)) === 1,
    )
  },
)
