/** Signals and progress of snapshots over REST, and the commands that use them, with the real service. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  connectorConfig,
  type Database,
  eventually,
  type ProgramResult,
  type Service,
  startService,
  uniqueName,
  useKafka,
  useMySql,
} from '@tributary/testkit'
import { runCli } from '../testing/cli-process.ts'

const prefix = uniqueName('signal')
let database: Database
let service: Service

before(async () => {
  database = await useMySql()
  const { bootstrapServers } = await useKafka()
  await database.query(`
    CREATE DATABASE ${prefix}; CREATE TABLE ${prefix}.pets (id INT PRIMARY KEY); INSERT INTO ${prefix}.pets VALUES (1), (2)`)
  service = await startService({ bootstrapServers })
  const config = connectorConfig({ database, bootstrapServers, prefix, includes: prefix })
  await service.rest('POST', '/connectors', { name: prefix, config })
  await eventually('the initial snapshot is complete', async () => {
    const { snapshot } = await progress()
    return snapshot?.['state'] === 'completed'
  })
})

after(async () => {
  await service[Symbol.asyncDispose]()
})

function connectors(...args: readonly string[]): Promise<ProgramResult> {
  return runCli(['connectors', ...args], { TRIBUTARY_URL: service.url })
}

interface Progress {
  readonly snapshot: Readonly<Record<string, unknown>> | null
  readonly problems: readonly unknown[]
}

async function progress(): Promise<Progress> {
  const { text } = await service.rest('GET', `/connectors/${prefix}/snapshot`)
  return JSON.parse(text) as Progress
}

async function send(body: unknown): Promise<{ readonly status: number; readonly text: string }> {
  return service.rest('POST', `/connectors/${prefix}/signals`, body)
}

test('the progress of the initial snapshot stays to be read', async () => {
  const { snapshot, problems } = await progress()
  const { kind, state, percent, rows, tables, tables_total: total, waits_for: waitsFor } = snapshot ?? {}
  assert.deepEqual(
    [kind, state, percent, rows, total, waitsFor, problems],
    ['initial', 'completed', 100, 2, 1, null, []],
  )
  const [table] = tables as readonly Readonly<Record<string, unknown>>[]
  assert.deepEqual(
    [table?.['table'], table?.['state'], table?.['rows'], table?.['percent']],
    [`${prefix}.pets`, 'complete', 2, 100],
  )
})

test('a signal copies a table, once for an id', async () => {
  const body = { id: 'copy-1', type: 'execute-snapshot', data: { 'data-collections': [`${prefix}.pets`] } }
  const first = await send(body)
  assert.equal(first.status, 202)
  assert.deepEqual(JSON.parse(first.text), { id: 'copy-1', type: 'execute-snapshot', is_repeated: false })
  await eventually('the rows are copied', async () => {
    const { snapshot } = await progress()
    return snapshot?.['kind'] === 'incremental' && snapshot['state'] === 'completed' && snapshot['rows'] === 2
  })
  const repeated = await send(body)
  assert.deepEqual(
    [repeated.status, (JSON.parse(repeated.text) as { readonly is_repeated: boolean }).is_repeated],
    [202, true],
  )
})

test('a request that is no signal, or that cannot be run, is refused with the reason', async () => {
  const refused: readonly (readonly [unknown, number, RegExp])[] = [
    ['{', 400, /The body is not JSON/],
    [[1], 400, /not a JSON object/],
    [{ type: 'log', payload: {} }, 400, /Unknown member \\"payload\\": use \\"id\\", \\"type\\" and \\"data\\"/],
    [{ id: 'x' }, 400, /\\"type\\" is missing/],
    [{ id: 7, type: 'log' }, 400, /\\"id\\" is not a text/],
    [{ id: 'x'.repeat(65), type: 'log' }, 400, /\\"id\\" is not a text of 1 to 64/],
    [{ type: 'log', data: 3 }, 400, /\\"data\\" is not an object/],
    [{ type: 'copy' }, 400, /type that this version does not know/],
    [
      { type: 'execute-snapshot', data: { 'data-collections': ['shop.none'] } },
      400,
      /names no captured table: shop.none/,
    ],
    [{ type: 'pause-snapshot' }, 409, /no incremental snapshot/],
  ]
  for (const [body, status, reason] of refused) {
    const answer = await send(body)
    assert.deepEqual([answer.status, reason.test(answer.text)], [status, true], answer.text)
  }
  const unknown = await service.rest('POST', '/connectors/no-such/signals', { type: 'log' })
  assert.equal(unknown.status, 404)
  assert.equal((await service.rest('GET', '/connectors/no-such/snapshot')).status, 404)
})

test('the commands send signals, and status shows what a snapshot does', async () => {
  const copied = await connectors('snapshot', prefix, `${prefix}.pets`, '--id', 'cli-1', '--where', 'id = 1')
  assert.deepEqual([copied.code, copied.stdout], [0, `${prefix}: the signal cli-1 is accepted; its effect is stored\n`])
  await eventually('one row is copied', async () => {
    const { snapshot } = await progress()
    return snapshot?.['state'] === 'completed' && snapshot['rows'] === 1
  })
  // A copy that never ends: the condition is refused by the server, again and again.
  const conditions = [{ 'data-collection': `${prefix}.pets`, filter: 'no_such_column = 1' }]
  const data = { 'data-collections': [`${prefix}.pets`], 'additional-conditions': conditions }
  assert.equal((await send({ type: 'execute-snapshot', data })).status, 202)
  await eventually('the problem is known', async () => (await progress()).problems.length > 0)
  const { stdout, code } = await connectors('status', prefix)
  assert.equal(code, 0)
  assert.match(stdout, /\nIncremental snapshot: running\n {2}0 rows, 0 rows\/s\n {2}0 of 1 tables complete\n/)
  const paused = await connectors('signal', prefix, 'pause-snapshot')
  assert.equal(paused.code, 0)
  assert.equal((await progress()).snapshot?.['state'], 'paused')
  assert.equal((await send({ type: 'stop-snapshot', data: {} })).status, 202)
  assert.equal((await progress()).snapshot?.['state'], 'aborted')
  const bad = await connectors('signal', prefix, 'log', '--data', '{')
  assert.deepEqual([bad.code, /--data is not JSON/.test(bad.stderr)], [2, true])
})

test('a paused connector has no task that could run a signal', async () => {
  await service.rest('PUT', `/connectors/${prefix}/pause`)
  await eventually(
    'the task does not run',
    async () => (await send({ type: 'log', data: { message: 'm' } })).status === 409,
  )
  const { text } = await send({ type: 'log', data: { message: 'm' } })
  assert.match(text, /does not run: GET .*health has the reason/)
  assert.equal((await progress()).snapshot, null)
})
