/** `tributary verify` with the real service: exit codes and output, also when the worker is killed meanwhile. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  connectorConfig,
  kafkaClient,
  startService,
  uniqueName,
  useKafka,
  useMySql,
  waitForRecords,
} from '@tributary/testkit'
import { CliProcess, runCli } from '../testing/cli-process.ts'

test('compares a connector, and exits with 0, then with 1 and the row that differs', async () => {
  const database = await useMySql()
  const { bootstrapServers } = await useKafka()
  const name = uniqueName('cliverify')
  await database.query(`
    CREATE DATABASE ${name}; CREATE TABLE ${name}.pets (id INT PRIMARY KEY, name VARCHAR(20));
    INSERT INTO ${name}.pets VALUES (1, 'Rex'), (2, 'Mia')`)
  await using service = await startService({ bootstrapServers })
  await service.register(name, connectorConfig({ database, bootstrapServers, prefix: name, includes: name }))
  const topic = `${name}.${name}.pets`
  const [first] = await waitForRecords(bootstrapServers, topic, 2)
  const environment = { TRIBUTARY_URL: service.url }

  const equal = await runCli(['verify', name], environment)
  assert.deepEqual([equal.code, /pets +EQUAL +2 +2 +0/.test(equal.stdout)], [0, true], equal.stdout + equal.stderr)

  // A tombstone for a row that exists.
  let isDelivered = false
  await using producer = await (
    await kafkaClient(bootstrapServers)
  ).producer({ onDelivered: () => (isDelivered = true) })
  const key = first?.key ?? assert.fail('a record has a key')
  const part = { prefix: new Uint8Array(0), buffer: key, start: 0, end: key.length }
  const written = await producer.topic(topic)
  written.send({ key: part, value: null, headers: [], partition: null, timestamp: null, token: 0 })
  await producer.flush()
  assert.ok(isDelivered)
  const different = await runCli(['verify', name, '--table', `${name}.pets`, '--rate', '1000'], environment)
  assert.equal(different.code, 1, different.stderr)
  assert.match(different.stdout, /missing in the topic: id="1"/)
  const json = await runCli(['verify', '--json', name], environment)
  const run = JSON.parse(json.stdout) as { tables: { missing: number; rows_equal: number }[] }
  assert.deepEqual(
    run.tables.map(({ missing, rows_equal: count }) => [missing, count]),
    [[1, 1]],
  )

  assert.equal((await runCli(['verify', 'none'], environment)).code, 1)
  assert.equal((await runCli(['verify', name, '--rate', '0'], environment)).code, 2)

  await database.query(`INSERT INTO ${name}.pets SELECT n + 10, 'x' FROM (
    WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 200) SELECT n FROM numbers) seq`)
  await using command = new CliProcess(['verify', '--rate', '50', name], environment)
  await command.printsError('reading the table')
  await service.kill()
  await service.start()
  const resumed = await command.end()
  assert.match(resumed.stderr, /the worker was restarted/)
  assert.match(resumed.stdout, /pets +DIFFERENT +202 +201 +1/)
})
