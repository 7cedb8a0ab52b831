/** `tributary start --dev-broker`. Kafka's own tools use the same broker in packages/broker (kafka-tools). */
import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  connectorConfig,
  type Database,
  freePort,
  fullTest,
  temporaryFolder,
  uniqueName,
  useMySql,
  waitForRecords,
} from '@tributary/testkit'
import { CliProcess, runCli } from '../testing/cli-process.ts'

function rest(port: number): Readonly<Record<string, string>> {
  return {
    REST_HOST_NAME: '127.0.0.1',
    REST_PORT: String(port),
    TRIBUTARY_URL: `http://127.0.0.1:${port}`,
    LOG_LEVEL: 'info',
  }
}

async function changesIn(bootstrap: string, topic: string, count: number): Promise<readonly unknown[]> {
  const records = await waitForRecords([bootstrap], topic, count)
  return records
    .map(({ value }) => (JSON.parse(String(value)) as { payload: { op: string; after: unknown } }).payload)
    .map(({ op, after }) => [op, after])
}

async function createPets(database: Database): Promise<string> {
  const name = uniqueName('dev')
  await database.query(`CREATE DATABASE ${name}; CREATE TABLE ${name}.pets (id INT PRIMARY KEY, name VARCHAR(40));
    INSERT INTO ${name}.pets VALUES (1, 'Rex')`)
  return name
}

test('a worker runs with the broker in its process; with --dev-data a second one continues without a snapshot', async () => {
  const database = await useMySql()
  const prefix = await createPets(database)
  await using folder = temporaryFolder('start-dev')
  const [port, environment] = [await freePort(), rest(await freePort())]
  const bootstrap = `127.0.0.1:${port}`
  const document = join(folder.path, 'connector.json')
  const config = connectorConfig({ database, bootstrapServers: [bootstrap], prefix, includes: prefix })
  writeFileSync(document, JSON.stringify({ name: prefix, config }))
  const args = ['start', `--dev-broker=${port}`, '--dev-data', join(folder.path, 'data')]
  {
    // An address that is the broker's own contradicts nothing.
    await using worker = new CliProcess(args, { ...environment, BOOTSTRAP_SERVERS: `localhost:${port}` })
    await worker.prints('Worker has completed startup')
    assert.match(worker.stdout, /development broker is ready\. It is one node without replication: for development/)
    const created = await runCli(['connectors', 'create', document, '--wait'], environment)
    assert.equal(created.code, 0, created.stderr)
    const locked = await runCli(['start', '--dev-broker', '--dev-data', join(folder.path, 'data')], environment)
    assert.equal(locked.code, 1)
    assert.match(locked.stdout, /The folder \S+ of the development broker is in use by process \d+/)
    worker.child.kill('SIGTERM')
    const { code, stdout } = await worker.end()
    assert.equal(code, 0)
    assert.match(stdout, /Worker stopped\n$/)
  }
  await database.query(`UPDATE ${prefix}.pets SET name = 'Max' WHERE id = 1`)
  await using again = new CliProcess(args, environment)
  await again.prints('Worker has completed startup')
  assert.deepEqual(await changesIn(bootstrap, `${prefix}.${prefix}.pets`, 2), [
    ['r', { id: 1, name: 'Rex' }],
    ['u', { id: 1, name: 'Max' }],
  ])
})

fullTest('settings that contradict the broker, a port in use and a wrong port are errors with the remedy', async () => {
  await using taken = await listening()
  const cases = [
    [['--dev-broker'], { BOOTSTRAP_SERVERS: 'kafka:9092' }, 2, /setting bootstrap\.servers=kafka:9092 contradicts/],
    [['--dev-broker'], { CONNECT_SECURITY_PROTOCOL: 'SASL_SSL' }, 2, /security\.protocol=SASL_SSL contradicts/],
    [['--dev-broker', `--dev-broker=${taken.port}`], {}, 1, /cannot listen on .*EADDRINUSE.*another port/],
    [['--dev-broker', 'worker.properties'], {}, 2, /must be a port from 1 to 65535.*file before this option/],
    [['--dev-data', 'folder'], {}, 2, /--dev-data is for the development broker.*Add --dev-broker/],
  ] as const
  for (const [args, environment, expected, message] of cases) {
    const { code, stdout, stderr } = await runCli(['start', ...args], environment)
    assert.deepEqual([code, args], [expected, args], stdout + stderr)
    assert.match(stdout + stderr, message)
  }
})

async function listening(): Promise<AsyncDisposable & { readonly port: number }> {
  const port = await freePort()
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return { port, [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())) }
}
