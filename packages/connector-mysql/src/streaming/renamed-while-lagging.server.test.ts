/**
 * Tables that are altered and renamed while the task does not run, also into the captured tables and out of them: the
 * events are those of the rows under their names of that time, or the table stops with a reason that is true.
 */
import { casesOfTier, useMariaDb, useMySql } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isStreaming, type Scene, sceneOf, TaskRun } from '../testing/task-run.ts'

interface Story {
  readonly tables: string
  /** With a minus: without log. */
  readonly statements: readonly string[]
  /** Null: the table `t` stops. */
  readonly events: readonly string[] | null
}

const T = 'CREATE TABLE t (id INT PRIMARY KEY, a INT)'

const STORIES: Readonly<Record<string, Story>> = {
  'an ALTER and a rename': {
    tables: T,
    statements: [
      'ALTER TABLE t ADD COLUMN b INT',
      'INSERT INTO t VALUES (1, 2, 3)',
      'RENAME TABLE t TO t2',
      'INSERT INTO t2 VALUES (2, 3, 4)',
    ],
    events: ['t 1,2,3', 't2 2,3,4'],
  },
  'a swap': {
    tables: 'CREATE TABLE a (id INT PRIMARY KEY, x INT); CREATE TABLE b (y INT, id INT PRIMARY KEY)',
    statements: [
      'RENAME TABLE a TO tmp, b TO a, tmp TO b',
      'INSERT INTO a VALUES (5, 1)',
      'INSERT INTO b VALUES (2, 6)',
      'ALTER TABLE a RENAME TO c',
      'INSERT INTO c VALUES (7, 3)',
    ],
    events: ['a 5,1', 'b 2,6', 'c 7,3'],
  },
  'a rename into the captured tables and out of them': {
    tables: 'CREATE TABLE x_out (id INT PRIMARY KEY, a INT)',
    statements: [
      'ALTER TABLE x_out ADD COLUMN b INT',
      'INSERT INTO x_out VALUES (1, 2, 3)',
      'RENAME TABLE x_out TO t',
      'INSERT INTO t VALUES (2, 3, 4)',
      'ALTER TABLE t ADD COLUMN c INT FIRST',
      'INSERT INTO t VALUES (9, 3, 4, 5)',
      'RENAME TABLE t TO x_out',
      'INSERT INTO x_out VALUES (9, 4, 5, 6)',
    ],
    events: ['t 2,3,4', 't 9,3,4,5'],
  },
  'a definition that only the server knows, and renames': {
    tables: 'CREATE TABLE x_out (id INT PRIMARY KEY)',
    statements: [
      '-CREATE TABLE unseen (id INT PRIMARY KEY, a INT, b INT)',
      'CREATE TABLE t LIKE unseen',
      'INSERT INTO t VALUES (1, 2, 3)',
      'RENAME TABLE t TO t2',
      'RENAME TABLE t2 TO t3',
      'INSERT INTO t3 VALUES (2, 3, 4)',
    ],
    events: ['t 1,2,3', 't3 2,3,4'],
  },
  'a definition that only the server knows, and an ALTER with a rename': {
    tables: 'CREATE TABLE x_out (id INT PRIMARY KEY)',
    statements: [
      '-CREATE TABLE unseen (id INT PRIMARY KEY, a INT, b INT)',
      'CREATE TABLE t LIKE unseen',
      'INSERT INTO t VALUES (1, 2, 3)',
      'ALTER TABLE t ADD COLUMN c INT FIRST, RENAME TO t2',
      'INSERT INTO t2 VALUES (9, 3, 4, 5)',
    ],
    events: null,
  },
}

async function play({ database, schema }: Scene, statements: readonly string[]): Promise<void> {
  const session = await database.connect()
  await session.query(`USE ${schema}`)
  for (const written of statements) {
    await session.query(`SET SESSION sql_log_bin = ${written.startsWith('-') ? 0 : 1}`)
    await session.query(written.replace(/^-/, ''))
  }
  await session.end()
}

for (const [name, use] of casesOfTier('renamed while lagging', [
  ['MySQL', useMySql],
  ['MariaDB', useMariaDb],
] as const)) {
  for (const [what, { tables, statements, events }] of Object.entries(STORIES)) {
    test(`${name}: ${what}`, async () => {
      const scene = await sceneOf(await use(), `${tables}; CREATE TABLE done (id INT PRIMARY KEY)`)
      const more = { 'table.exclude.list': String.raw`.*\.x_out` }
      const first = await TaskRun.start(scene, more)
      await first.until(isStreaming)
      const { stored } = first
      await first[Symbol.asyncDispose]()
      await play(scene, [...statements, 'INSERT INTO done VALUES (0)'])

      await using task = await TaskRun.start(scene, more, stored)
      await task.until((run) => run.events.at(-1)?.table === 'done')

      const found = task.events.slice(0, -1).map(({ table, after }) => `${table} ${after?.join()}`)
      const stops = task.logger.matching('.t is stopped')
      if (events !== null) {
        assert.deepEqual(found, events)
        assert.equal(stops.length, 0)
        return
      }
      assert.deepEqual(
        found.filter((event) => event.startsWith('t ')),
        [],
      )
      const error = stops[0]?.fields['error']
      assert.ok(error instanceof Error)
      const text = error.message
      assert.match(
        text,
        /does not follow from the last statement about the table \(.*unseen.*changed .*t since then, by 'ALTER TABLE t ADD COLUMN c INT FIRST, RENAME TO t2'/,
      )
      assert.doesNotMatch(text, /A statement that is not in the binlog|no statement that/)
    })
  }
}
