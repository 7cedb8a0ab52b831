/** A disk of the broker that is full: a file system in memory, which only root can mount. */
import {
  connectorConfig,
  type DatabaseServer,
  eventually,
  idOf,
  type KafkaServer,
  readTopic,
  runProgram,
  startKafka,
  startMySql,
  startService,
  temporaryFolder,
} from '@tributary/testkit'
import assert from 'node:assert/strict'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { StatusCourse } from './recovery/status-course.ts'

const DISK_MB = 96

/** Kafka with its data on a small disk of its own. */
async function startOnSmallDisk(stack: AsyncDisposableStack): Promise<{ kafka: KafkaServer; disk: string }> {
  const { path: disk } = stack.use(temporaryFolder('disk'))
  const { code, stderr } = await runProgram('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MB}m`, 'tributary-test', disk])
  assert.equal(code, 0, stderr)
  stack.defer(async () => void (await runProgram('umount', ['-l', disk])))
  const before = process.env['TMPDIR']
  process.env['TMPDIR'] = disk
  try {
    return { kafka: stack.use(await startKafka()), disk }
  } finally {
    if (before === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = before
  }
}

async function insert(mysql: DatabaseServer, id: number): Promise<void> {
  await mysql.query(`INSERT INTO shop.t VALUES (${id}, REPEAT('x', 200000))`)
}

test('the disk of the broker is full: the task waits, and continues when there is room and the broker runs', async (t) => {
  await using stack = new AsyncDisposableStack()
  const mysql = stack.use(await startMySql())
  const { kafka, disk } = await startOnSmallDisk(stack)
  const { bootstrapServers } = kafka
  await mysql.query('CREATE DATABASE shop; CREATE TABLE shop.t (id INT PRIMARY KEY, note MEDIUMTEXT)')
  const service = stack.use(await startService({ bootstrapServers }))
  await service.register(
    'shop',
    connectorConfig({ database: mysql, bootstrapServers, prefix: 'shop', includes: 'shop' }),
  )
  await insert(mysql, 1)
  await eventually(
    'the row is in the topic',
    async () => (await readTopic(bootstrapServers, 'shop.shop.t')).length === 1,
  )

  await using course = new StatusCourse(service, 'shop')
  const filler = join(disk, 'filler')
  await writeFile(filler, Buffer.alloc(DISK_MB * 2 ** 20)).catch((error: { code?: string }) => {
    assert.equal(error.code, 'ENOSPC')
  })
  const [broker] = kafka.brokers
  assert.ok(broker)
  let last = 1
  await eventually(
    'the broker has ended, since it has no disk that it can write to',
    async () => {
      last += 1
      await insert(mysql, last)
      return !broker.isRunning
    },
    { timeoutMs: 120_000, everyMs: 500 },
  )
  const ended = course.seconds
  await rm(filler)
  await broker.start()
  const repaired = course.seconds
  await eventually(
    'all rows are in the topic',
    async () => new Set((await readTopic(bootstrapServers, 'shop.shop.t')).map(idOf)).size === last,
    { timeoutMs: 90_000 },
  )
  t.diagnostic(`ended ${ended} s, repaired ${repaired} s, arrived ${course.seconds} s: ${course.text()}`)
  assert.ok(
    course.sights.every(({ state }) => state === 'RUNNING'),
    course.text(),
  )
})
