/**
 * The values of masked, hashed, truncated and excluded columns appear nowhere: in no topic of the connector or the
 * worker, no line of the log at its lowest level, no answer of the REST interface, also when a transformation fails on
 * such a row.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  connectorConfig,
  type Database,
  eventually,
  kafkaClient,
  readTopic,
  type Service,
  startService,
  uniqueName,
  useKafka,
  useMySql,
} from '@tributary/testkit'

const name = uniqueName('masked')
let bootstrapServers: readonly string[]
let database: Database
let service: Service

before(async () => {
  ;({ bootstrapServers } = await useKafka())
  database = await useMySql()
  service = await startService({ bootstrapServers, env: { LOG_LEVEL: 'debug' } })
  await database.query(`CREATE DATABASE ${name}`)
  for (const table of ['people', 'failing']) {
    await database.query(`CREATE TABLE ${name}.${table} (id INT PRIMARY KEY, open VARCHAR(40), ${COLUMNS.join(', ')})`)
  }
})

after(() => service[Symbol.asyncDispose]())

const COLUMNS = [
  'asterisks VARCHAR(40)',
  'hashed VARCHAR(40)',
  'hashed2 TEXT',
  'shortened VARCHAR(40)',
  'excluded VARCHAR(40)',
  'excluded_bytes VARBINARY(40)',
  'excluded_json JSON',
]
const SECRET = 'Xq7secret'

/** Each value of each row has a text of its own. */
function row(id: number): string {
  const values = COLUMNS.map((column) => `'${secretOf(column, id)}'`)
  return `(${id}, 'visible-${id}', ${values.join(', ')})`
}

function secretOf(column: string, id: number): string {
  const [title = '', type] = column.split(' ')
  const text = `${SECRET}-${title}-${id}`
  // Three characters of the truncated column are in events.
  return type === 'JSON' ? `"${text}"` : title === 'shortened' ? `abc${text}` : text
}

function configOf(prefix: string, more: Readonly<Record<string, string>>): Record<string, string> {
  const columns = (...titles: readonly string[]): string => titles.map((title) => `${name}\\..*\\.${title}`).join()
  return connectorConfig({
    database,
    bootstrapServers,
    prefix,
    includes: name,
    more: {
      'column.mask.with.6.chars': columns('asterisks'),
      'column.mask.hash.SHA-256.with.salt.s1': columns('hashed'),
      'column.mask.hash.v2.SHA-256.with.salt.s2': columns('hashed2'),
      'column.truncate.to.3.chars': columns('shortened'),
      'column.exclude.list': columns('excluded.*', 'late_excluded'),
      'provide.transaction.metadata': 'true',
      'heartbeat.interval.ms': '500',
      'errors.log.enable': 'true',
      transforms: 'unwrap,cast',
      'transforms.unwrap.type': 'io.debezium.transforms.ExtractNewRecordState',
      'transforms.cast.type': 'org.apache.kafka.connect.transforms.Cast$Value',
      'transforms.cast.spec': 'asterisks:int32',
      'transforms.cast.predicate': 'isFailing',
      predicates: 'isFailing',
      'predicates.isFailing.type': 'org.apache.kafka.connect.transforms.predicates.TopicNameMatches',
      'predicates.isFailing.pattern': '.*\\.failing',
      ...more,
    },
  })
}

test('no value of a hidden column is in a topic, the log or an answer', async () => {
  const [whole, failing] = [`${name}_whole`, `${name}_failing`]
  await database.query(`INSERT INTO ${name}.people VALUES ${row(1)}, ${row(2)}`)
  await database.query(`INSERT INTO ${name}.failing VALUES ${row(3)}`)
  await service.register(whole, configOf(whole, { 'errors.tolerance': 'all' }))
  await service.register(failing, configOf(failing, { 'table.include.list': `${name}.failing` }))
  await service.waitForTask(failing, ['FAILED'])
  await service.waitForLog(/Error encountered in task/)

  await changeRows()
  const topic = `${whole}.${name}.people`
  await eventually(
    'the last row has arrived',
    async () => (await readTopic(bootstrapServers, topic)).some(({ value }) => value?.includes('visible-last')),
    { timeoutMs: 60_000, everyMs: 200 },
  )

  const places = await searchedPlaces([whole, failing])
  // The search finds what is not hidden.
  assert.ok(places.some(([place, text]) => place === topic && text.includes('visible-1')))
  assert.ok(places.some(([place, text]) => place === `${failing} status` && text.includes('FAILED')))
  const hits = places.filter(([, text]) => SPELLINGS.some((spelling) => text.includes(spelling)))
  assert.deepEqual(
    hits.map(([place, text]) => `${place}: ${excerpt(text)}`),
    [],
  )
  // What a definition contains is structure: the history has the statement, as in Debezium.
  const history = places.find(([place]) => place === `schemahistory.${whole}`)?.[1] ?? ''
  assert.ok(history.includes('of-a-definition'))
})

async function changeRows(): Promise<void> {
  await database.query(`INSERT INTO ${name}.people VALUES ${row(4)}, ${row(5)}`)
  await database.query(
    `UPDATE ${name}.people SET asterisks = '${SECRET}-updated', excluded = '${SECRET}-too' WHERE id = 1`,
  )
  await database.query(`UPDATE ${name}.people SET id = 40 WHERE id = 4`)
  await database.query(`DELETE FROM ${name}.people WHERE id = 2`)
  await database.query(`INSERT INTO ${name}.failing VALUES ${row(6)}`)
  await database.query(`
    ALTER TABLE ${name}.people ADD late_excluded VARCHAR(40) DEFAULT 'of-a-definition', MODIFY hashed VARCHAR(60)`)
  await database.query(`UPDATE ${name}.people SET late_excluded = '${SECRET}-late', hashed = '${SECRET}-hashed-late'`)
  await database.query(`INSERT INTO ${name}.people (id, open) VALUES (99, 'visible-last')`)
}

/** A hidden value as text, and in the forms that bytes have in JSON and logs. Base64 depends on the position. */
const SPELLINGS: readonly string[] = [
  SECRET,
  ...[0, 1, 2].map((shift) =>
    Buffer.from('-'.repeat(shift) + SECRET)
      .toString('base64')
      .slice(4, 10),
  ),
  Buffer.from(SECRET).toString('hex'),
]

async function searchedPlaces(connectors: readonly string[]): Promise<readonly (readonly [string, string])[]> {
  await using admin = (await kafkaClient(bootstrapServers)).admin()
  const topics = (await admin.listTopics()).filter((topic) => topic.includes(name) || topic.startsWith(service.name))
  const places: [string, string][] = [['log', service.log]]
  for (const topic of topics) {
    const records = await readTopic(bootstrapServers, topic)
    const parts = records.flatMap(({ key, value, headers }) => [key, value, ...headers.map((header) => header.value)])
    places.push([topic, parts.map((part) => part?.toString('latin1') ?? '').join('\n')])
  }
  for (const connector of connectors) {
    for (const part of ['status', 'offsets', 'topics', 'config']) {
      places.push([`${connector} ${part}`, (await service.rest('GET', `/connectors/${connector}/${part}`)).text])
    }
  }
  for (const path of ['/connectors?expand=status&expand=info', '/metrics']) {
    places.push([path, (await service.rest('GET', path)).text])
  }
  return places
}

function excerpt(text: string): string {
  const at = SPELLINGS.map((spelling) => text.indexOf(spelling)).find((index) => index !== -1) ?? 0
  return text.slice(Math.max(0, at - 100), at + 60)
}
