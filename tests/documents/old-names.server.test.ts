/** A document for Debezium 1.x on real servers: the warnings of each place, and the records that it yields. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import {
  databaseAccounts,
  readTopic,
  runProgram,
  type Service,
  startService,
  temporaryFolder,
  uniqueName,
  useKafka,
  useMySql,
  useProgram,
  waitForRecords,
} from '@tributary/testkit'

const MAIN = await useProgram()

const name = uniqueName('olddocument')
const folder = temporaryFolder('olddocument')
let service: Service
let config: Readonly<Record<string, string | number | boolean>>

before(async () => {
  const [database, { bootstrapServers }] = await Promise.all([useMySql(), useKafka()])
  await database.query(`
    CREATE DATABASE ${name};
    CREATE TABLE ${name}.customers (id INT PRIMARY KEY, name VARCHAR(20), secret VARCHAR(20));
    CREATE TABLE ${name}.others (id INT PRIMARY KEY);
    INSERT INTO ${name}.customers VALUES (1, 'Ada', 'hidden-1'); INSERT INTO ${name}.others VALUES (1)`)
  service = await startService({ bootstrapServers })
  const { user, password } = databaseAccounts.debezium
  config = {
    'connector.class': 'io.debezium.connector.mysql.MySqlConnector',
    'tasks.max': 1,
    'database.hostname': database.host,
    'database.port': database.port,
    'database.user': user,
    'database.password': password,
    'database.server.id': 184_770,
    'database.server.name': name,
    'database.whitelist': name,
    'table.whitelist': `${name}.customers`,
    'column.blacklist': `${name}.customers.secret`,
    'database.history.kafka.bootstrap.servers': bootstrapServers.join(','),
    'database.history.kafka.topic': `dbhistory.${name}`,
    'snapshot.mode': 'INITIAL',
    'include.schema.changes': false,
    transforms: 'unwrap',
    'transforms.unwrap.type': 'io.debezium.transforms.ExtractNewRecordState',
    'transforms.unwrap.drop.tombstones': false,
    'transforms.unwrap.delete.handling.mode': 'rewrite',
    'key.converter': 'org.apache.kafka.connect.json.JsonConverter',
    'key.converter.schemas.enable': false,
    'value.converter': 'org.apache.kafka.connect.json.JsonConverter',
    'value.converter.schemas.enable': false,
  }
})

after(async () => {
  await service[Symbol.asyncDispose]()
  await folder[Symbol.asyncDispose]()
})

/** The properties of the document that Debezium 3.6 does not have. */
const OLD = [
  'database.server.name',
  'database.whitelist',
  'table.whitelist',
  'column.blacklist',
  'database.history.kafka.bootstrap.servers',
  'database.history.kafka.topic',
  'transforms.unwrap.drop.tombstones',
  'transforms.unwrap.delete.handling.mode',
]

test('validation, check and create print one warning for each old name; the records are those of Debezium 1.x', async () => {
  const { bootstrapServers } = await useKafka()
  const database = await useMySql()
  const path = `/connector-plugins/${config['connector.class']}/config/validate`
  const { json } = await service.rest('PUT', `${path}?warnings=true`, { ...config, name })
  const { error_count: errors, warnings } = json as { error_count: number; warnings: { property: string }[] }
  assert.equal(errors, 0)
  assert.deepEqual(warnings.map(({ property }) => property).toSorted(), OLD.toSorted())

  const file = join(folder.path, 'connector.json')
  writeFileSync(file, JSON.stringify({ name, config }))
  const checked = await runProgram(process.execPath, [MAIN, 'check', file])
  assert.equal(checked.code, 0, checked.stdout + checked.stderr)
  for (const property of OLD.slice(0, 6)) {
    const lines = checked.stdout.split('\n').filter((line) => line.includes(` ${property} `))
    assert.deepEqual([lines.length, lines[0]?.includes('It is an old name')], [1, true], property)
  }

  const created = await runProgram(process.execPath, [MAIN, 'connectors', 'create', file, '--wait'], {
    env: { ...process.env, TRIBUTARY_URL: service.url },
  })
  assert.equal(created.code, 0, created.stderr)
  assert.equal(created.stderr.split('warning: ').length - 1, OLD.length, created.stderr)

  // The stored configuration keeps the names, as texts.
  const stored = (await service.rest('GET', `/connectors/${name}/config`)).json as Record<string, string>
  assert.deepEqual(
    stored,
    Object.fromEntries(Object.entries({ ...config, name }).map(([property, value]) => [property, String(value)])),
  )

  await service.waitForLog(/The property database\.server\.name is an old name: it is read as topic\.prefix/)
  for (const property of OLD) {
    const option = property.replace('transforms.unwrap.', '')
    const text = option === property ? `The property ${property} ` : `The option ${option} `
    assert.equal(service.log.split(text).length, 2, `${text}once in the log`)
  }

  const topic = `${name}.${name}.customers`
  await waitForRecords(bootstrapServers, topic, 1)
  await database.query(`DELETE FROM ${name}.customers`)
  const records = await waitForRecords(bootstrapServers, topic, 3)
  const values = records.map(({ value }) => (value === null ? null : (JSON.parse(value.toString()) as unknown)))
  // With delete.handling.mode=rewrite and drop.tombstones=false.
  assert.deepEqual(values, [
    { id: 1, name: 'Ada', __deleted: 'false' },
    { id: 1, name: 'Ada', __deleted: 'true' },
    null,
  ])
  assert.deepEqual(await readTopic(bootstrapServers, `${name}.${name}.others`), [])
})
