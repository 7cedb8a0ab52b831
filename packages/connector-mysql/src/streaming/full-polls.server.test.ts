import { useMySql } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isStreaming, sceneOf, TaskRun } from '../testing/task-run.ts'

test('a full poll reports that more follows, so that requests grow; a single change does not, so that it is sent at once', async () => {
  const scene = await sceneOf(await useMySql(), 'CREATE TABLE t (id INT PRIMARY KEY)')
  const { database, schema } = scene
  await using run = await TaskRun.start(scene, { 'snapshot.mode': 'no_data' })
  await run.until(isStreaming)

  // One event, which is never split between polls.
  const many = Array.from({ length: 300 }, (_, id) => `(${id})`).join()
  await database.query(`INSERT INTO ${schema}.t VALUES ${many}`)
  await run.untilChanges(300)
  await database.query(`INSERT INTO ${schema}.t VALUES (300)`)
  await run.untilChanges(301)

  assert.deepEqual(run.eventsByPoll, [300, 1])
  assert.deepEqual(run.hasMoreByPoll, [true, false])
})
