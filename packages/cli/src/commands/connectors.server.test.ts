/** `tributary connectors` with the real service: its output for people and for scripts. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import {
  connectorConfig,
  type Database,
  fullTest,
  type ProgramResult,
  runProgram,
  type Service,
  startService,
  temporaryFolder,
  uniqueName,
  useKafka,
  useMySql,
} from '@tributary/testkit'
import { commandEnvironment, mainFile, runCli } from '../testing/cli-process.ts'

const folder = temporaryFolder('connectors')
const prefix = uniqueName('cli')
let database: Database
let service: Service
let config: Record<string, string>

before(async () => {
  database = await useMySql()
  const { bootstrapServers } = await useKafka()
  await database.query(`
    CREATE DATABASE ${prefix}; CREATE TABLE ${prefix}.pets (id INT PRIMARY KEY); INSERT INTO ${prefix}.pets VALUES (1)`)
  service = await startService({ bootstrapServers })
  config = connectorConfig({ database, bootstrapServers, prefix, includes: prefix })
})

after(async () => {
  await service[Symbol.asyncDispose]()
  await folder[Symbol.asyncDispose]()
})

function connectors(...args: readonly string[]): Promise<ProgramResult> {
  return runCli(['connectors', ...args], { TRIBUTARY_URL: service.url })
}

function fileOf(name: string, document: unknown): string {
  const path = join(folder.path, `${name}.json`)
  writeFileSync(path, JSON.stringify(document))
  return path
}

async function answer(method: string, path: string): Promise<string> {
  const { text } = await service.rest(method, path)
  return `${text}\n`
}

/** The words of each line; without worker addresses and column widths, which differ from run to run. */
function words(text: string): readonly (readonly string[])[] {
  const lines = text.replaceAll(/[\d.]+:\d+/g, 'WORKER').split('\n')
  return lines.map((line) => line.split(/\s+/).filter((word) => word !== '')).filter((line) => line.length > 0)
}

test('a connector is created, listed, paused, resumed, restarted, stopped, changed and deleted', async () => {
  const created = await connectors('create', fileOf('shop', { name: 'shop', config }), '--wait')
  assert.equal(created.code, 0, created.stderr)
  assert.deepEqual(words(created.stdout), [
    ['shop:', 'created'],
    ['CONNECTOR', 'STATE', 'TYPE', 'WORKER'],
    ['shop', 'RUNNING', 'source', 'WORKER'],
    ['task', '0', 'RUNNING', 'WORKER'],
  ])

  const again = await connectors('create', fileOf('shop', { name: 'shop', config }))
  assert.deepEqual([again.code, again.stdout], [1, ''])
  assert.equal(again.stderr, 'tributary connectors: Connector shop already exists (409)\n')

  const listed = await connectors('list')
  assert.deepEqual(words(listed.stdout), [
    ['NAME', 'TYPE', 'STATE', 'TASKS', 'WORKER', 'CLASS'],
    ['shop', 'source', 'RUNNING', '1', 'RUNNING', 'WORKER', 'MySqlConnector'],
  ])

  const paused = await connectors('pause', 'shop', '--wait')
  assert.equal(paused.code, 0, paused.stderr)
  assert.match(paused.stdout, /^shop: pausing\n[^]*task 0 +PAUSED/)
  const resumed = await connectors('resume', 'shop', '--wait')
  assert.match(resumed.stdout, /^shop: resuming\n[^]*task 0 +RUNNING/)
  const restarted = await connectors('restart', 'shop', '--task', '0')
  assert.deepEqual([restarted.code, restarted.stdout], [0, 'shop: restarting task 0\n'])
  const whole = await connectors('restart', 'shop', '--wait')
  assert.match(whole.stdout, /^shop: restarting\n[^]*task 0 +RUNNING/)
  const stopped = await connectors('stop', 'shop', '--wait')
  assert.deepEqual(words(stopped.stdout).slice(-1), [['shop', 'STOPPED', 'source', 'WORKER']])

  const bare = fileOf('bare', { ...config, 'max.batch.size': 1024 })
  const changed = await connectors('create', '--update', '--name', 'shop', bare)
  assert.deepEqual([changed.code, changed.stdout], [0, 'shop: changed\n'])
  const shown = await connectors('get', 'shop')
  assert.match(shown.stdout, /^shop {2}source, 0 tasks\n/)
  assert.match(shown.stdout, /\n {2}database\.password +\[hidden\]\n/)
  assert.match(shown.stdout, /\n {2}max\.batch\.size +1024\n/)
  assert.doesNotMatch(shown.stdout, /dbz/)

  const deleted = await connectors('delete', 'nothing', 'shop')
  assert.equal(deleted.code, 1)
  assert.equal(deleted.stderr, 'tributary connectors: nothing: Connector nothing not found (404)\n')
  assert.equal(deleted.stdout, 'shop: deleted; its stored offsets and its topics are kept\n')
  assert.equal((await connectors('list')).stdout, 'There are no connectors.\n')
})

test('a refused configuration: the reasons are printed by property, and nothing is registered', async () => {
  const { 'topic.prefix': _, ...rest } = config
  const refused = await connectors('create', fileOf('bad', { name: 'bad', config: { ...rest, 'tasks.max': 'two' } }))
  assert.equal(refused.code, 1)
  assert.equal(refused.stdout, '')
  assert.match(
    refused.stderr,
    /^tributary connectors: the service refused the configuration \(400\):\n( {2}[^ ].*\n {4}.*\n)*( {2}tasks\.max\n {4}Invalid value two for configuration tasks\.max: Not a number of type INT\n)/,
  )
  assert.match(refused.stderr, /\n {2}topic\.prefix\n {4}A value is required\n/)
  assert.doesNotMatch(refused.stderr, /You can also find/)
  assert.equal((await connectors('list')).stdout, 'There are no connectors.\n')
})

test('status prints the reason of a failed task without the stack, and exits with 1', async () => {
  const own = uniqueName('gone')
  const failing = { ...config, 'topic.prefix': own, 'schema.history.internal.kafka.topic': `schemahistory.${own}` }
  await connectors('create', fileOf('failing', { name: own, config: failing }), '--wait')
  await connectors('stop', own, '--wait')
  // The binlog file of this offset does not exist.
  const offset = { partition: { server: own }, offset: { file: 'binlog.999999', pos: 4 } }
  const altered = await service.rest('PATCH', `/connectors/${own}/offsets`, { offsets: [offset] })
  assert.equal(altered.status, 200, altered.text)
  await connectors('resume', own)
  // The task fails when it requests the file.
  await service.waitForTask(own, ['FAILED'])
  const { code, stdout } = await connectors('status', own)
  assert.equal(code, 1)
  assert.match(stdout, /task 0 +FAILED/)
  assert.match(stdout, /\nWhy task 0 failed:\n {2}.*binlog\.999999/)
  assert.doesNotMatch(stdout, /\n\s+at /)
  await connectors('delete', own)
})

fullTest('with --json the answers of the service are printed unchanged', async () => {
  const name = 'as it is/was'.replace('/', ' ')
  const file = fileOf('json', { name, config, initial_state: 'STOPPED' })
  const created = await connectors('create', '--json', file)
  assert.equal((JSON.parse(created.stdout) as { name: string }).name, name)
  assert.equal(
    (await connectors('get', '--json', name)).stdout,
    await answer('GET', `/connectors/${encodeURIComponent(name)}`),
  )
  assert.match((await connectors('get', '--json', name)).stdout, /"database\.password":"dbz"/)
  const status = await connectors('status', '--json', '--wait', name)
  assert.equal(status.stdout, await answer('GET', `/connectors/${encodeURIComponent(name)}/status`))
  assert.equal(
    (await connectors('list', '--json')).stdout,
    await answer('GET', '/connectors?expand=status&expand=info'),
  )
  const unknown = await connectors('status', '--json', 'nothing')
  assert.equal(unknown.stdout, '{"error_code":404,"message":"Connector nothing not found"}\n')
  assert.deepEqual(
    [unknown.code, unknown.stderr],
    [1, 'tributary connectors: nothing: Connector nothing not found (404)\n'],
  )
  const deleted = await connectors('delete', '--json', name)
  assert.deepEqual([deleted.code, deleted.stdout], [0, ''])
})

fullTest('create reads a document from standard input', async () => {
  const { code, stdout } = await runProgram(
    process.execPath,
    [mainFile, 'connectors', 'create', '-', '--url', service.url],
    {
      env: commandEnvironment({}),
      input: JSON.stringify({ name: 'piped', config, initial_state: 'STOPPED' }),
    },
  )
  // Standard error may have a warning: the server may still list the connection of the task that has just stopped.
  assert.deepEqual([code, stdout], [0, 'piped: created\n'])
  await connectors('delete', 'piped')
})
