/** Schema changes at awkward moments, and rows that a binlog in statement format hides. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LogRecord } from '@tributary/kafka'
import {
  casesOfTier,
  connectorConfig,
  eventually,
  startService,
  uniqueName,
  useKafka,
  useMariaDb,
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

test('a table that moves to an uncaptured database is no longer captured, also after a restart', async () => {
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

test('changes in statement format are noticed in whichever database the statement runs', async () => {
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

test('a table that is created while the snapshot waits for its lock is in the snapshot', async () => {
  const [database, { bootstrapServers }, schema] = [await useMySql(), await useKafka(), uniqueName('late')]
  await database.query(`CREATE DATABASE ${schema}; CREATE TABLE ${schema}.a (id INT PRIMARY KEY)`)
  await using service = await startService({ bootstrapServers })

  const [session, holder] = [await database.connect(), await database.connect()]
  await holder.query(`DO GET_LOCK('${schema}', 60)`)
  // Others do not see the table until the statement ends, and a global read lock waits for it.
  const creating = session.query(
    `CREATE TABLE ${schema}.b (id INT PRIMARY KEY) AS SELECT 7 AS id, GET_LOCK('${schema}', 60) AS got`,
  )
  const untilOneIs = (state: string, statement: string): Promise<unknown> =>
    eventually(`a session is in the state ${state}`, async () => {
      const like = `state LIKE '${state}' AND info LIKE '${statement}'`
      return (await database.query(`SELECT 1 FROM information_schema.processlist WHERE ${like}`)).length > 0
    })
  await untilOneIs('User lock', `CREATE TABLE ${schema}.b%`)
  await service.register(schema, connectorConfig({ database, bootstrapServers, prefix: schema, includes: schema }))
  await untilOneIs('Waiting for %lock', 'FLUSH TABLES WITH READ LOCK')
  await holder.end()
  await creating
  await session.end()

  const [record] = await waitForRecords(bootstrapServers, `${schema}.${schema}.b`, 1)
  assert.deepEqual(event(record), { op: 'r', after: { id: 7, got: 1 } })
})

for (const [server, useDatabase] of casesOfTier('schema edges', [
  ['MySQL', useMySql],
  ['MariaDB', useMariaDb],
] as const)) {
  test(`${server}: statements after which a table's rows look the same in the binlog, but have another meaning`, async () => {
    const [database, { bootstrapServers }, schema] = [await useDatabase(), await useKafka(), uniqueName('same')]
    await database.query(
      `CREATE DATABASE ${schema}; CREATE TABLE ${schema}.t (id INT PRIMARY KEY, a INT NOT NULL, b INT NOT NULL)`,
    )
    await using service = await startService({ bootstrapServers })
    await service.register(schema, connectorConfig({ database, bootstrapServers, prefix: schema, includes: schema }))
    await service.waitForLog(/Connected to binlog at/)

    await database.query(`USE ${schema}; INSERT INTO t VALUES (1, 2, 3); FLUSH TABLES; INSERT INTO t VALUES (4, 5, 6);
      ALTER TABLE t RENAME COLUMN a TO c; INSERT INTO t VALUES (7, 8, 9);
      ALTER TABLE t MODIFY b INT NOT NULL FIRST; INSERT INTO t VALUES (10, 11, 12);
      RENAME TABLE t TO old; CREATE TABLE t (x INT PRIMARY KEY, y INT NOT NULL, z INT NOT NULL); INSERT INTO t VALUES (13, 14, 15);
      INSERT INTO old VALUES (16, 17, 18); RENAME TABLE t TO new, old TO t; INSERT INTO t VALUES (19, 20, 21)`)

    const records = await waitForRecords(bootstrapServers, `${schema}.${schema}.t`, 6)
    assert.deepEqual(
      records.map((record) => event(record).after),
      [
        { id: 1, a: 2, b: 3 },
        { id: 4, a: 5, b: 6 },
        { id: 7, c: 8, b: 9 },
        { b: 10, id: 11, c: 12 },
        { x: 13, y: 14, z: 15 },
        { b: 19, id: 20, c: 21 },
      ],
    )
    const [old] = await waitForRecords(bootstrapServers, `${schema}.${schema}.old`, 1)
    assert.deepEqual(event(old).after, { b: 16, id: 17, c: 18 })
  })
}
