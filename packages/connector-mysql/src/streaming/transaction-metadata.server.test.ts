/**
 * Transaction metadata on both servers. The names of transactions are those of SHOW BINLOG EVENTS; the numbers follow
 * from the statements.
 */
import { type ConnectValue, type OffsetDocument, type SourceRecord, Struct } from '@tributary/connect-api'
import { casesOfTier, type Database, startMariaDb, startMySql } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isStreaming, type Scene, sceneOf, TaskRun, textOf } from '../testing/task-run.ts'

const TABLES =
  'CREATE TABLE a (id INT PRIMARY KEY, v INT); CREATE TABLE b (id INT PRIMARY KEY); CREATE TABLE hidden (id INT PRIMARY KEY)'

const METADATA = { 'provide.transaction.metadata': 'true', 'snapshot.mode': 'no_data' }

function optionsOf({ schema }: Scene): Readonly<Record<string, string>> {
  return { ...METADATA, 'table.exclude.list': `${schema}.hidden` }
}

/** `BEGIN id`, `END id 3 db.a=2 db.b=1`, `c a id 1 1`, `tombstone`: what a consumer sees of a record. */
function shown(schema: string, { topic, value }: SourceRecord): string {
  if (!(value instanceof Struct)) return 'tombstone'
  if (topic === schema) return `statement ${textOf(value.get('ddl')).slice(0, 12)}`
  if (topic === `${schema}.transaction`) return boundary(value).replaceAll(`${schema}.`, '')
  const block = value.get('transaction')
  const values = block instanceof Struct ? block.schema.fields.map(({ index }) => textOf(block.at(index))) : ['null']
  return [textOf(value.get('op')), topic.slice(schema.length * 2 + 2), ...values].join(' ')
}

function boundary(value: Struct): string {
  const collections = value.get('data_collections') as readonly Struct[] | null
  const counts = (collections ?? []).map((each) => `${textOf(each.at(0))}=${textOf(each.at(1))}`)
  const parts = [value.get('status'), value.get('id'), value.get('event_count')].map((part: ConnectValue) =>
    textOf(part),
  )
  return [...parts.filter((part) => part !== 'null'), ...counts.toSorted()].join(' ')
}

interface Seen {
  readonly text: string
  readonly offset: OffsetDocument
}

/** The records of a task that starts at an offset, up to the one with that text. */
async function recordsFrom(scene: Scene, stored: OffsetDocument | null, last: string): Promise<readonly Seen[]> {
  const seen: Seen[] = []
  await using run = await TaskRun.start(scene, optionsOf(scene), stored)
  run.onRecord = (record) => {
    seen.push({ text: shown(scene.schema, record), offset: record.sourceOffset.toDocument() })
  }
  await run.until(() => seen.some(({ text }) => text === last))
  return seen
}

/** The names of the transactions that the binlog has after a position, as the server prints them. */
async function namesAfter(database: Database, file: string, from: number): Promise<readonly string[]> {
  const events = await database.query(`SHOW BINLOG EVENTS IN '${file}'`)
  let gtid: string | null = null
  const names: string[] = []
  for (const event of events) {
    const [type, info, pos] = [String(event['Event_type']), String(event['Info']), Number(event['Pos'])]
    if (type === 'Gtid') gtid = /(?:GTID_NEXT= '|BEGIN GTID )([^']+)/.exec(info)?.[1] ?? null
    const isBegin = type === 'Gtid' ? info.startsWith('BEGIN') : info === 'BEGIN'
    if (isBegin && pos >= from) names.push(gtid ?? `file=${file},pos=${pos}`)
  }
  return names
}

/** The position after the snapshot of the structure, which has no rows. */
async function startOf(scene: Scene): Promise<OffsetDocument> {
  await using run = await TaskRun.start(scene, optionsOf(scene))
  await run.until(({ stored }) => isStreaming(run) && stored !== null)
  assert.ok(run.stored !== null)
  return run.stored
}

const CHANGES = [
  'BEGIN; INSERT INTO a VALUES (1, 1), (2, 2); INSERT INTO b VALUES (1); UPDATE a SET id = 3 WHERE id = 2',
  'DELETE FROM a WHERE id = 1; INSERT INTO hidden VALUES (1); INSERT INTO b VALUES (4); COMMIT',
  'INSERT INTO hidden VALUES (2); CREATE TABLE c (id INT PRIMARY KEY)',
  'INSERT INTO b VALUES (2)',
].join('; ')

/** What the statements yield. Ids of rows are no part of it: the numbers are. */
function expectedRecords([first, second, third]: readonly string[]): readonly string[] {
  return [
    `BEGIN ${first}`,
    `c a ${first} 1 1`,
    `c a ${first} 2 2`,
    `c b ${first} 3 1`,
    `d a ${first} 4 3`,
    'tombstone',
    `c a ${first} 5 4`,
    `d a ${first} 6 5`,
    'tombstone',
    `c b ${first} 7 2`,
    `END ${first} 7 a=5 b=2`,
    `BEGIN ${second}`,
    `END ${second} 0`,
    'statement CREATE TABLE',
    `BEGIN ${third}`,
    `c b ${third} 1 1`,
    `END ${third} 1 b=1`,
  ]
}

for (const [server, start] of casesOfTier('transaction metadata', [
  ['MySQL with GTIDs', () => startMySql({ gtid: true })],
  ['MySQL without GTIDs', () => startMySql({ gtid: false })],
  ['MariaDB', () => startMariaDb()],
] as const)) {
  test(`${server}: events are numbered, and a restart after any record continues with the right numbers`, async () => {
    await using database = await start()
    const scene = await sceneOf(database, TABLES)
    const stored = await startOf(scene)
    await database.query(`USE ${scene.schema}; ${CHANGES}`)
    const expected = expectedRecords(await namesAfter(database, String(stored['file']), Number(stored['pos'])))

    const last = expected.at(-1) ?? ''
    const seen = await recordsFrom(scene, stored, last)
    assert.deepEqual(
      seen.map(({ text }) => text),
      expected,
    )

    for (const [i, { text, offset }] of seen.slice(0, -1).entries()) {
      const rest = (await recordsFrom(scene, offset, last)).map((each) => each.text)
      assert.deepEqual(rest, expected.slice(-rest.length), `after ${i} ${text}`)
      // Only records of one row are repeated: a delete and its tombstone have the position before it.
      const repeated = rest.length - (expected.length - 1 - i)
      assert.ok(
        repeated === 0 || (repeated <= 2 && /^(d|tombstone)/.test(text)),
        `${repeated} repeated after ${i} ${text}`,
      )
    }
  })
}

/** More than two polls take. */
const MANY = (from: number): string =>
  `INSERT INTO a WITH RECURSIVE n AS (SELECT 0 AS k UNION ALL SELECT k + 1 FROM n WHERE k < 999) SELECT ${from} + k, 0 FROM n`

test('MariaDB: rows that are rolled back have no number, and a transaction without others no begin and no end', async () => {
  await using database = await startMariaDb()
  const scene = await sceneOf(database, TABLES)
  const stored = await startOf(scene)
  await database.query(`USE ${scene.schema}; BEGIN; CREATE TEMPORARY TABLE x (id INT); ${MANY(0)}; ROLLBACK;
    BEGIN; CREATE TEMPORARY TABLE y (id INT); ${MANY(1000)}; SAVEPOINT s; ${MANY(2000)}; INSERT INTO b VALUES (1);
    ROLLBACK TO s; ${MANY(3000)}; COMMIT; INSERT INTO b VALUES (2)`)
  const names = await namesAfter(database, String(stored['file']), Number(stored['pos']))

  const seen = await recordsFrom(scene, stored, `END ${names.at(-1)} 1 b=1`)

  const texts = seen.map(({ text }) => text)
  const [count] = await database.query(`SELECT COUNT(*) AS n FROM ${scene.schema}.a`)
  const rows = Array.from({ length: Number(count?.['n']) }, (_, i) => `c a ${names[1]} ${i + 1} ${i + 1}`)
  assert.deepEqual(texts, [
    `BEGIN ${names[1]}`,
    ...rows,
    `END ${names[1]} ${rows.length} a=${rows.length}`,
    `BEGIN ${names[2]}`,
    `c b ${names[2]} 1 1`,
    `END ${names[2]} 1 b=1`,
  ])
})

test('another server sends the whole of an interrupted transaction again, and its events are numbered again', async () => {
  await using database = await startMySql({ gtid: true })
  const scene = await sceneOf(database, TABLES)
  const stored = await startOf(scene)
  await database.query(`USE ${scene.schema}; BEGIN; INSERT INTO a VALUES (1, 1); INSERT INTO b VALUES (1); COMMIT`)
  const [name] = await namesAfter(database, String(stored['file']), Number(stored['pos']))
  const expected = [`BEGIN ${name}`, `c a ${name} 1 1`, `c b ${name} 2 1`, `END ${name} 2 a=1 b=1`]
  const last = expected.at(-1) ?? ''
  const [, first] = await recordsFrom(scene, stored, last)

  const elsewhere = { ...first?.offset, server_identity: '00000000-0000-0000-0000-000000000001' }
  const seen = await recordsFrom(scene, elsewhere, last)

  assert.deepEqual(
    seen.map(({ text }) => text),
    expected,
  )
})

test('only what becomes an event has a number', async () => {
  await using database = await startMySql()
  const scene = await sceneOf(database, `${TABLES}; INSERT INTO a VALUES (1, 1), (2, 2)`)
  const stored = await startOf(scene)
  await database.query(`USE ${scene.schema}; BEGIN; INSERT INTO a VALUES (3, 3); UPDATE a SET v = 4 WHERE id = 1;
    UPDATE a SET v = 5 WHERE id = 2; DELETE FROM a WHERE id = 3; COMMIT`)
  const [name] = await namesAfter(database, String(stored['file']), Number(stored['pos']))

  const skipping = { ...scene, config: { ...scene.config, 'skipped.operations': 'c' } }
  const seen = await recordsFrom(skipping, stored, `END ${name} 3 a=3`)

  assert.deepEqual(
    seen.map(({ text }) => text),
    [`BEGIN ${name}`, `u a ${name} 1 1`, `u a ${name} 2 2`, `d a ${name} 3 3`, 'tombstone', `END ${name} 3 a=3`],
  )
})
