/**
 * A command-line client of Kafka Connect, kafka-connect-py (`kc`), once with a worker of Kafka Connect and once with a
 * group of three of Tributary, where each command reaches another worker: it prints the same.
 */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import {
  connectorConfig,
  type Database,
  eventually,
  installedPythonPackage,
  runProgram,
  type Service,
  startConnect,
  startService,
  uniqueName,
  useKafka,
  useMySql,
  waitForRecords,
} from '@tributary/testkit'

const CLIENT = { name: 'kafka-connect-py', version: '1.0.0' }

interface Place {
  readonly database: Database
  readonly bootstrapServers: readonly string[]
  /** Of the connector, its database and its topics. */
  readonly name: string
  /** They get the commands in turn. */
  readonly workers: readonly Service[]
}

test('kc prints the same with Kafka Connect and with a group of Tributary', async (t) => {
  const [database, { bootstrapServers }] = await Promise.all([useMySql(), useKafka()])
  await using stack = new AsyncDisposableStack()
  const group = uniqueName('kc_group')
  const services: Service[] = []
  for (let i = 0; i < 3; i++) services.push(stack.use(await startService({ bootstrapServers, name: group })))
  const connect = stack.use(await startConnect({ bootstrapServers }))

  const expected = await session({ database, bootstrapServers, name: uniqueName('kc_connect'), workers: [connect] })
  const actual = await session({ database, bootstrapServers, name: uniqueName('kc_group'), workers: services })

  show(t, actual)
  assert.deepEqual(actual, expected)
})

/** What each command prints, with names, addresses and versions masked. */
async function session(place: Place): Promise<string[]> {
  const { database, bootstrapServers, name } = place
  await database.query(`CREATE DATABASE ${name}; CREATE TABLE ${name}.t (id INT PRIMARY KEY)`)
  await database.query(`INSERT INTO ${name}.t VALUES (1)`)
  const config = connectorConfig({ database, bootstrapServers, prefix: name, includes: name })
  const serverId = { ...config, 'database.server.id': '5401' }
  const kc = await client(place)
  const printed: string[] = []
  const run = async (...args: readonly string[]): Promise<void> => {
    printed.push(`$ kc ${args[0] ?? ''}\n${comparable(await kc(args))}`)
  }
  const until = async (state: string): Promise<void> => {
    await eventually(`the status is ${state}`, async () => {
      const text = await kc(['status', name])
      return text.split(`"state": "${state}"`).length === 3
    })
  }

  await run('list')
  await run('create', '--config-data', JSON.stringify({ name, config: serverId }))
  await until('RUNNING')
  await waitForRecords(bootstrapServers, `${name}.${name}.t`, 1)
  await run('create', '--config-data', JSON.stringify({ name, config: serverId }))
  await run('update', name, '--config-data', JSON.stringify({ ...serverId, 'max.batch.size': '1000' }))
  await until('RUNNING')
  for (const command of ['config', 'get', 'status', 'list-tasks']) await run(command, name)
  await run('task-status', name, '0')
  await run('list', '--expand', 'status')
  await run('pause', name)
  await until('PAUSED')
  await run('status', name)
  await run('resume', name)
  await until('RUNNING')
  // It prints the status right after the request: which task has ended by then is a matter of milliseconds.
  await kc(['restart', name, '--include-tasks'])
  await until('RUNNING')
  await run('restart-task', name, '0')
  await until('RUNNING')
  await run('list-topics', name)
  await run('reset-topics', name)
  await run('delete', name)
  await eventually('the connector is gone', async () => (await kc(['list'])).trim() === '[]')
  await run('status', name)
  await run('delete', name)
  return printed
}

/** Runs `kc` against one worker after the other; returns its output with the names and addresses of the place masked. */
async function client({ name, workers }: Place): Promise<(args: readonly string[]) => Promise<string>> {
  const folder = await installedPythonPackage(CLIENT.name, CLIENT.version)
  let next = 0
  return async (args) => {
    const worker = workers[next++ % workers.length]
    assert.ok(worker)
    const url = `http://127.0.0.1:${worker.port}`
    const result = await runProgram('python3', [join(folder, 'bin', 'kc'), '--url', url, ...args], {
      env: { PYTHONPATH: folder },
    })
    assert.equal(result.code, 0, result.stderr)
    let text = `${result.stdout}${result.stderr}`.replaceAll(name, 'NAME')
    for (const { port } of workers) text = text.replaceAll(`127.0.0.1:${port}`, 'WORKER')
    return text
  }
}

/** `kc` prints maps and lists of topics in the order of the answer, which Kafka Connect takes from hash tables. */
function comparable(printed: string): string {
  if (!/^[[{]/.test(printed)) return printed
  return `${JSON.stringify(sorted(JSON.parse(printed)))}\n`
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value))
    return value.map(sorted).toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(
    ([key, each]) => [key, key === 'version' ? 'VERSION' : sorted(each)] as const,
  )
  return Object.fromEntries(entries.toSorted(([a], [b]) => a.localeCompare(b)))
}

function show(t: TestContext, printed: readonly string[]): void {
  for (const text of printed) for (const line of text.trimEnd().split('\n')) t.diagnostic(line.slice(0, 300))
}
