/** `gtid.source.includes` and `gtid.source.excludes`: a session writes under the GTIDs of another server. */
import { type Database, startMariaDb, startMySql } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isStreaming, sceneOf, TaskRun } from '../testing/task-run.ts'

const OTHER = '3e11fa47-71ca-11e1-9e33-c80aa9429562'

for (const [server, start, asOther, asItself, other] of [
  [
    'MySQL',
    (): Promise<Database & AsyncDisposable> => startMySql({ gtid: true }),
    `SET SESSION gtid_next = '${OTHER}:1'`,
    "SET SESSION gtid_next = 'AUTOMATIC'",
    OTHER.toUpperCase(),
  ],
  [
    'MariaDB',
    (): Promise<Database & AsyncDisposable> => startMariaDb({}),
    'SET SESSION gtid_domain_id = 7, SESSION server_id = 99',
    'SET SESSION gtid_domain_id = 0, SESSION server_id = @@global.server_id',
    '7-9.',
  ],
] as const) {
  test(`${server}: only changes of the chosen servers become events`, async () => {
    await using database = await start()
    const scene = await sceneOf(database, 'CREATE TABLE t (id INT PRIMARY KEY)')
    const session = await database.connect()
    await session.query(`USE ${scene.schema}`)
    for (const sql of ['INSERT INTO t VALUES (1)', asOther, 'INSERT INTO t VALUES (2)', asItself])
      await session.query(sql)
    await session.query('INSERT INTO t VALUES (3)')
    const first = { 'snapshot.mode': 'no_data' }
    await using probe = await TaskRun.start(scene, first)
    await probe.until(isStreaming)

    const changes = async (more: Readonly<Record<string, string>>, last: string): Promise<readonly string[]> => {
      await using run = await TaskRun.start(scene, { ...first, ...more }, stored)
      await run.until((current) => current.changes.includes(last))
      return run.changes
    }
    const stored = await startPosition(database)
    assert.deepEqual(await changes({ 'gtid.source.excludes': other }, 'c 3'), ['c 1', 'c 3'])
    assert.deepEqual(await changes({ 'gtid.source.includes': other }, 'c 2'), ['c 2'])
    const off = { 'gtid.source.excludes': other, 'gtid.source.filter.dml.events': 'false' }
    assert.deepEqual(await changes(off, 'c 3'), ['c 1', 'c 2', 'c 3'])
    await session.end()
  })
}

/** The begin of the binlog of a new server. */
async function startPosition(database: Database): Promise<{ readonly file: string; readonly pos: number }> {
  const [log] = await database.query('SHOW BINARY LOGS')
  return { file: String(log?.['Log_name']), pos: 4 }
}
