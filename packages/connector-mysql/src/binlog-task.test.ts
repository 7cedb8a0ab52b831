import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { test } from 'node:test'
import type { SourceOffset, SourceTaskContext } from '@tributary/connect-api'
import { StoppedError } from '@tributary/support'
import { captureLogger, eventually, fakeClock, freePort, type CaptureLogger, type FakeClock } from '@tributary/testkit'
import { BinlogTask } from './binlog-task.ts'
import { mysqlKind } from './connector-kind.ts'

interface Setting {
  readonly context: SourceTaskContext
  readonly clock: FakeClock
  readonly logger: CaptureLogger
}

function settingOf(port: number, more: Readonly<Record<string, string>> = {}): Setting {
  const clock = fakeClock()
  const logger = captureLogger()
  const config = {
    'database.hostname': '127.0.0.1',
    'database.port': String(port),
    'database.user': 'debezium',
    'database.password': 'dbz',
    'database.server.id': '5400',
    'topic.prefix': 'unreachable',
    'schema.history.internal.kafka.bootstrap.servers': '127.0.0.1:1',
    'schema.history.internal.kafka.topic': 'schemahistory.unreachable',
    ...more,
  }
  const context: SourceTaskContext = {
    config,
    workerDefaults: {},
    connectorName: 'unreachable',
    taskNumber: 0,
    logger,
    clock,
    storedOffset: () => null,
  }
  return { context, clock, logger }
}

test('a task whose database is unreachable starts, retries after growing pauses and logs why it waits', async () => {
  const { context, clock, logger } = settingOf(await freePort())
  const task = new BinlogTask(mysqlKind)
  await task.start(context)
  // That of the progress of snapshots.
  const others = clock.pending
  for (let attempt = 1; attempt <= 9; attempt++) {
    const polled = task.poll(new AbortController().signal)
    // The brokers of its history are unreachable as well, which is not logged.
    await eventually(
      'it pauses',
      () => logger.matching('Cannot begin yet').length === attempt && clock.pending === others + 1,
    )
    await clock.advance(30_000)
    assert.deepEqual(await polled, { records: [], progress: null })
  }
  const lines = logger.matching('Cannot begin yet')
  const pauses = lines.map(({ message }) => Number(/again in (\d+) ms/.exec(message)?.[1]))
  // 250 ms, doubled each time up to 30 s, each shorter by up to a fifth at random.
  for (const [i, pause] of pauses.entries()) {
    const full = Math.min(250 * 2 ** i, 30_000)
    assert.ok(pause <= full && pause >= full * 0.8 - 1, `${pause} ms is the pause number ${i}`)
  }
  assert.match(lines[0]?.message ?? '', /Unable to connect to the database at 127\.0\.0\.1:\d+: connect ECONNREFUSED/)
  await task.stop()
})

test('a failed attempt closes its connections to the history; later ones open none before the database answers', async () => {
  const [broker, database] = [createServer(), createServer()]
  const open = new Set<Socket>()
  let accepted = 0
  const isAsked = Promise.withResolvers<void>()
  broker.on('connection', (socket) => {
    open.add(
      socket
        .on('error', () => undefined)
        .on('close', () => open.delete(socket))
        .resume(),
    )
    // Administration and producer.
    if (++accepted === 2) isAsked.resolve()
  })
  database.on('connection', (socket) => void isAsked.promise.then(() => socket.destroy()))
  for (const server of [broker, database]) await once(server.listen(0, '127.0.0.1').unref(), 'listening')
  const portOf = (server: typeof broker): number => (server.address() as AddressInfo).port
  const { context, clock, logger } = settingOf(portOf(database), {
    'schema.history.internal.kafka.bootstrap.servers': `127.0.0.1:${portOf(broker)}`,
  })
  const task = new BinlogTask(mysqlKind)
  await task.start(context)

  for (const attempt of [1, 2, 3]) {
    const polled = task.poll(new AbortController().signal)
    await eventually('it pauses', () => logger.matching('Cannot begin yet').length === attempt)
    await eventually('the connections to the broker are closed', () => open.size === 0)
    await clock.advance(30_000)
    await polled
  }
  assert.equal(accepted, 2)
  await task.stop()
})

test('a stop ends the pause', async () => {
  const { context, clock } = settingOf(await freePort())
  const task = new BinlogTask(mysqlKind)
  await task.start(context)
  const others = clock.pending
  const stop = new AbortController()
  const polled = task.poll(stop.signal)
  await eventually('it pauses', () => clock.pending > others)
  stop.abort()
  await assert.rejects(polled, StoppedError)
  assert.equal(clock.pending, others)
  await task.stop()
  assert.equal(clock.pending, 0)
})

test('a stop ends the wait for a database that accepts the connection and does not answer', async () => {
  await using silent = createServer()
  silent.listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const { context } = settingOf((silent.address() as AddressInfo).port)
  const task = new BinlogTask(mysqlKind)
  await task.start(context)
  const stop = new AbortController()
  const polled = task.poll(stop.signal)
  await once(silent, 'connection')
  stop.abort()
  await assert.rejects(polled, StoppedError)
  await task.stop()
})

test('an invalid configuration fails the start', async () => {
  const { context } = settingOf(1, { 'snapshot.locking.mode': 'never' })
  const task = new BinlogTask(mysqlKind)
  await assert.rejects(task.start(context), { message: /snapshot\.locking\.mode/ })
  await task.stop()
})

test('a start continues after a stored offset unless it is in a snapshot, or the mode takes a new one', async () => {
  const offset = (document: Readonly<Record<string, string | number>>): SourceOffset => ({
    toDocument: () => ({ file: 'binlog.000001', pos: 4, ...document }),
  })
  for (const [mode, inSnapshot, streaming] of [
    ['initial', false, true],
    ['when_needed', false, true],
    ['always', false, false],
  ] as const) {
    const task = new BinlogTask(mysqlKind)
    await task.start(settingOf(1, { 'snapshot.mode': mode }).context)
    assert.deepEqual(
      [task.continuesAfter(offset({ snapshot: 'INITIAL' })), task.continuesAfter(offset({}))],
      [inSnapshot, streaming],
      mode,
    )
  }
})
