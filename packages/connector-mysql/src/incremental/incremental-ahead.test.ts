import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { type SourceRecord, Struct } from '@tributary/connect-api'
import { type Change, type Poll, type RecordFormat, SnapshotNumbers, TableId } from '@tributary/connector-kit'
import { OutageBoard, withOutages } from '@tributary/support'
import { captureLogger, fakeClock } from '@tributary/testkit'
import { collectionOf } from '../added-tables.ts'
import { mysqlFlavor } from '../flavor/mysql-flavor.ts'
import { IncrementalProgress } from '../offset/incremental-progress.ts'
import { StreamPosition } from '../offset/stream-position.ts'
import type { SourceInfo } from '../source/source-info.ts'
import { shopInterpreter } from '../testing/shop-interpreter.ts'
import { testCompiler } from '../testing/test-compiler.ts'
import type { Chunk, ChunkBorder, ChunkRequest } from './chunk-reader.ts'
import { IncrementalRows } from './incremental-rows.ts'
import { IncrementalSnapshot } from './incremental-snapshot.ts'

const SERVER = '11111111-1111-1111-1111-111111111111'
const [T, U] = [TableId.of('shop', 't'), TableId.of('shop', 'u')] as const

/** A read that a test ends. */
interface Reading {
  readonly request: ChunkRequest
  readonly onBorder: (border: ChunkBorder) => void
  readonly end: (chunk: Chunk) => void
  readonly fail: (error: Error) => void
}

/** A chunk of rows with these ids, of which the stream has everything up to that place. */
function chunkOf(ids: readonly number[], place: number, isLast = false): Chunk {
  const upTo = [String(ids.at(-1))]
  return {
    rows: { length: ids.length, at: (i) => [ids[i] ?? 0] },
    upTo,
    maximum: isLast ? upTo : ['99'],
    isLast,
    place: { file: 'binlog.000002', position: place, gtids: null },
    serverIdentity: SERVER,
    signature: '',
    threadId: null,
    bytes: 10,
    estimates: new Map(),
  }
}

function scene(connections: number, tables: readonly TableId[] = [T]) {
  const interpreter = shopInterpreter()
  for (const { table } of [T, U])
    interpreter.interpret(`CREATE TABLE ${table} (id INT PRIMARY KEY)`, { database: 'shop' })
  const compiler = testCompiler({})
  const readings: Reading[] = []
  const sent: string[] = []
  const clock = fakeClock()
  const outages = new OutageBoard(clock)
  let isFree = connections
  const snapshot = new IncrementalSnapshot({
    tables: interpreter.tables,
    isCaptured: () => true,
    messageKeyOf: () => null,
    skips: { operations: new Set(), unchangedRows: false },
    compiler,
    readers: {
      count: connections,
      get hasFree() {
        return isFree > 0
      },
      read: (request, onBorder) => {
        isFree -= 1
        return new Promise<Chunk>((end, fail) => readings.push({ request, onBorder, end, fail })).finally(
          () => (isFree += 1),
        )
      },
      hasTable: () => Promise.resolve(true),
      rest: () => Promise.resolve(),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    },
    flavor: mysqlFlavor,
    format: { source: () => null as unknown as Struct } as unknown as RecordFormat<SourceInfo>,
    numbers: new SnapshotNumbers(),
    clock,
    logger: withOutages(captureLogger(), outages),
  })
  const handle = (change: Change): null => {
    if (change.tag !== 'rows' || !(change.rows instanceof IncrementalRows)) return null
    const { table } = change.rows
    const read = (_origin: unknown, row: { key(): Struct | null }): void => {
      sent.push(`${table.table} ${JSON.stringify(row.key()?.at(0))}`)
    }
    change.rows.produce({ read } as unknown as Parameters<IncrementalRows['produce']>[0], [])
    return null
  }
  const poll = { records: [], nowMicros: 0, signal: new AbortController().signal, handle } as unknown as Poll
  const at = (pos: number): void => {
    const position = StreamPosition.parse({ file: 'binlog.000002', pos, server_identity: SERVER })
    assert.ok(position !== null)
    snapshot.reached(position, poll)
  }
  /** The stream changes a row. */
  const change = (table: TableId, id: number): void => {
    const definition = interpreter.tables.get(table)
    assert.ok(definition !== undefined)
    const { keySchema } = compiler.compile(definition).schema
    assert.ok(keySchema !== null)
    const key = new Struct(keySchema, [id])
    const records = poll.records
    records.push({ key, value: key } as unknown as SourceRecord)
    snapshot.note(table, records, records.length - 1)
  }
  const turn = async (): Promise<void> => {
    await setImmediate()
    await snapshot.poll(poll, false)
  }
  snapshot.begin(IncrementalProgress.none.withAdded(tables.map(collectionOf)))
  at(100)
  return { snapshot, readings, sent, clock, outages, at, change, turn }
}

function readingOf(readings: readonly Reading[], index: number): Reading {
  const reading = readings[index]
  assert.ok(reading !== undefined, `${readings.length} chunks were requested`)
  return reading
}

test('the next chunk is read while the one before waits for the stream; its rows follow, without changed ones', async () => {
  const { readings, sent, at, change, turn, snapshot } = scene(1)
  await turn()
  readingOf(readings, 0).end(chunkOf([1, 2], 200))
  await turn()
  assert.deepEqual(sent, [])
  assert.deepEqual(readingOf(readings, 1).request.after, ['2'])
  assert.deepEqual(readingOf(readings, 1).request.maximum, ['99'])
  // Both windows are open: each leaves out its own row.
  change(T, 2)
  change(T, 3)
  readingOf(readings, 1).end(chunkOf([3, 4], 150, true))
  await turn()
  // The stream has reached the place of the second chunk, and not that of the first one.
  at(160)
  await turn()
  assert.deepEqual(sent, [])
  at(200)
  await turn()
  assert.deepEqual(sent, ['t 1', 't 4'])
  assert.equal(snapshot.progress.isActive, false)
})

test('with more connections the next chunk begins when the end of the one before is known', async () => {
  const { readings, sent, at, turn } = scene(2)
  await turn()
  assert.equal(readings.length, 1)
  readingOf(readings, 0).onBorder({ upTo: ['2'], maximum: ['4'], isLast: false })
  await turn()
  assert.deepEqual(readingOf(readings, 1).request.after, ['2'])
  readingOf(readings, 1).end(chunkOf([3, 4], 110, true))
  at(200)
  await turn()
  assert.deepEqual(sent, [])
  readingOf(readings, 0).end(chunkOf([1, 2], 120))
  await turn()
  assert.deepEqual(sent, ['t 1', 't 2', 't 3', 't 4'])
})

test('a chunk that ends elsewhere after all, or is spoilt, is not followed by what was read ahead of it', async () => {
  const { readings, sent, at, turn, snapshot, clock } = scene(2)
  await turn()
  readingOf(readings, 0).onBorder({ upTo: ['8'], maximum: ['9'], isLast: false })
  await turn()
  // Of too many bytes: it is read in smaller parts.
  readingOf(readings, 0).onBorder({ upTo: ['2'], maximum: ['9'], isLast: false })
  readingOf(readings, 1).end(chunkOf([9], 100, true))
  readingOf(readings, 0).end(chunkOf([1, 2], 100))
  await turn()
  assert.deepEqual(sent, ['t 1', 't 2'])
  assert.deepEqual(readingOf(readings, 2).request.after, ['2'])
  readingOf(readings, 2).end(chunkOf([3, 4], 200))
  await turn()
  assert.deepEqual(readingOf(readings, 3).request.after, ['4'])
  readingOf(readings, 3).end(chunkOf([5], 200, true))
  snapshot.noteStatement(new Set([T]), 'ALTER')
  at(200)
  await turn()
  await clock.advance(100)
  await turn()
  assert.deepEqual(sent, ['t 1', 't 2'])
  assert.deepEqual(readingOf(readings, 4).request.after, ['2'])
})

test('the next table is read ahead; stopped by a signal, none of its rows is sent', async () => {
  const { readings, sent, at, turn, snapshot } = scene(1, [T, U])
  await turn()
  readingOf(readings, 0).end(chunkOf([1], 200, true))
  await turn()
  assert.equal(readingOf(readings, 1).request.table.table.id, U)
  readingOf(readings, 1).end(chunkOf([7], 200, true))
  snapshot.change(snapshot.progress.without(new Set([U])))
  at(200)
  await turn()
  await turn()
  assert.deepEqual(sent, ['t 1'])
  assert.equal(snapshot.progress.isActive, false)
})

test('a chunk that was read ahead in vain is read again, and the rows before it are sent', async () => {
  const { readings, sent, at, turn, clock } = scene(1)
  await turn()
  readingOf(readings, 0).end(chunkOf([1], 200))
  await turn()
  readingOf(readings, 1).fail(new Error('the connection is lost'))
  await turn()
  at(200)
  await turn()
  assert.deepEqual(sent, ['t 1'])
  await clock.advance(1_000)
  await turn()
  readingOf(readings, 2).end(chunkOf([2], 200, true))
  await turn()
  assert.deepEqual(readingOf(readings, 2).request.after, ['1'])
  assert.deepEqual(sent, ['t 1', 't 2'])
})

test('no more chunks are read ahead than fit in memory', async () => {
  const { readings, turn } = scene(1)
  for (let i = 0; i < 20; i++) {
    await turn()
    readings[i]?.end({ ...chunkOf([i], 500), bytes: i < 2 ? 10 : 2 ** 30 })
  }
  await turn()
  assert.equal(readings.length, 3)
})

test('a table that is altered again and again is read after growing pauses, and the health of the task names the statement', async () => {
  const { readings, sent, clock, at, turn, snapshot, outages } = scene(1)
  at(200)
  for (let i = 0; i < 4; i++) {
    await turn()
    readingOf(readings, i).end(chunkOf([1], 200, true))
    snapshot.noteStatement(new Set([T]), `'ALTER TABLE t ADD c${i} INT' at binlog.000002:${i}`)
    await turn()
    await clock.advance(250 * 2 ** i)
  }
  assert.deepEqual(sent, [])
  const [outage] = outages.ongoing()
  assert.match(outage?.message ?? '', /shop\.t was read 4 times .* 'ALTER TABLE t ADD c3 INT' at binlog.000002:3/)
  await turn()
  readingOf(readings, 4).end(chunkOf([1], 200, true))
  await turn()
  assert.deepEqual([sent, outages.ongoing()], [['t 1'], []])
})

test('after a statement about the table nothing is read from the end of a chunk on: that may be no point of its key any more', async () => {
  const { readings, turn, snapshot } = scene(2)
  await turn()
  readingOf(readings, 0).onBorder({ upTo: ['2'], maximum: ['4'], isLast: false })
  snapshot.noteStatement(new Set([T]), 'ALTER')
  await turn()
  assert.equal(readings.length, 1)
})
