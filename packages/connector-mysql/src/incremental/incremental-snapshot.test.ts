import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import type { Struct } from '@tributary/connect-api'
import { ConnectorNumbers, type Poll, type RecordFormat, SnapshotNumbers, TableId } from '@tributary/connector-kit'
import { captureLogger, type FakeClock, fakeClock } from '@tributary/testkit'
import type { ServerInfo } from '../flavor/flavor.ts'
import { collectionOf } from '../added-tables.ts'
import { mysqlFlavor } from '../flavor/mysql-flavor.ts'
import { IncrementalProgress } from '../offset/incremental-progress.ts'
import { StreamPosition } from '../offset/stream-position.ts'
import { SnapshotPace } from '../pace/snapshot-pace.ts'
import type { SourceInfo } from '../source/source-info.ts'
import { shopInterpreter } from '../testing/shop-interpreter.ts'
import { testCompiler } from '../testing/test-compiler.ts'
import type { Chunk } from './chunk-reader.ts'
import { IncrementalSnapshot } from './incremental-snapshot.ts'

const SERVER = '11111111-1111-1111-1111-111111111111'
/** Read after the transaction 5, of which the stream has 4. */
const chunk: Chunk = {
  rows: { length: 1, at: () => [1] },
  upTo: ['1'],
  maximum: ['1'],
  isLast: true,
  place: { file: 'binlog.000002', position: 500, gtids: `${SERVER}:1-5` },
  serverIdentity: SERVER,
  signature: '',
  threadId: null,
  bytes: 0,
  estimates: new Map(),
}

function scene(clock: FakeClock, pace: SnapshotPace | null = null) {
  const logger = captureLogger()
  const interpreter = shopInterpreter()
  for (const name of ['t', 'u']) {
    interpreter.interpret(`CREATE TABLE ${name} (id INT PRIMARY KEY)`, { database: 'shop' })
  }
  const handled: string[] = []
  const poll = {
    records: [],
    nowMicros: 0,
    signal: new AbortController().signal,
    handle: ({ tag }: { readonly tag: string }) => {
      handled.push(tag)
      return null
    },
  } as unknown as Poll
  const snapshot = new IncrementalSnapshot({
    tables: interpreter.tables,
    isCaptured: () => true,
    messageKeyOf: () => null,
    skips: { operations: new Set(), unchangedRows: false },
    compiler: testCompiler({}),
    readers: {
      count: 1,
      hasFree: true,
      read: () => Promise.resolve(chunk),
      hasTable: () => Promise.resolve(true),
      rest: () => Promise.resolve(),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    },
    flavor: mysqlFlavor,
    format: { source: () => null as unknown as Struct } as unknown as RecordFormat<SourceInfo>,
    numbers: new SnapshotNumbers(),
    pace,
    clock,
    logger,
  })
  return { logger, handled, poll, snapshot }
}

for (const [title, { identity, pos, isReached }] of Object.entries({
  'the server of the chunk, at its place': { identity: SERVER, pos: 500, isReached: true },
  'the server of the chunk, before its place': { identity: SERVER, pos: 499, isReached: false },
  'a server that is not known': { identity: undefined, pos: 500, isReached: false },
})) {
  test(`a stream without some GTIDs reaches a chunk by file and position: on ${title}`, async () => {
    const clock = fakeClock()
    const { logger, handled, poll, snapshot } = scene(clock)
    const id = TableId.of('shop', 't')
    snapshot.begin(
      IncrementalProgress.none.withAdded([{ id, condition: null, surrogateKey: null, correlationId: null }]),
    )
    const gtids = `${SERVER}:1-4`
    const server = identity === undefined ? {} : { server_identity: identity }
    const position = StreamPosition.parse({ file: 'binlog.000002', pos, gtids, ...server })
    assert.ok(position !== null)
    snapshot.reached(position, poll)
    await snapshot.poll(poll, false)
    // The chunk is there in the next turn of the event loop.
    await setImmediate()
    await snapshot.poll(poll, false)
    assert.equal(handled.includes('rows'), isReached)
    if (isReached) return
    await clock.advance(6 * 60_000)
    await snapshot.poll(poll, false)
    assert.equal(logger.matching(/have waited for 6 minutes: the stream is at/).length, 1)
  })
}

test('on a quiet source, the next chunk is read when the limit permits it, not after the poll interval', async () => {
  const clock = fakeClock()
  const limits = {
    rowsPerSecondMax: 10,
    bytesPerSecondMax: 0,
    runningThreadsMax: 0,
    replicas: [],
    replicaLagMaxMs: 0,
    replicaWaitMaxMs: -1,
  }
  const connection = { host: 'none', port: 1, user: 'u', password: '', tls: { mode: 'disabled' } } as const
  await using pace = new SnapshotPace({
    limits,
    connection: { ...connection, connectTimeoutMs: 1, logger: captureLogger() },
    flavor: mysqlFlavor,
    serverInfo: {} as ServerInfo,
    numbers: new ConnectorNumbers(),
    clock,
    logger: captureLogger(),
  })
  const { handled, poll, snapshot } = scene(clock, pace)
  const collections = ['t', 'u'].map((name) => {
    return { id: TableId.of('shop', name), condition: null, surrogateKey: null, correlationId: null }
  })
  snapshot.begin(IncrementalProgress.none.withAdded(collections))
  const position = StreamPosition.parse({ file: 'binlog.000003', pos: 4, gtids: `${SERVER}:1-5` })
  assert.ok(position !== null)
  snapshot.reached(position, poll)
  await snapshot.poll(poll, false)
  await setImmediate()
  await snapshot.poll(poll, false)
  assert.deepEqual(handled.filter((tag) => tag === 'rows').length, 1)
  assert.equal(snapshot.isDue(position), false)
  let isWoken = false
  const idle = snapshot.whileIdle(
    (woken) =>
      new Promise<void>((resolve) => {
        woken.addEventListener('abort', () => {
          isWoken = true
          resolve()
        })
      }),
    new AbortController().signal,
  )
  // One row of ten in a second.
  await clock.advance(99)
  assert.equal(isWoken, false)
  await clock.advance(3)
  assert.equal(isWoken, true)
  await idle
  assert.equal(snapshot.isDue(position), true)
  await snapshot.close()
})

test('a table of an initial snapshot that lost its key waits, and the others are copied', async () => {
  const logger = captureLogger()
  const clock = fakeClock()
  const interpreter = shopInterpreter()
  for (const sql of ['CREATE TABLE a (id INT)', 'CREATE TABLE b (id INT PRIMARY KEY)', 'CREATE TABLE c (id INT)'])
    interpreter.interpret(sql, { database: 'shop' })
  const poll = {
    records: [],
    nowMicros: 0,
    signal: new AbortController().signal,
    handle: () => null,
  } as unknown as Poll
  const read: string[] = []
  const snapshot = new IncrementalSnapshot({
    tables: interpreter.tables,
    isCaptured: () => true,
    messageKeyOf: () => null,
    skips: { operations: new Set(), unchangedRows: false },
    compiler: testCompiler({}),
    readers: {
      count: 1,
      hasFree: true,
      read: ({ table }) => {
        read.push(table.table.id.table)
        return Promise.resolve(chunk)
      },
      hasTable: () => Promise.resolve(true),
      rest: () => Promise.resolve(),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    },
    flavor: mysqlFlavor,
    format: { source: () => null as unknown as Struct } as unknown as RecordFormat<SourceInfo>,
    numbers: new SnapshotNumbers(),
    clock,
    logger,
  })
  const collections = ['a', 'b'].map((table) => collectionOf(TableId.of('shop', table)))
  const ofSignal = collectionOf(TableId.of('shop', 'c'))
  snapshot.begin(IncrementalProgress.none.withInitial(collections, 'continued by debezium').withCollections([ofSignal]))
  const position = StreamPosition.parse({ file: 'binlog.000002', pos: 500, server_identity: SERVER })
  assert.ok(position !== null)
  snapshot.reached(position, poll)
  const names = (): readonly string[] => snapshot.progress.collections.map(({ id }) => id.table)
  for (let i = 0; i < 10; i++) {
    await snapshot.poll(poll, false)
    await setImmediate()
  }
  assert.deepEqual(read, ['b'])
  // That of the signal is left out, and the one of the initial snapshot is not.
  assert.deepEqual(names(), ['a'])
  assert.equal(snapshot.progress.isInitial, true)
  assert.equal(logger.matching('copies other tables first').length, 1)
  assert.ok(logger.matching('could not be read').length > 0)
  interpreter.interpret('ALTER TABLE a ADD PRIMARY KEY (id)', { database: 'shop' })
  await clock.advance(60_000)
  for (let i = 0; i < 4; i++) {
    await snapshot.poll(poll, false)
    await setImmediate()
  }
  assert.deepEqual(read, ['b', 'a'])
  assert.deepEqual(names(), [])
})
