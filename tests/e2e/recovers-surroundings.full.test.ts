/**
 * Faults around the database: its name cannot be resolved, its certificate has expired, its disk is full. What a user
 * sees over time, and that nobody has to act on the connector. The disk is a file system in memory, which only root can
 * mount.
 */
import {
  Certificates,
  connectorConfig,
  databaseAccounts,
  type DatabaseServer,
  eventually,
  idOf,
  readTopic,
  runProgram,
  type Service,
  startMySql,
  startService,
  temporaryFolder,
  useKafka,
  uniqueName,
} from '@tributary/testkit'
import assert from 'node:assert/strict'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { StatusCourse } from './recovery/status-course.ts'

const DISK_MB = 512
/** More than the server may have room for in the pages that it has allocated. */
const WRITES = 100
const HOST = 'database.tributary.test'
const NAME = uniqueName('surroundings')
const TOPIC = `${NAME}.shop.t`
const NAME_SERVICE = new URL('recovery/name-service.ts', import.meta.url).href

const stack = new AsyncDisposableStack()
let bootstrapServers: readonly string[]
let mysql: DatabaseServer
let service: Service
let certificates: Certificates
let disk: string
let folder: string
let lastId = 0

before(async () => {
  ;({ bootstrapServers } = await useKafka())
  folder = stack.use(temporaryFolder('names')).path
  certificates = stack.use(await Certificates.create())
  mysql = await startOnSmallDisk()
  await present('1 day ago', '2 days')
  await mysql.query('CREATE DATABASE shop; CREATE TABLE shop.t (id INT PRIMARY KEY, note TEXT)')
  const env = { TRIBUTARY_TEST_NAME: HOST, TRIBUTARY_TEST_NAME_FAILS: join(folder, 'fails') }
  const nodeArgs = [`--import=${NAME_SERVICE}`]
  service = stack.use(await startService({ bootstrapServers, name: NAME, env, nodeArgs }))
  const more = {
    'database.hostname': HOST,
    'database.ssl.mode': 'verify_ca',
    'database.ssl.truststore': certificates.authority('ca'),
    'retriable.restart.connector.wait.ms': '1000',
  }
  const config = connectorConfig({ database: mysql, bootstrapServers, prefix: NAME, includes: 'shop', more })
  await service.register(NAME, config)
  await arrives(await insert())
})

after(() => stack.disposeAsync())

async function startOnSmallDisk(): Promise<DatabaseServer> {
  disk = stack.use(temporaryFolder('disk')).path
  const { code, stderr } = await runProgram('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MB}m`, 'tributary-test', disk])
  assert.equal(code, 0, stderr)
  stack.defer(async () => void (await runProgram('umount', ['-l', disk])))
  const former = process.env['TMPDIR']
  process.env['TMPDIR'] = disk
  try {
    return stack.use(await startMySql())
  } finally {
    if (former === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = former
  }
}

/** Makes the server present a new certificate that is valid from one day to another. */
async function present(begins: string, ends: string): Promise<void> {
  const { cert, key } = await certificates.make({ commonName: 'server', names: `DNS:${HOST}`, begins, ends })
  await mysql.query(
    `SET GLOBAL ssl_cert = '${cert}'; SET GLOBAL ssl_key = '${key}'; SET GLOBAL ssl_ca = '${certificates.authority('ca')}'`,
  )
  await mysql.query('ALTER INSTANCE RELOAD TLS')
}

async function endConnections(): Promise<void> {
  const { user } = databaseAccounts.debezium
  const sessions = await mysql.query(`SELECT id FROM information_schema.processlist WHERE user = '${user}'`)
  for (const { id, ID } of sessions) await mysql.query(`KILL ${String(id ?? ID)}`).catch(() => undefined)
}

async function insert(): Promise<number> {
  lastId += 1
  await mysql.query(`INSERT INTO shop.t (id) VALUES (${lastId})`)
  return lastId
}

function arrives(id: number): Promise<boolean> {
  const isThere = async (): Promise<boolean> => (await readTopic(bootstrapServers, TOPIC)).map(idOf).includes(id)
  return eventually(`row ${id} is in the topic`, isThere, { timeoutMs: 120_000, everyMs: 200 })
}

interface Fault {
  readonly cause: () => Promise<void>
  /** Of the problem that a user sees. */
  readonly code: string
  readonly repair: () => Promise<void>
  /** Whether the task fails meanwhile. */
  readonly fails: boolean
}

const faults: Readonly<Record<string, Fault>> = {
  'the name of the database cannot be resolved for a while': {
    cause: async () => {
      await writeFile(join(folder, 'fails'), '')
      await endConnections()
    },
    code: 'MYSQL_UNREACHABLE',
    repair: () => rm(join(folder, 'fails')),
    fails: false,
  },
  'the certificate of the database expires, and is renewed': {
    cause: async () => {
      await present('3 days ago', '1 day ago')
      await endConnections()
    },
    code: 'MYSQL_TLS_FAILED',
    repair: () => present('1 day ago', '2 days'),
    fails: true,
  },
}

for (const [name, { cause, code, repair, fails }] of Object.entries(faults)) {
  test(`${name}: the user sees it, and nobody has to act on the connector`, async (t) => {
    await using course = new StatusCourse(service, NAME)
    let id: number
    try {
      await cause()
      id = await insert()
      await eventually(`the problem is ${code}`, () => course.saw([code]) || assert.fail(course.text()), {
        timeoutMs: 60_000,
      })
    } finally {
      await repair()
    }
    const repaired = course.seconds
    await arrives(id)
    t.diagnostic(`repaired ${repaired} s, row arrived ${course.seconds} s: ${course.text()}`)
    assert.equal(
      course.sights.some(({ state }) => state === 'FAILED'),
      fails,
      course.text(),
    )
  })
}

test('the disk of the database is full for a while: the task runs, and what could be written arrives', async (t) => {
  await using course = new StatusCourse(service, NAME)
  const filler = join(disk, 'filler')
  const { stderr } = await runProgram('dd', ['if=/dev/zero', `of=${filler}`, 'bs=64k'])
  assert.match(stderr, /No space left on device/)
  let [written, refused] = [0, 0]
  const first = lastId + 1
  lastId += WRITES
  try {
    for (let id = first; id <= lastId; id++) {
      void mysql.query(`INSERT INTO shop.t VALUES (${id}, REPEAT('x', 60000))`).then(
        () => (written += 1),
        () => (refused += 1),
      )
    }
    // The server refuses statements, or lets them wait until there is room.
    await eventually('statements are refused, or wait', () => refused > 0 || course.seconds > 10, { timeoutMs: 60_000 })
    assert.ok(written < WRITES)
  } finally {
    await rm(filler)
  }
  const repaired = course.seconds
  await eventually('the server writes again', async () => arrives(await insert()), { timeoutMs: 180_000 })
  const stored = await mysql.query('SELECT id FROM shop.t')
  t.diagnostic(`repaired ${repaired} s, row arrived ${course.seconds} s: ${course.text()}; ${stored.length} rows`)
  const sent = new Set((await readTopic(bootstrapServers, TOPIC)).map(idOf))
  assert.deepEqual(
    stored.map(({ id }) => Number(id)).filter((id) => !sent.has(id)),
    [],
  )
  assert.ok(
    course.sights.every(({ state }) => state === 'RUNNING'),
    course.text(),
  )
})
