/**
 * Columns of a type that this version does not know: a plug-in of MariaDB's own tests adds one to a server. They are an
 * error, or their raw bytes, and never left out.
 */
import type { CodedError } from '@tributary/support'
import { type DatabaseServer, mariadbTestPluginFolder, startMariaDb } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { checkConnector } from '../check-connector.ts'
import { isStreaming, type Scene, sceneOf, TaskRun } from '../testing/task-run.ts'

let server: DatabaseServer

before(async () => {
  server = await startMariaDb({
    args: [`--plugin-dir=${await mariadbTestPluginFolder()}`, '--plugin-maturity=unknown'],
  })
  await server.query("INSTALL SONAME 'type_mysql_timestamp'")
})
after(() => server[Symbol.asyncDispose]())

/** The type takes values of TIMESTAMP columns only. */
const TABLES = `SET time_zone = '+00:00'; CREATE TABLE moments (m TIMESTAMP NULL);
  INSERT INTO moments VALUES ('2020-02-09 12:34:56'); CREATE TABLE done (id INT PRIMARY KEY)`
const UNKNOWN = `CREATE TABLE t (id INT PRIMARY KEY, m TYPE_MYSQL_TIMESTAMP NULL, s VARCHAR(5));
  INSERT INTO t VALUES (1, (SELECT m FROM moments), 'a')`

async function streamed(more: Readonly<Record<string, string>>): Promise<{ scene: Scene; task: TaskRun }> {
  const scene = await sceneOf(server, TABLES)
  const task = await TaskRun.start(scene, { 'table.exclude.list': `${scene.schema}.moments`, ...more })
  await task.until(isStreaming)
  await server.query(
    `USE ${scene.schema}; ${UNKNOWN}; INSERT INTO t (id, s) VALUES (2, 'b'); INSERT INTO done VALUES (1)`,
  )
  return { scene, task }
}

test(
  'rows with a column of an unknown type fail the task, in the stream and in a snapshot',
  { timeout: 60_000 },
  async () => {
    const { scene, task } = await streamed({})
    const failures: CodedError[] = [await task.failure()]
    assert.deepEqual(task.changes, [])
    await task[Symbol.asyncDispose]()
    await using anew = await TaskRun.start(scene, { 'table.exclude.list': `${scene.schema}.moments` })
    failures.push(await anew.failure())
    for (const { code, message } of failures) {
      assert.equal(code, 'COLUMNS_UNREADABLE')
      // The pre-flight finds it before the snapshot does.
      assert.match(message, /t(\.m| has columns .*: m) \(the type TYPE_MYSQL_TIMESTAMP\)/)
    }

    // No change is lost once the column is excluded.
    await using resumed = await TaskRun.start(scene, { 'column.exclude.list': `${scene.schema}.t.m` }, task.stored)
    assert.deepEqual(await resumed.untilChanges(3), ['c 1 a', 'c 2 b', 'c 1'])
  },
)

test('with warn, events have the raw bytes, and the log counts them', { timeout: 60_000 }, async () => {
  const mode = { 'event.processing.failure.handling.mode': 'warn' }
  const { scene, task } = await streamed(mode)
  // The server prints the bytes of the binlog itself: seconds since 1970, most significant byte first.
  const [row] = await server.query(`SELECT LOWER(HEX(UNIX_TIMESTAMP(m))) AS hex FROM ${scene.schema}.moments`)
  assert.deepEqual(await task.untilChanges(3), [`c 1 ${String(row?.['hex'])} a`, 'c 2 null b', 'c 1'])
  const warning = `Events of ${scene.schema}.t have the raw bytes of columns whose values this version cannot convert: m (the type TYPE_MYSQL_TIMESTAMP)`
  assert.equal(task.logger.matching(warning).length, 1)
  await server.query(`FLUSH BINARY LOGS; INSERT INTO ${scene.schema}.t (id, s) VALUES (3, 'c')`)
  await task.untilChanges(4)
  assert.equal(task.logger.matching(warning).length, 2)
  assert.equal(task.logger.matching(`2 row events of ${scene.schema}.t in that binlog file have raw bytes`).length, 1)
  await task[Symbol.asyncDispose]()

  await using snapshot = await TaskRun.start(scene, { 'table.exclude.list': `${scene.schema}.moments`, ...mode })
  const text = Buffer.from('2020-02-09 12:34:56').toString('hex')
  assert.deepEqual((await snapshot.untilChanges(4)).slice(1, 2), [`r 1 ${text} a`])
  assert.equal(snapshot.logger.matching(warning).length, 1)
})

for (const property of [
  'column.truncate.to.1.chars',
  'column.mask.with.3.chars',
  'column.mask.hash.v2.SHA-256.with.salt.pepper',
]) {
  test(`raw bytes do not show what a property hides: ${property}`, { timeout: 60_000 }, async () => {
    const mode = { 'event.processing.failure.handling.mode': 'warn' }
    const { scene, task } = await streamed({ ...mode, [property]: '.*[.]t[.]m' })
    const { code, message } = await task.failure()
    assert.deepEqual([code, message.includes(`${scene.schema}.t`)], ['COLUMNS_UNMASKABLE', true])
    await task[Symbol.asyncDispose]()
  })
}

test(
  'the pre-flight names them: an error, or a warning when events have their raw bytes',
  { timeout: 60_000 },
  async () => {
    const { scene, task } = await streamed({})
    await task[Symbol.asyncDispose]()
    const found = async (more: Readonly<Record<string, string>>): Promise<string[]> => {
      const { findings } = await checkConnector(
        { name: 'p', ...scene.config, ...more },
        { isNew: true, limitMs: 60_000 },
      )
      return findings
        .filter(({ code }) => code.startsWith('COLUMNS'))
        .map(({ code, severity }) => `${severity} ${code}`)
    }
    assert.deepEqual(await found({}), ['error COLUMNS_UNREADABLE'])
    assert.deepEqual(await found({ 'event.processing.failure.handling.mode': 'skip' }), ['warning COLUMNS_RAW'])
    assert.deepEqual(await found({ 'column.exclude.list': '.*[.]m' }), [])
  },
)
