/**
 * `tributary rehearse` beside a real Kafka Connect with Debezium: it finds nothing but what is named, finds what is
 * planted, leaves nothing behind, and the move that it prints does what it has predicted.
 *
 *     npm run interop -- rehearse
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Rehearsal } from '@tributary/rehearse'
import {
  type Database,
  eventually,
  kafkaClient,
  readTopic,
  runProgram,
  type Service,
  startConnect,
  startService,
  temporaryFolder,
  useKafka,
  useMariaDb,
  useMySql,
} from '@tributary/testkit'
import {
  RehearsedShop,
  RehearseProcess,
  type RehearsalEnd,
  resultOf,
  type StreamEvent,
  unnamed,
} from './rehearse/rehearsed-shop.ts'
import type { Side } from './side.ts'

const resources = new AsyncDisposableStack()
let bootstrapServers: readonly string[] = []
let connect: Service

before(async () => {
  ;({ bootstrapServers } = await useKafka())
  connect = resources.use(await startConnect({ bootstrapServers, javaArgs: ['-Xmx768m'] }))
})
after(() => resources.disposeAsync())

function begin(shop: RehearsedShop, more: readonly string[] = [], environment = {}): RehearseProcess {
  const brokers = bootstrapServers.join(',')
  const args = ['--from', connect.url, '--connector', shop.name, '--bootstrap-servers', brokers, '--json', ...more]
  return new RehearseProcess(args, environment)
}

function run(shop: RehearsedShop, more: readonly string[] = []): Promise<RehearsalEnd> {
  return begin(shop, more).end()
}

async function topics(): Promise<readonly string[]> {
  await using admin = (await kafkaClient(bootstrapServers)).admin()
  return (await admin.listTopics()).toSorted()
}

/** Connections that read the binlog. */
async function replicas(database: Database): Promise<number> {
  const rows = await database.query(`SELECT 1 FROM information_schema.processlist WHERE command LIKE 'Binlog Dump%'`)
  return rows.length
}

const HALF_A_MINUTE = ['--minutes', '0.5']

for (const [title, open] of [
  ['MySQL', useMySql],
  ['MariaDB', useMariaDb],
] as const) {
  describe(title, () => {
    test('a rehearsal under load differs only as named, and the printed move does what it predicts', async (t) => {
      const database = await open()
      const heartbeat = { 'heartbeat.interval.ms': '200' }
      const shop = await RehearsedShop.open({ database, connect, bootstrapServers, more: heartbeat })
      const before = await topics()
      const workload = shop.startWorkload()
      let result: Rehearsal
      let end: RehearsalEnd
      try {
        end = await run(shop, [...HALF_A_MINUTE, '--to', 'http://tributary'])
        result = resultOf(end)
        t.diagnostic(
          `${title}: ${JSON.stringify({ ...result.records, rounds: workload.rounds })}; ${result.differences.map(({ count, path, reason }) => `${count} ${path} (${reason})`).join('; ')}; not compared: ${result.not_compared.join('; ')}; warnings: ${result.warnings.join('; ')}`,
        )
        assert.deepEqual(unnamed(result), [])
        assert.equal(result.state, 'AS_BEFORE', end.stderr)
        assert.equal(end.code, 0)
        assert.ok(result.records.compared > 300 && result.records.compared === result.records.equal)
        assert.equal(result.records.compared, result.records.rehearsed)
        assert.deepEqual(result.not_compared, [])
        const expected = new Set([shop.topic('items'), shop.topic('keyless'), shop.name])
        assert.ok(expected.isSubsetOf(new Set(result.topics.map(({ topic }) => topic))))
      } finally {
        await workload[Symbol.asyncDispose]()
      }
      const made = (await topics()).filter((topic) => !before.includes(topic))
      assert.deepEqual(
        made.filter((topic) => !/\.more\d+$/.test(topic)),
        [],
        'only topics of new tables are new',
      )

      await using tributary = await startService({ bootstrapServers })
      await using folder = temporaryFolder('move')
      const steps = async (list: Rehearsal['move']): Promise<void> => {
        for (const { command } of list) {
          const done = await runProgram('sh', ['-c', command.replaceAll('http://tributary', tributary.url)], {
            cwd: folder.path,
          })
          assert.equal(done.code, 0, `${command}: ${done.stderr} ${done.stdout}`)
        }
      }
      await using _more = shop.startWorkload()
      await steps(result.move)
      await tributary.waitUntilRunning(shop.name)
      await waitForSide(shop, 'tributary', 20)
      await steps(result.back)
      await connect.waitUntilRunning(shop.name, 120_000)
      await waitForSide(shop, 'connect', 20, true)
      const events = await shop.events('items')
      t.diagnostic(`${title}: ${JSON.stringify(auditOf(events))}`)
      const { gaps, repeatedBySameSide, repeated } = auditOf(events)
      assert.deepEqual(gaps, [])
      assert.equal(repeatedBySameSide, 0)
      assert.ok(repeated < 100, 'only what is at a hand-over is sent again')
      const connectors = await tributary.rest('GET', '/connectors')
      assert.deepEqual(connectors.json, [])
    })
  })
}

interface Audit {
  readonly events: number
  readonly repeated: number
  readonly repeatedBySameSide: number
  /** Events whose row before is not the row after the last event of its key. */
  readonly gaps: readonly string[]
}

/** Repeats, and gaps in the versions of each row: an update continues with the row that the last event left. */
function auditOf(events: readonly StreamEvent[]): Audit {
  const seen = new Map<string, Side>()
  const versions = new Map<number, number>()
  const gaps: string[] = []
  let [repeated, repeatedBySameSide] = [0, 0]
  for (const { place, side, before: was, after: is } of events) {
    const first = seen.get(place)
    if (first !== undefined) {
      repeated += 1
      if (first === side) repeatedBySameSide += 1
      continue
    }
    seen.set(place, side)
    const known = was === null ? undefined : versions.get(was.id)
    if (was !== null && known !== undefined && known !== was.version)
      gaps.push(`${place} ${side}: ${known}, ${was.version}`)
    if (was !== null) versions.delete(was.id)
    if (is !== null) versions.set(is.id, is.version)
  }
  return { events: events.length, repeated, repeatedBySameSide, gaps }
}

/** Waits until the topic ends with records of that side. */
async function waitForSide(shop: RehearsedShop, side: Side, count: number, isLast = false): Promise<void> {
  await eventually(
    `the topic has ${count} records of ${side}${isLast ? ' at its end' : ''}`,
    async () => {
      const events = await shop.events('items')
      const tail = isLast ? events.slice(-count) : events
      return tail.filter((each) => each.side === side).length >= count
    },
    { timeoutMs: 120_000, everyMs: 500 },
  )
}

describe('planted differences', () => {
  let shop: RehearsedShop
  before(async () => {
    shop = await RehearsedShop.open({ database: await useMySql(), connect, bootstrapServers })
  })

  test('a record that another program has written is found with its key and place', async () => {
    await using _workload = shop.startWorkload()
    const rehearsal = begin(shop, HALF_A_MINUTE)
    await eventually('records are compared', () => /[1-9]\d* compared/.test(rehearsal.stderr), { timeoutMs: 60_000 })
    const records = await readTopic(bootstrapServers, shop.topic('items'))
    const last = records.findLast(({ value }) => value !== null)
    assert.ok(last !== undefined)
    const value = Buffer.from((last.value?.toString() ?? '').replace('"version":', '"version": 1'))
    await using producer = await (await kafkaClient(bootstrapServers)).producer({ onDelivered: () => undefined })
    const topic = await producer.topic(shop.topic('items'))
    const part = (bytes: Buffer) => ({ prefix: new Uint8Array(0), buffer: bytes, start: 0, end: bytes.length })
    const key = part(last.key ?? Buffer.alloc(0))
    topic.send({ key, value: part(value), headers: [], partition: null, timestamp: null, token: 1 })
    await producer.flush()

    const end = await rehearsal.end()
    const result = resultOf(end)
    assert.equal(end.code, 1)
    assert.equal(result.state, 'DIFFERENT')
    const found = result.differences.filter(({ reason }) => reason === null)
    assert.deepEqual(
      found.map(({ kind, count, topics: names }) => [kind, count, names]),
      [['extra', 1, [shop.topic('items')]]],
    )
    const { payload } = JSON.parse(last.key?.toString() ?? '') as { payload: unknown }
    assert.equal(found[0]?.example.key, JSON.stringify(payload))
    assert.match(found[0]?.example.offset ?? '', /^\d+$/)
  })

  test('a configuration that changes values and schemas is found with the fields', async () => {
    await using _workload = shop.startWorkload()
    const end = await run(shop, ['--minutes', '0.2', '--set', 'decimal.handling.mode=string'])
    const result = resultOf(end)
    assert.equal(end.code, 1)
    const found = result.differences.filter(({ reason }) => reason === null)
    assert.ok(
      found.every(({ path }) => /price/.test(path)),
      JSON.stringify(found),
    )
    assert.deepEqual(new Set(found.map(({ kind }) => kind)), new Set(['value', 'schema']))
  })

  test('a configuration that is refused is reported before anything runs', async () => {
    const end = await run(shop, [
      '--set',
      'transforms=x',
      '--set',
      'transforms.x.type=io.debezium.transforms.tracing.ActivateTracingSpan',
    ])
    assert.equal(end.code, 1)
    assert.equal((JSON.parse(end.stdout) as { state: string }).state, 'REFUSED')
  })

  test('Ctrl-C and kill -9 leave nothing', async () => {
    const database = shop.database
    const [topicsBefore, replicasBefore] = [await topics(), await replicas(database)]
    for (const signal of ['SIGINT', 'SIGKILL'] as const) {
      const rehearsal = begin(shop, ['--minutes', '10'])
      await eventually('it reads the binlog', async () => (await replicas(database)) > replicasBefore, {
        timeoutMs: 60_000,
      })
      rehearsal.child.kill(signal)
      const end = await rehearsal.end()
      if (signal === 'SIGINT') {
        assert.equal(end.code, 1)
        assert.equal(resultOf(end).state, 'CANCELLED')
      }
      // The server notices a closed connection when it next sends something.
      await eventually(
        'the server has ended its connection',
        async () => {
          await shop.change()
          return (await replicas(database)) === replicasBefore
        },
        { timeoutMs: 60_000 },
      )
    }
    assert.deepEqual(await topics(), topicsBefore)
    assert.equal((await shop.connect.taskState(shop.name)).state, 'RUNNING')
  })
})

test('a router and a statement of the heartbeat are not executed twice', async () => {
  const database = await useMySql()
  const more = {
    transforms: 'route,flat',
    'transforms.route.type': 'org.apache.kafka.connect.transforms.RegexRouter',
    'transforms.route.regex': String.raw`.*\.(items|keyless)`,
    'transforms.route.replacement': 'routed_$1',
    'transforms.flat.type': 'io.debezium.transforms.ExtractNewRecordState',
    'transforms.flat.add.fields': 'op,ts_ms',
  }
  const shop = await RehearsedShop.open({ database, connect, bootstrapServers, more })
  const beats = `UPDATE ${shop.name}.beats SET n = n + 1`
  const workload = shop.startWorkload()
  const end = await run(shop, [
    '--minutes',
    '0.3',
    '--set',
    'heartbeat.interval.ms=100',
    '--set',
    `heartbeat.action.query=${beats}`,
  ])
  await workload[Symbol.asyncDispose]()
  const result = resultOf(end)
  assert.deepEqual(unnamed(result), [])
  assert.equal(end.code, 0, JSON.stringify(result.not_compared))
  assert.ok(result.records.compared > 100)
  assert.deepEqual(
    result.topics.map(({ topic }) => topic).filter((topic) => topic.startsWith('routed_')),
    ['routed_items', 'routed_keyless'],
  )
  const [row] = await database.query(`SELECT n FROM ${shop.name}.beats`)
  assert.equal(row?.['n'], 0)
})

test('a paused connector, an unknown one, and a Kafka Connect that does not answer', async () => {
  const shop = await RehearsedShop.open({ database: await useMySql(), connect, bootstrapServers })
  await connect.rest('PUT', `/connectors/${shop.name}/pause`)
  await connect.waitForTask(shop.name, ['PAUSED'])
  const paused = await run(shop)
  assert.equal(paused.code, 1)
  assert.match(paused.stderr, /is PAUSED in Kafka Connect.*Resume it/)
  const brokers = ['--bootstrap-servers', bootstrapServers.join(',')]
  const unknown = await new RehearseProcess(['--from', connect.url, '--connector', 'nobody', ...brokers]).end()
  assert.equal(unknown.code, 1)
  assert.match(unknown.stderr, /has no connector nobody/)
  const nowhere = await new RehearseProcess(['--from', 'http://127.0.0.1:1', '--connector', 'x', ...brokers]).end()
  assert.equal(nowhere.code, 3)
  assert.match(nowhere.stderr, /No service answers at http:\/\/127\.0\.0\.1:1/)
})
