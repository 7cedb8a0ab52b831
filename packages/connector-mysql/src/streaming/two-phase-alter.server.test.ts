/** MariaDB logs an ALTER twice with binlog_alter_two_phase: before it runs, and after it was committed or rolled back. */
import { type SourceRecord, Struct } from '@tributary/connect-api'
import { useMariaDb } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isStreaming, sceneOf, TaskRun, textOf } from '../testing/task-run.ts'

/** The row of a record by the names of its columns. */
function rowOf({ value }: SourceRecord): Readonly<Record<string, string>> | null {
  if (!(value instanceof Struct) || !value.schema.fields.some(({ name }) => name === 'after')) return null
  const row = value.get('after')
  if (!(row instanceof Struct)) return null
  return Object.fromEntries(row.schema.fields.map(({ name, index }) => [name, textOf(row.at(index))]))
}

const TWO_PHASES = 'SET SESSION binlog_alter_two_phase = ON'

test('an ALTER in two phases is applied once, and is one schema change', async () => {
  const scene = await sceneOf(await useMariaDb(), 'CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT)')
  const { database, schema } = scene
  await using run = await TaskRun.start(scene, { 'snapshot.mode': 'no_data' })
  await run.until(isStreaming)
  const rows: ReturnType<typeof rowOf>[] = []
  run.onRecord = (record) => rows.push(rowOf(record))
  const swap = 'ALTER TABLE t RENAME COLUMN a TO b, RENAME COLUMN b TO a'

  await database.query(`USE ${schema}; ${TWO_PHASES}; ${swap}; INSERT INTO t (id, a, b) VALUES (1, 10, 20)`)
  await run.untilChanges(1)

  assert.deepEqual(rows.at(-1), { id: '1', a: '10', b: '20' })
  assert.equal(run.statements.filter((sql) => sql === swap).length, 1)
})

test('an ALTER that fails after its first phase changes nothing', async () => {
  const scene = await sceneOf(await useMariaDb(), 'CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT)')
  const { database, schema } = scene
  await using run = await TaskRun.start(scene, { 'snapshot.mode': 'no_data' })
  await run.until(isStreaming)
  const rows: ReturnType<typeof rowOf>[] = []
  run.onRecord = (record) => rows.push(rowOf(record))
  await database.query(`INSERT INTO ${schema}.t (id, a, b) VALUES (1, 10, 20), (2, 10, 20)`)
  const failing = 'ALTER TABLE t DROP COLUMN a, ADD COLUMN a INT, ADD UNIQUE KEY (b), ALGORITHM = COPY'

  await assert.rejects(database.query(`USE ${schema}; ${TWO_PHASES}; ${failing}`), { errno: 1062 })
  await database.query(`INSERT INTO ${schema}.t (id, a, b) VALUES (3, 10, 20)`)
  await run.untilChanges(3)

  assert.deepEqual(rows.at(-1), { id: '3', a: '10', b: '20' })
  assert.equal(run.statements.filter((sql) => sql === failing).length, 0)
})
