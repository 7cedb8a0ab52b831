/** Changes of the schema at awkward moments, and rows that a binlog in statement format hides. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LogRecord } from '@tributary/kafka'
import {
  connectorConfig,
  eventually,
  startService,
  uniqueName,
  useKafka,
  useMySql,
  waitForRecords,
} from '@tributary/testkit'

interface Event {
  readonly op: string
  readonly after: Readonly<Record<string, unknown>>
}

function event(record: LogRecord | undefined): Event {
  const { payload } = JSON.parse(record?.value?.toString() ?? 'null') as { payload: Event }
  return { op: payload.op, after: payload.after }
}

test('a table that leaves for a database that is not captured is forgotten, also after a restart', async () => {
  const [database, { bootstrapServers }, schema] = [await useMySql(), await useKafka(), uniqueName('left')]
  await database.query(`CREATE DATABASE ${schema}; CREATE DATABASE ${schema}_archive;
    CREATE TABLE ${schema}.a (id INT PRIMARY KEY, old1 INT, old2 INT); INSERT INTO ${schema}.a VALUES (1, 2, 3)`)
  await using service = await startService({ bootstrapServers })
  await service.register(schema, connectorConfig({ database, bootstrapServers, prefix: schema, includes: schema }))
  await service.waitForLog(/Connected to binlog at/)
  await database.query(`RENAME TABLE ${schema}.a TO ${schema}_archive.a; CREATE TABLE ${schema}.b (id INT PRIMARY KEY);
    INSERT INTO ${schema}.b VALUES (1)`)
  await waitForRecords(bootstrapServers, `${schema}.${schema}.b`, 1)
  await service.stop()

  await database.query(`CREATE TABLE IF NOT EXISTS ${schema}.a (id INT PRIMARY KEY, new1 INT, new2 INT);
    INSERT INTO ${schema}.a VALUES (2, 4, 5)`)
  await service.start()

  const records = await waitForRecords(bootstrapServers, `${schema}.${schema}.a`, 2)
  assert.deepEqual(event(records[1]), { op: 'c', after: { id: 2, new1: 4, new2: 5 } })
})

test('rows changed in statement format are noticed from whichever database the statement is run', async () => {
  const [database, { bootstrapServers }, schema] = [await useMySql(), await useKafka(), uniqueName('hidden')]
  await database.query(`CREATE DATABASE ${schema}; CREATE DATABASE ${schema}_other;
    CREATE TABLE ${schema}.a (id INT PRIMARY KEY, n INT); CREATE TABLE ${schema}_other.o (id INT PRIMARY KEY)`)
  await using service = await startService({ bootstrapServers })
  await service.register(schema, connectorConfig({ database, bootstrapServers, prefix: schema, includes: schema }))
  await service.waitForLog(/Connected to binlog at/)

  const session = await database.connect()
  await session.query(`USE ${schema}_other`)
  await session.query('SET SESSION binlog_format = STATEMENT')
  await session.query('INSERT INTO o VALUES (1)')
  await session.query(`INSERT INTO ${schema}.a VALUES (1, 1)`)
  await session.end()

  const { trace } = await service.waitForTask(schema, ['FAILED'])
  assert.match(trace ?? '', /INSERT INTO \w+\.a VALUES \(1, 1\)[^]*STATEMENT_FORMAT/)
})

test('a table that is created while the snapshot waits for its lock is part of the snapshot', async () => {
  const [database, { bootstrapServers }, schema] = [await useMySql(), await useKafka(), uniqueName('late')]
  await database.query(`CREATE DATABASE ${schema}; CREATE TABLE ${schema}.a (id INT PRIMARY KEY)`)
  await using service = await startService({ bootstrapServers })

  const session = await database.connect()
  // The table is not there for others until the statement ends, and a global read lock waits for it.
  const creating = session.query(`CREATE TABLE ${schema}.b (id INT PRIMARY KEY) AS SELECT 7 AS id, SLEEP(8) AS slept`)
  await eventually('the statement runs', async () => {
    const running = await database.query("SELECT 1 FROM information_schema.processlist WHERE info LIKE '%SLEEP(8)%'")
    return running.length > 1
  })
  await service.register(schema, connectorConfig({ database, bootstrapServers, prefix: schema, includes: schema }))
  await creating
  await session.end()

  const [record] = await waitForRecords(bootstrapServers, `${schema}.${schema}.b`, 1)
  assert.deepEqual(event(record), { op: 'r', after: { id: 7, slept: 0 } })
})
