import { type ConnectValue, type OffsetDocument, Schemas, type SourceRecord, Struct } from '@tributary/connect-api'
import { silentLogger } from '@tributary/support'
import { fakeClock, type FakeClock } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MemorySchemaHistory } from '../history/memory-schema-history.ts'
import { MemoryDatabase } from '../testing/memory-database.ts'
import { MemoryTask, type MemoryTaskOptions } from '../testing/memory-task.ts'
import type { ChangeStage, Poll, SideSource } from './change.ts'

/** A connector to a database that is no MySQL, through the interface that the runtime calls. */
class Run {
  readonly database = new MemoryDatabase()
  readonly history = new MemorySchemaHistory()
  readonly clock: FakeClock = fakeClock(1_000_000)
  stored: OffsetDocument | null = null
  #task: MemoryTask | null = null

  async start(more: Partial<MemoryTaskOptions> = {}): Promise<void> {
    this.#task = new MemoryTask({ database: this.database, history: this.history, ...more })
    await this.#task.start({
      config: {},
      workerDefaults: {},
      connectorName: 'memory',
      taskNumber: 0,
      logger: silentLogger,
      clock: this.clock,
      storedOffset: () => this.stored,
    })
  }

  /** The records of a poll as texts; `keep` limits how many of them count as stored. */
  async poll(keep = Infinity): Promise<readonly string[]> {
    assert.ok(this.#task !== null)
    const { records, progress } = await this.#task.poll(new AbortController().signal)
    const kept = records.slice(0, keep)
    this.stored = kept.at(-1)?.sourceOffset.toDocument() ?? this.stored
    if (keep === Infinity && progress !== null) this.stored = progress.offset.toDocument()
    return kept.map(shown)
  }
}

/** `c shop.a 1,one`, `ddl CREATE TABLE …`. */
function shown({ topic, value }: SourceRecord): string {
  if (!(value instanceof Struct)) return `${topic} ${textOf(value)}`
  if (topic === 'memory') return `ddl ${textOf(value.get('ddl'))}`
  const row = value.get('after') ?? value.get('before')
  const values = row instanceof Struct ? row.schema.fields.map(({ index }) => textOf(row.at(index))).join() : ''
  const source = value.get('source')
  const marker = source instanceof Struct ? textOf(source.get('snapshot')) : ''
  const parts = [textOf(value.get('op')), topic.slice('memory.'.length), values]
  return (marker === 'false' ? parts : [...parts, marker]).join(' ')
}

function textOf(value: ConnectValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

async function runWithTable(more: Partial<MemoryTaskOptions> = {}): Promise<Run> {
  const run = new Run()
  run.database.createTable('a', ['name'])
  run.database.insert('a', [1, 'one'], [2, 'two'])
  await run.start(more)
  return run
}

test('a snapshot yields structure and rows with their markers, and the stream continues after it', async () => {
  const run = await runWithTable()
  assert.deepEqual(await run.poll(), ['ddl CREATE TABLE a', 'r shop.a 1,one first', 'r shop.a 2,two last'])
  assert.deepEqual(run.stored, { entries: 5 })

  run.database.commit([
    { table: 'a', before: [1, 'one'], after: [1, 'uno'] },
    { table: 'a', before: [2, 'two'], after: null },
  ])

  assert.deepEqual(await run.poll(), ['u shop.a 1,uno', 'd shop.a 2,two', 'memory.shop.a null'])
})

test('rows after a statement have the new columns, and the history has it before them', async () => {
  const run = await runWithTable()
  await run.poll()
  run.database.addColumn('a', 'city')
  run.database.insert('a', [3, 'three', 'Rome'])

  assert.deepEqual(await run.poll(), ['ddl ALTER TABLE a ADD city', 'c shop.a 3,three,Rome'])
  assert.deepEqual(
    run.history.records.map(({ ddl, position }) => [ddl, position['entries']]),
    [
      ['CREATE TABLE a', 5],
      ['ALTER TABLE a ADD city', 6],
    ],
  )
})

test('a restart inside a transaction continues with the next row, under the definition of that time', async () => {
  const run = await runWithTable()
  await run.poll()
  run.database.insert('a', [3, 'three'], [4, 'four'], [5, 'five'])
  run.database.addColumn('a', 'city')
  assert.deepEqual(await run.poll(1), ['c shop.a 3,three'])

  await run.start()

  const rest = ['c shop.a 4,four', 'c shop.a 5,five', 'ddl ALTER TABLE a ADD city']
  assert.deepEqual(await run.poll(), rest)
})

test('a snapshot that did not end is taken again', async () => {
  const run = await runWithTable()
  await run.poll(2)
  assert.deepEqual(run.stored, { entries: 5, snapshot: true })

  await run.start()

  assert.equal((await run.poll()).length, 3)
})

/** As transaction metadata would be: counts the rows of a transaction and emits a record at its end. */
function transactionCounter(): ChangeStage {
  let rows = 0
  return {
    begin: () => {
      rows = 0
      return null
    },
    rows: () => {
      rows += 1
      return null
    },
    end: ({ position }, poll) => {
      poll.records.push(textRecord(`END with ${rows} rows`, position.toDocument()))
      return null
    },
  }
}

function textRecord(value: string, offset: OffsetDocument): SourceRecord {
  return {
    sourcePartition: {},
    sourceOffset: { toDocument: () => offset },
    topic: 'extra',
    partition: null,
    keySchema: null,
    key: null,
    valueSchema: Schemas.string,
    value,
    timestamp: null,
    headers: [],
  }
}

test('a stage that sees begin, rows and end emits a record for each transaction', async () => {
  const run = await runWithTable({ stages: [transactionCounter()] })
  await run.poll()
  run.database.insert('a', [3, 'three'], [4, 'four'])

  assert.deepEqual(await run.poll(), ['c shop.a 3,three', 'c shop.a 4,four', 'extra END with 2 rows'])
})

test('a stage that sees the time emits heartbeats, also between changes', async () => {
  let nextMicros = 0
  const heartbeat: ChangeStage = {
    time: (poll: Poll) => {
      if (poll.nowMicros < nextMicros) return
      nextMicros = poll.nowMicros + 10_000_000
      poll.records.push(textRecord('heartbeat', {}))
    },
  }
  const run = await runWithTable({ stages: [heartbeat] })
  assert.equal((await run.poll())[0], 'extra heartbeat')
  run.database.insert('a', [3, 'three'])
  assert.deepEqual(await run.poll(), ['c shop.a 3,three'])

  await run.clock.advance(10_000)
  run.database.insert('a', [4, 'four'])

  assert.deepEqual(await run.poll(), ['extra heartbeat', 'c shop.a 4,four'])
})

test('a side source adds its records between those of the stream', async () => {
  let signals = 0
  const side: SideSource = {
    poll: (poll) => {
      signals += 1
      poll.records.push(textRecord(`chunk ${signals}`, {}))
      return Promise.resolve()
    },
  }
  const run = await runWithTable({ sideSources: [side] })
  assert.equal((await run.poll())[0], 'extra chunk 1')
  run.database.insert('a', [3, 'three'])

  assert.deepEqual(await run.poll(), ['extra chunk 2', 'c shop.a 3,three'])
})
