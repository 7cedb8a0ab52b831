/** `include.query` on both servers. Expected are the statements as they were sent to the server. */
import { type OffsetDocument, type SourceRecord, Struct } from '@tributary/connect-api'
import { casesOfTier, type Database, startMariaDb, startMySql } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isStreaming, type Scene, sceneOf, TaskRun, textOf } from '../testing/task-run.ts'

const TABLES = 'CREATE TABLE a (id INT PRIMARY KEY, v VARCHAR(20)); CREATE TABLE other (id INT PRIMARY KEY)'

interface Seen {
  readonly text: string
  readonly offset: OffsetDocument
}

/** Operation, id and statement of an event; a tombstone has none. */
function shown({ value }: SourceRecord): string | null {
  if (!(value instanceof Struct) || value.schema.fields[0]?.name !== 'before') return null
  const row = value.get('after') ?? value.get('before')
  const source = value.get('source')
  if (!(row instanceof Struct) || !(source instanceof Struct)) return null
  return [value.get('op'), row.at(0), source.get('query')].map((each) => textOf(each)).join(' ')
}

async function eventsFrom(scene: Scene, stored: OffsetDocument, count: number, more = QUERY): Promise<readonly Seen[]> {
  const seen: Seen[] = []
  await using run = await TaskRun.start(scene, more, stored)
  run.onRecord = (record) => {
    const text = shown(record)
    if (text !== null) seen.push({ text, offset: record.sourceOffset.toDocument() })
  }
  await run.until(() => seen.length >= count)
  return seen
}

const QUERY: Readonly<Record<string, string>> = { 'include.query': 'true', 'snapshot.mode': 'no_data' }

async function startOf(scene: Scene): Promise<OffsetDocument> {
  await using run = await TaskRun.start(scene, QUERY)
  await run.until(({ stored }) => isStreaming(run) && stored !== null)
  assert.ok(run.stored !== null)
  return run.stored
}

async function play({ database, schema }: Scene, statements: readonly string[]): Promise<void> {
  const session = await database.connect()
  await session.query(`USE ${schema}`)
  for (const sql of statements) await session.query(sql)
  await session.end()
}

for (const [server, start, variable] of casesOfTier('include query', [
  ['MySQL', (): Promise<Database & AsyncDisposable> => startMySql({}), 'binlog_rows_query_log_events'],
  ['MariaDB', (): Promise<Database & AsyncDisposable> => startMariaDb({}), 'binlog_annotate_row_events'],
] as const)) {
  const on = `SET SESSION ${variable} = ON`
  const off = `SET SESSION ${variable} = OFF`
  const [many, one, gone] = [
    `INSERT INTO a VALUES (1, 'it''s'), (2, '日本 😀')`,
    `UPDATE a /* a comment */ SET v = 'x' WHERE id = 1`,
    `DELETE FROM a WHERE id = 2`,
  ]

  test(`${server}: an event has the statement that changed its row, also after a restart in the transaction`, async () => {
    await using database = await start()
    const scene = await sceneOf(database, TABLES)
    const stored = await startOf(scene)
    await play(scene, [on, 'BEGIN', many, 'INSERT INTO other VALUES (9)', one, gone, 'COMMIT'])
    await play(scene, [off, `INSERT INTO a VALUES (3, 'c')`])

    const seen = await eventsFrom(scene, stored, 6)
    const expected = [
      `c 1 ${many}`,
      `c 2 ${many}`,
      'c 9 INSERT INTO other VALUES (9)',
      `u 1 ${one}`,
      `d 2 ${gone}`,
      'c 3 null',
    ]
    assert.deepEqual(
      seen.map(({ text }) => text),
      expected,
    )
    // After the delete is its tombstone, which has the position after it.
    for (const [i, { offset }] of seen.slice(0, 4).entries()) {
      const rest = await eventsFrom(scene, offset, expected.length - 1 - i)
      assert.deepEqual(
        rest.map(({ text }) => text),
        expected.slice(i + 1),
      )
    }
  })

  test(`${server}: a statement that is not logged has none, also after one of its transaction that is`, async () => {
    await using database = await start()
    const scene = await sceneOf(database, TABLES)
    const stored = await startOf(scene)
    await play(scene, [on, 'BEGIN', many, off, one, 'COMMIT'])

    const seen = await eventsFrom(scene, stored, 3)
    assert.deepEqual(
      seen.map(({ text }) => text),
      [`c 1 ${many}`, `c 2 ${many}`, 'u 1 null'],
    )
  })

  test(`${server}: rows of an XA transaction have their statements, kept in memory or read again`, async () => {
    await using database = await start()
    const scene = await sceneOf(database, TABLES)
    const stored = await startOf(scene)
    await play(scene, [on, "XA START 'x'", many, one, "XA END 'x'", "XA PREPARE 'x'"])
    const afterPrepare = await eventsAfter(scene, stored)
    await play(scene, ["XA COMMIT 'x'"])

    for (const [from, count] of [
      [stored, 4],
      [afterPrepare, 3],
    ] as const) {
      const seen = (await eventsFrom(scene, from, count)).slice(-3)
      assert.deepEqual(
        seen.map(({ text }) => text),
        [`c 1 ${many}`, `c 2 ${many}`, `u 1 ${one}`],
      )
    }
  })

  test(`${server}: a change of include.query in the middle of a transaction loses no row`, async () => {
    await using database = await start()
    const scene = await sceneOf(database, TABLES)
    const stored = await startOf(scene)
    await play(scene, [on, 'BEGIN', many, one, gone, 'COMMIT'])
    const without = { ...QUERY, 'include.query': 'false' }
    const plain = (texts: readonly Seen[]): readonly string[] => texts.map(({ text }) => text.split(' ', 2).join(' '))
    const all = ['c 1', 'c 2', 'u 1', 'd 2']

    for (const [before, after] of [
      [QUERY, without],
      [without, QUERY],
    ] as const) {
      const seen = await eventsFrom(scene, stored, 4, before)
      assert.deepEqual(plain(seen), all)
      const rest = plain(await eventsFrom(scene, seen[2]?.offset ?? {}, 1, after))
      assert.deepEqual(rest.slice(-1), ['d 2'])
      assert.deepEqual(rest, all.slice(-rest.length))
    }
  })
}

/** The position after XA PREPARE. */
async function eventsAfter(scene: Scene, stored: OffsetDocument): Promise<OffsetDocument> {
  await play(scene, ['INSERT INTO other VALUES (1)'])
  const [{ offset } = { offset: {} }] = await eventsFrom(scene, stored, 1)
  return offset
}
