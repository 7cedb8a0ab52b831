/** Incremental snapshots of tables whose keys have special values, on both servers. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Database, useMariaDb, useMySql } from '@tributary/testkit'
import { execute, isComplete, of, settings, SIGNALS } from './testing/signal-scene.ts'
import { isStreaming, sceneOf, TaskRun } from './testing/task-run.ts'

const servers: readonly (readonly [string, () => Promise<Database>])[] = [
  ['MySQL', useMySql],
  ['MariaDB', useMariaDb],
]

interface TwinKeys {
  readonly type: string
  readonly changed: string
  readonly other: string
  readonly properties: Readonly<Record<string, string>>
}

/** Two values of a key that have one form in events. */
const TWINS: Readonly<Record<string, TwinKeys>> = {
  'decimals as double': {
    type: 'DECIMAL(20,0)',
    changed: '9007199254740992',
    other: '9007199254740993',
    properties: { 'decimal.handling.mode': 'double' },
  },
  'microseconds with connect': {
    type: 'DATETIME(6)',
    changed: "'2024-01-01 00:00:00.000001'",
    other: "'2024-01-01 00:00:00.000002'",
    properties: { 'time.precision.mode': 'connect' },
  },
  'a date that does not exist, and the epoch': {
    type: 'DATETIME',
    changed: "'0000-00-00 00:00:00'",
    other: "'1970-01-01 00:00:00'",
    properties: {},
  },
}

for (const [title, { type, changed, other, properties }] of Object.entries(TWINS)) {
  test(`a row whose key has the form of a changed one is copied: ${title}`, async () => {
    const scene = await sceneOf(
      await useMySql(),
      `SET SESSION sql_mode = ''; ${SIGNALS}; CREATE TABLE t (id ${type} PRIMARY KEY, v INT);
       INSERT INTO t VALUES (${changed}, 1), (${other}, 7)`,
    )
    const { database, schema } = scene
    // A client that has to start first would come too late.
    const writer = await database.connect()
    await writer.query("SET SESSION sql_mode = ''")
    await using run = await TaskRun.start(scene, { ...settings(scene), ...properties })
    await run.until(isStreaming)
    // The chunk is being read while the row changes.
    const filter = 'SLEEP(0.2) = 0'
    await execute(scene, ['t'], { 'additional-conditions': [{ 'data-collection': `${schema}.t`, filter }] })
    await run.until(({ logger }) => logger.matching(/^Incremental snapshot of table .* begins/).length > 0)
    await writer.query(`UPDATE ${schema}.t SET v = 2 WHERE id = ${changed}`)
    await writer.end()
    await run.until(isComplete)
    const values = of(run, 't').map(({ op, after }) => `${op} ${after?.at(1)}`)
    assert.ok(values.includes('r 7'), values.join())
    assert.ok(values.includes('u 2'), values.join())
  })
}

for (const [title, open] of servers) {
  test(`${title}: rows are ordered by all bytes of a key that has no index`, async () => {
    // Longer than max_sort_length, 1024 by default.
    const rows = ['c', 'e', 'a', 'd', 'b'].map((last) => `(CONCAT(REPEAT('p', 3000), '${last}'), '${last}')`)
    const scene = await sceneOf(
      await open(),
      `${SIGNALS}; CREATE TABLE t (s LONGTEXT NOT NULL, v VARCHAR(2)); INSERT INTO t VALUES ${rows.join()}`,
    )
    await using run = await TaskRun.start(scene, settings(scene))
    await run.until(isStreaming)
    await execute(scene, ['t'], { 'surrogate-key': 's' })
    await run.until(isComplete)
    const values = of(run, 't').map(({ after }) => after?.at(1))
    assert.deepEqual(values, ['a', 'b', 'c', 'd', 'e'])
  })
}
