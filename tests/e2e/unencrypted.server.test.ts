/** A worker, its connectors and `check` warn about each unencrypted connection to another machine, and no other. */
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  connectorConfig,
  type FaultProxy,
  fullTest,
  ownAddress,
  runProgram,
  startFaultProxy,
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

/** The codes of the warnings in a log, in order, with what they name. */
function warningsIn(log: string): readonly string[] {
  return [...log.matchAll(/WARN .*(?:broker|server|registry) (\S+) is not encrypted.* \[(\w+)\]/g)].map(
    ([, address, code]) => `${code} ${address}`,
  )
}

interface Run {
  readonly warnings: readonly string[]
  readonly checked: readonly string[]
}

/** Runs a connector through the addresses; returns its warnings, and those of `check`. */
async function run({ kafka, database, registry }: Readonly<Record<string, FaultProxy>>): Promise<Run> {
  assert.ok(kafka && database && registry)
  await using folder = temporaryFolder('unencrypted')
  const [mysql, { bootstrapServers: direct }] = await Promise.all([useMySql(), useKafka()])
  const prefix = uniqueName('plain')
  await mysql.query(`CREATE DATABASE ${prefix}; CREATE TABLE ${prefix}.t (id INT PRIMARY KEY);
    INSERT INTO ${prefix}.t VALUES (1)`)
  const bootstrapServers = [`${kafka.host}:${kafka.port}`]
  const more = {
    'database.hostname': database.host,
    'database.port': String(database.port),
    'database.ssl.mode': 'disabled',
    'driver.allowPublicKeyRetrieval': 'true',
    ...avroProperties(`http://${registry.host}:${registry.port}`),
  }
  const config = connectorConfig({ database: mysql, bootstrapServers, prefix, includes: prefix, more })
  await using service = await startService({ bootstrapServers })
  await service.register(prefix, config)
  await waitForRecords(direct, `${prefix}.${prefix}.t`, 1)
  await service.waitForLog(/Connected to binlog at/)
  await service.stop()
  const file = join(folder.path, 'connector.json')
  await writeFile(file, JSON.stringify({ name: prefix, config }))
  const { stdout } = await runProgram(process.execPath, [MAIN, 'check', '--json', file])
  const { findings } = JSON.parse(stdout) as { findings: readonly { code: string; severity: string }[] }
  const checked = findings
    .filter(({ code }) => /UN|ABSENT/.test(code))
    .map(({ code, severity }) => `${severity} ${code}`)
  return { warnings: warningsIn(service.log), checked }
}

async function proxies(stack: AsyncDisposableStack, host: string): Promise<Record<string, FaultProxy>> {
  const [mysql, { bootstrapServers }] = await Promise.all([useMySql(), useKafka()])
  const kafkaPort = Number(bootstrapServers[0]?.split(':')[1])
  const registry = stack.use(await MemoryRegistry.start())
  const start = async (port: number): Promise<FaultProxy> =>
    stack.use(await startFaultProxy({ target: { host: '127.0.0.1', port }, host }))
  return {
    kafka: await start(kafkaPort),
    database: await start(mysql.port),
    registry: await start(Number(new URL(registry.url).port)),
  }
}

test('worker, producer, schema history, database and registry: one warning each', async () => {
  await using stack = new AsyncDisposableStack()
  const remote = await proxies(stack, ownAddress())
  const at = (name: string): string => `${remote[name]?.host}:${remote[name]?.port}`

  const { warnings, checked } = await run(remote)

  assert.deepEqual(warnings.toSorted(), [
    ...Array.from({ length: 3 }, () => `KAFKA_UNENCRYPTED ${at('kafka')}`),
    `REGISTRY_UNENCRYPTED http://${at('registry')}`,
    `TLS_UNUSED ${at('database')}`,
  ])
  assert.deepEqual(checked, ['warning TLS_UNUSED', 'warning REGISTRY_UNENCRYPTED'])
})

fullTest('within one machine there are no warnings', async () => {
  await using stack = new AsyncDisposableStack()
  assert.deepEqual(await run(await proxies(stack, '127.0.0.1')), { warnings: [], checked: [] })
})
