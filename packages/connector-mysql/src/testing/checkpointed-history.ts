/** A start from a checkpoint of the schema history leads to the same definitions as one that reads all of it. */
import type { OffsetDocument } from '@tributary/connect-api'
import type { Database } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HistoryTopic } from './history-topic.ts'
import { runStatements } from './run-statements.ts'
import { isStreaming, type Scene, sceneOf, TaskRun } from './task-run.ts'

export const TABLES = `CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT, UNIQUE KEY u (a, b)); CREATE TABLE dropped (id INT PRIMARY KEY);
  CREATE TABLE filler (id INT PRIMARY KEY); CREATE TABLE done (id INT PRIMARY KEY)`
/** As many records as make a checkpoint due, which cost the server little. */
export const FILLING: readonly string[] = Array.from({ length: 500 }, () => 'DROP TABLE IF EXISTS missing')
const SWAP = 'ALTER TABLE t RENAME COLUMN a TO b, RENAME COLUMN b TO a'
const WRITTEN = 'A checkpoint of the schema history up to offset'

/** Returns the shared server. */
type Use = () => Promise<Database>

interface Checkpointed {
  readonly scene: Scene
  readonly topic: HistoryTopic
  /** Before the checkpoint. */
  readonly first: OffsetDocument
  /** After it, and after an `ALTER` that exchanges two columns of `t`. */
  readonly stored: OffsetDocument
}

/** A connector that has written a checkpoint and stopped a few statements later. */
async function checkpointed(use: Use): Promise<Checkpointed> {
  const database = await use()
  const scene = await sceneOf(database, TABLES)
  await using task = await TaskRun.start(scene, {})
  await task.until(isStreaming)
  const first = task.stored
  await runStatements(scene, FILLING)
  await task.until(({ logger }) => logger.matching(WRITTEN).length > 0)
  await runStatements(scene, [SWAP, 'DROP TABLE dropped', 'INSERT INTO done VALUES (1)'])
  await task.until(({ changes }) => changes.includes('c 1'))
  assert.ok(first !== null && task.stored !== null)
  const topic = await HistoryTopic.of(scene.config)
  return { scene, topic, first, stored: task.stored }
}

/** The rows of `t` and `done` that a task yields from that offset up to the row of `done`. */
async function rowsFrom(
  scene: Scene,
  stored: OffsetDocument,
  done: number,
): Promise<{ readonly rows: readonly string[]; readonly task: TaskRun }> {
  await using task = await TaskRun.start(scene, {}, stored)
  await task.until(({ changes }) => changes.includes(`c ${done}`))
  assert.deepEqual(task.logger.matching('is read by another definition'), [])
  assert.deepEqual(task.logger.matching('is stopped at'), [])
  return { rows: task.events.filter(({ table }) => table === 't').map(({ after }) => after?.join(' ') ?? ''), task }
}

function recovered({ logger }: TaskRun): number {
  const [line] = logger.matching('Finished database schema history recovery')
  return Number(/of (\d+) change/.exec(line?.message ?? '')?.[1])
}

/** Exchanges the columns before and after a row: the same values in other places. */
const CHANGES = [
  'INSERT INTO t (id, a, b) VALUES (1, 10, 20)',
  SWAP,
  'INSERT INTO t (id, a, b) VALUES (2, 10, 20)',
  'ALTER TABLE t DROP PRIMARY KEY',
  'DELETE FROM t WHERE id = 2',
]
/** In the order of the columns: id, b, a; then id, a, b. */
const ROWS = ['1 20 10', '2 10 20', '']

export function testStart(name: string, use: Use): void {
  test(`${name}: a start reads the checkpoint and the records that follow it`, { timeout: 120_000 }, async () => {
    const { scene, topic, first, stored } = await checkpointed(use)
    await runStatements(scene, [...CHANGES, 'INSERT INTO done VALUES (2)'])
    const fast = await rowsFrom(scene, stored, 2)
    assert.equal(fast.task.logger.matching('The schema history begins with its checkpoint up to').length, 1)
    assert.deepEqual([fast.rows, recovered(fast.task)], [ROWS, 2])

    // An offset before the checkpoint: the whole history is read.
    const early = await rowsFrom(scene, first, 2)
    assert.equal(early.task.logger.matching('is ignored: its position is after the stored offset').length, 1)
    assert.deepEqual(early.rows, ROWS)

    // What the task with the early offset appended again makes the checkpoint unusable.
    const again = await rowsFrom(scene, stored, 2)
    assert.equal(again.task.logger.matching('the history was continued from an earlier position').length, 1)
    assert.deepEqual(again.rows, ROWS)
    assert.ok(recovered(again.task) > 500)

    await topic.delete(`${topic.topic}-checkpoint`)
    const slow = await rowsFrom(scene, stored, 2)
    assert.deepEqual(slow.rows, ROWS)
    assert.ok(recovered(slow.task) > 500)
  })
}

export function testLoss(name: string, use: Use): void {
  test(
    `${name}: a lost history is rebuilt from the checkpoint and the statements of the binlog after it`,
    { timeout: 120_000 },
    async () => {
      const { scene, topic, stored } = await checkpointed(use)
      await runStatements(scene, [...CHANGES, 'INSERT INTO done VALUES (2)'])
      await topic.delete()
      const rebuilt = await rowsFrom(scene, stored, 2)
      const [line] = rebuilt.task.logger.matching('is rebuilt from its checkpoint up to')
      assert.match(line?.message ?? '', /and 2 statement\(s\) of the binlog: 3 tables$/)
      assert.deepEqual(rebuilt.rows, ROWS)

      // The rebuilt history by itself leads to the same definitions and keys.
      await topic.delete(`${topic.topic}-checkpoint`)
      const slow = await rowsFrom(scene, stored, 2)
      assert.deepEqual(slow.rows, ROWS)
      const values = await topic.values()
      assert.ok(values.some((value) => /CREATE TABLE `t` \(`id` INT(\(11\))? NOT NULL/.test(value)))
    },
  )
}

export function testOtherHistory(name: string, use: Use): void {
  test(`${name}: a checkpoint of another history is not used`, { timeout: 120_000 }, async () => {
    const { scene, topic, stored } = await checkpointed(use)
    const values = await topic.values()
    // A copy with one record more: the offsets of all records are others.
    await topic.replace([values[0] ?? '', ...values])
    await runStatements(scene, [...CHANGES, 'INSERT INTO done VALUES (2)'])
    const slow = await rowsFrom(scene, stored, 2)
    assert.ok(slow.task.logger.matching('does not fit the schema history: the record before offset').length > 0)
    assert.deepEqual(slow.rows, ROWS)
    assert.ok(recovered(slow.task) > 500)
  })
}
