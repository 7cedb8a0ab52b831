/** Avro end to end: the records, the output of `tributary watch`, and a stream whose registry fails. */
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  connectorConfig,
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
import { avroProperties, MemoryRegistry } from './avro/memory-registry.ts'

const MAIN = await useProgram()

/** The records of a topic as `tributary watch` prints them for programs: key, tab, value. */
async function watched(
  bootstrapServers: readonly string[],
  topic: string,
  count: number,
  url: string,
): Promise<string[]> {
  const servers = ['--bootstrap-server', bootstrapServers.join(','), '--schema-registry', url]
  const args = [MAIN, 'watch', '-a', '-k', ...servers, '--max-messages', String(count), topic]
  const { stdout, stderr, code } = await runProgram(process.execPath, args)
  assert.equal(code, 0, stderr)
  return stdout.trimEnd().split('\n')
}

/** `tributary check` reports that the registry will refuse the table's schema; a registration is accepted. */
async function foretold(
  service: Service,
  { name, topic, config }: { readonly name: string; readonly topic: string; readonly config: Record<string, string> },
): Promise<void> {
  const path = `/connector-plugins/${config['connector.class']}/config/validate`
  const { json } = await service.rest('PUT', path, { ...config, name })
  const { configs } = json as { configs: { value: { errors: string[] } }[] }
  assert.deepEqual(
    configs.flatMap(({ value }) => value.errors),
    [],
  )
  const expected = new RegExp(
    `The next record for ${topic} would fail the task\\. .* not compatible with version 1 under compatibility BACKWARD\\. Changed since then: before\\.owner \\(string\\) is new`,
  )
  assert.equal((await service.rest('PUT', `/connectors/${name}/config`, config)).status, 200)
  await service.waitUntilRunning(name)

  await using folder = temporaryFolder('avro-check')
  const file = join(folder.path, 'connector.json')
  await writeFile(file, JSON.stringify({ name, config }))
  const { stdout, stderr } = await runProgram(process.execPath, [MAIN, 'check', file])
  assert.equal(stderr, '')
  assert.match(stdout, expected)
}

test('events are ids and Avro; an unreachable registry stops only new schemas, and a refused schema fails the task', async () => {
  await using stack = new AsyncDisposableStack()
  const registry = stack.use(await MemoryRegistry.start())
  const { bootstrapServers } = await useKafka()
  const mysql = await useMySql()
  const service = stack.use(await startService({ bootstrapServers }))
  const schema = uniqueName('avro')
  await mysql.query(`CREATE DATABASE ${schema};
    CREATE TABLE ${schema}.pets (id INT PRIMARY KEY, name VARCHAR(20), price DECIMAL(6,2) NOT NULL DEFAULT 1.5);
    INSERT INTO ${schema}.pets VALUES (1, 'Mäuschen', 12.34)`)
  const more = avroProperties(registry.url)
  const config = connectorConfig({ database: mysql, bootstrapServers, prefix: schema, includes: schema, more })
  await service.register(schema, config)
  const topic = `${schema}.${schema}.pets`
  const [snapshot] = await waitForRecords(bootstrapServers, topic, 1)
  assert.deepEqual(
    registry.schemas.filter(({ subject }) => subject.startsWith(topic)).map(({ subject }) => subject),
    [`${topic}-key`, `${topic}-value`],
  )
  // The key is a record with one int.
  assert.deepEqual([...(snapshot?.key ?? [])].slice(0, 1).concat([...(snapshot?.key ?? [])].slice(5)), [0, 2])
  assert.ok((snapshot?.value?.length ?? 0) < 250, 'the record contains no schema')
  const [line = ''] = await watched(bootstrapServers, topic, 1, registry.url)
  const [key = '', value = ''] = line.split('\t')
  assert.deepEqual(JSON.parse(key), { id: 1 })
  const { before, after, op } = JSON.parse(value) as { before: unknown; after: unknown; op: unknown }
  assert.deepEqual([before, after, op], [null, { id: 1, name: 'Mäuschen', price: '12.34' }, 'r'])

  await service.waitForLog(new RegExp(`${schema}.streaming {2}Connected to binlog`))
  registry.isInTrouble = true
  await mysql.query(`INSERT INTO ${schema}.pets VALUES (2, NULL, 1)`)
  await waitForRecords(bootstrapServers, topic, 2)
  await mysql.query(`CREATE TABLE ${schema}.toys (id INT PRIMARY KEY); INSERT INTO ${schema}.toys VALUES (7);
    INSERT INTO ${schema}.pets VALUES (3, 'after', 2)`)
  const waiting = await service.waitForLog(/Records for \S+\.toys wait for their schema: .* Retrying until it succeeds/)
  assert.match(service.log, /subject \S+toys-key: 127\.0\.0\.1:\d+ answered 503 \(no leader\)/)
  assert.ok(waiting.length > 0)
  assert.equal((await service.taskState(schema)).state, 'RUNNING')
  registry.isInTrouble = false
  await waitForRecords(bootstrapServers, `${schema}.${schema}.toys`, 1)
  await waitForRecords(bootstrapServers, topic, 3)

  registry.refused = /owner/
  await mysql.query(`ALTER TABLE ${schema}.pets ADD owner VARCHAR(9) NOT NULL`)
  // Before a row needs it.
  const preview = await service.waitForLog(/The next record for \S+\.pets would fail the task, .*/)
  assert.match(
    preview,
    /not compatible with version 1 under compatibility BACKWARD\. Changed since then: before\.owner/,
  )
  assert.equal((await service.taskState(schema)).state, 'RUNNING')
  await foretold(service, { name: schema, topic, config })
  await mysql.query(`INSERT INTO ${schema}.pets VALUES (4, 'x', 1, 'Anna')`)
  const { trace } = await service.waitForTask(schema, ['FAILED'])
  assert.match(
    trace,
    new RegExp(
      `subject ${topic}-value: it is not compatible with version 1 under compatibility BACKWARD\\. Changed since then: before\\.owner \\(string\\) is new\\.`,
    ),
  )
  registry.refused = null
  await service.rest('POST', `/connectors/${schema}/tasks/0/restart`)
  await waitForRecords(bootstrapServers, topic, 4)
  const lines = await watched(bootstrapServers, topic, 4, registry.url)
  const ids = lines.map((each) => (JSON.parse(each.split('\t')[0] ?? '') as { id: number }).id)
  assert.deepEqual(ids, [1, 2, 3, 4])
})
