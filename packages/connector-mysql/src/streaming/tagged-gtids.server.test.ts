/** GTIDs with tags (MySQL 8.3 and later), compressed or not: in events, in offsets, and for a start in the middle. */
import { type ConnectValue, type OffsetDocument, Struct } from '@tributary/connect-api'
import { present } from '@tributary/support'
import { type Database, fullTest, startMySql } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isStreaming, type Scene, sceneOf, TaskRun, textOf } from '../testing/task-run.ts'

const NO_DATA = { 'snapshot.mode': 'no_data' }
const TAGS = ['', ':blue', ':a_tag_of_thirty_two_characters_x', ':blue'] as const

/** Inserts two rows under each tag, in a transaction; returns the GTIDs that the server printed for them. */
async function writeTransactions({ database, schema }: Scene, from: number): Promise<readonly string[]> {
  const session = await database.connect()
  await session.query(`USE ${schema}`)
  const gtids: string[] = []
  let id = from
  for (const compression of ['OFF', 'ON']) {
    for (const tag of TAGS) {
      const [before] = await database.query('SELECT @@global.gtid_executed AS gtids')
      await session.query(`SET SESSION gtid_next = 'AUTOMATIC${tag}', binlog_transaction_compression = ${compression}`)
      await session.query('START TRANSACTION')
      for (let i = 0; i < 2; i++) await session.query(`INSERT INTO t VALUES (${id++})`)
      await session.query('COMMIT')
      const [added] = await database.query(
        `SELECT GTID_SUBTRACT(@@global.gtid_executed, '${String(before?.['gtids'])}') AS gtid`,
      )
      gtids.push(String(added?.['gtid']))
    }
  }
  await session.end()
  return gtids
}

function gtidOf(value: ConnectValue): string {
  const source = value instanceof Struct ? value.get('source') : null
  return source instanceof Struct ? textOf(source.get('gtid')) : ''
}

/** What the server has executed and the offset does not contain; the empty text: nothing. */
async function lacking(database: Database, { gtids }: OffsetDocument): Promise<unknown> {
  const [row] = await database.query(`SELECT GTID_SUBTRACT(@@global.gtid_executed, '${String(gtids)}') AS lacking`)
  return row?.['lacking']
}

test('events and offsets have the GTIDs as the server prints them, and a task continues within each transaction', async () => {
  await using database = await startMySql()
  const scene = await sceneOf(database, 'CREATE TABLE t (id INT PRIMARY KEY)')
  await using task = await TaskRun.start(scene, NO_DATA)
  await task.until(isStreaming)
  const seen: string[] = []
  const offsets: OffsetDocument[] = []
  task.onRecord = ({ value, sourceOffset }) => {
    seen.push(gtidOf(value))
    offsets.push(sourceOffset.toDocument())
  }

  const gtids = await writeTransactions(scene, 0)
  const expected = await task.untilChanges(2 * gtids.length)

  assert.deepEqual(
    seen,
    gtids.flatMap((gtid) => [gtid, gtid]),
  )
  assert.deepEqual(
    gtids.map((gtid) => gtid.split(':').length > 2),
    [...TAGS, ...TAGS].map((tag) => tag !== ''),
  )
  await task.until(({ stored }) => stored?.['payload_event'] === undefined)
  assert.equal(await lacking(database, present(task.stored, 'an offset')), '')
  for (const [i, offset] of offsets.slice(0, -1).entries()) {
    await using other = await TaskRun.start(scene, NO_DATA, offset)
    await other.untilChanges(expected.length - i - 1)
    assert.deepEqual(other.changes, expected.slice(i + 1))
  }
})

fullTest('gtid.source.excludes names a server, whatever the tags of its GTIDs', async () => {
  await using database = await startMySql()
  const scene = await sceneOf(database, 'CREATE TABLE t (id INT PRIMARY KEY); CREATE TABLE done (id INT PRIMARY KEY)')
  const other = '3e11fa47-71ca-11e1-9e33-c80aa9429562'
  await using task = await TaskRun.start(scene, { ...NO_DATA, 'gtid.source.excludes': other })
  await task.until(isStreaming)
  const session = await database.connect()
  await session.query(`USE ${scene.schema}`)
  for (const [gtid, id] of [
    [`${other}:1`, 1],
    [`${other}:blue:1`, 2],
    ['AUTOMATIC:blue', 3],
  ] as const) {
    await session.query(`SET SESSION gtid_next = '${gtid}'`)
    await session.query(`INSERT INTO t VALUES (${id})`)
  }
  await session.end()

  assert.deepEqual(await task.untilChanges(1), ['c 3'])
})
