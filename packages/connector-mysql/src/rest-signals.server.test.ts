/** Signals of the REST interface, as the task runs them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SignalResult } from '@tributary/connect-api'
import { useMySql } from '@tributary/testkit'
import { FIVE_ROWS, isComplete, of } from './testing/signal-scene.ts'
import { isStreaming, sceneOf, TaskRun } from './testing/task-run.ts'

const CONFIG = { 'snapshot.mode': 'no_data' }

/** Polls until the signal is answered; the runtime stores each offset at once. */
async function answer(run: TaskRun, id: string, type: string, data: unknown): Promise<SignalResult> {
  let result: SignalResult | null = null
  void run.signal({ id, type, data: JSON.stringify(data) }).then((each) => {
    result = each
  })
  while (result === null) {
    let polls = 0
    await run.until(() => result !== null || (polls += 1) > 1)
    await run.commit()
  }
  return result
}

test('a signal copies tables without a signal table; its id is stored, and it is not run again, also after a restart', async () => {
  const scene = await sceneOf(await useMySql(), FIVE_ROWS)
  await using run = await TaskRun.start(scene, CONFIG)
  await run.until(isStreaming)
  const data = { 'data-collections': [`${scene.schema}.t`] }
  assert.deepEqual(await answer(run, 'copy', 'execute-snapshot', data), { tag: 'accepted', isRepeated: false })
  await run.until(isComplete)
  assert.equal(of(run, 't').length, 5)
  assert.equal(run.stored?.['incremental_snapshot_signal_ids'], '["copy"]')
  assert.deepEqual(await answer(run, 'copy', 'execute-snapshot', data), { tag: 'accepted', isRepeated: true })
  await using again = await TaskRun.start(scene, CONFIG, run.stored)
  await again.until(isStreaming)
  assert.deepEqual(await answer(again, 'copy', 'execute-snapshot', data), { tag: 'accepted', isRepeated: true })
  assert.deepEqual(await answer(again, 'copy 2', 'execute-snapshot', data), { tag: 'accepted', isRepeated: false })
  await again.until(isComplete)
  assert.equal(of(again, 't').length, 5)
})

test('a signal is accepted only when an offset with its effect is stored', async () => {
  const scene = await sceneOf(await useMySql(), FIVE_ROWS)
  await using run = await TaskRun.start(scene, CONFIG)
  await run.until(isStreaming)
  let isAccepted = false
  const data = JSON.stringify({ 'data-collections': [`${scene.schema}.t`] })
  const accepted = run.signal({ id: 'one', type: 'execute-snapshot', data }).then(() => {
    isAccepted = true
  })
  await run.until(isComplete)
  assert.equal(isAccepted, false)
  await run.commit()
  await accepted
})

test('a signal that cannot be run is answered with the reason, and leaves no id', async () => {
  const scene = await sceneOf(await useMySql(), FIVE_ROWS)
  await using run = await TaskRun.start(scene, CONFIG)
  const early = await run.signal({ id: 'early', type: 'log', data: '' })
  assert.equal(early.tag, 'unavailable')
  assert.match('reason' in early ? early.reason : '', new RegExp(`GET /connectors/${scene.schema}/`))
  await run.until(isStreaming)
  const refused: readonly (readonly [string, unknown, SignalResult['tag'], RegExp])[] = [
    ['execute-snapshot', { 'data-collections': ['shop.none'] }, 'invalid', /names no captured table: shop\.none/],
    ['execute-snapshot', {}, 'invalid', /has no data-collections/],
    ['execute-snapshot', { 'data-collections': ['('] }, 'invalid', /data-collection \(/],
    ['execute-snapshot', { tables: ['a.b'] }, 'invalid', /has the unknown key "tables"/],
    ['schema-changes', { database: 'shop', changes: [] }, 'invalid', /has no database, or no changes/],
    ['set-binlog-position', {}, 'invalid', /is of a type that this version does not know/],
    ['snapshot-window-open', {}, 'invalid', /marker/],
    ['log', {}, 'invalid', /has no message/],
    ['stop-snapshot', {}, 'unavailable', /does not have such tables/],
    ['pause-snapshot', {}, 'unavailable', /no incremental snapshot/],
  ]
  for (const [type, data, tag, reason] of refused) {
    const result = await answer(run, type, type, data)
    assert.equal(result.tag, tag, type)
    assert.match('reason' in result ? result.reason : '', reason)
  }
  assert.equal(run.stored?.['incremental_snapshot_signal_ids'], undefined)
})

test('while a blocking snapshot reads, signals are stored, and no record of its rows has an older offset', async () => {
  const many = `INSERT INTO t SELECT n + 5, 'x' FROM (WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL
    SELECT n + 1 FROM r WHERE n < 900) SELECT n FROM r) AS numbers`
  const scene = await sceneOf(await useMySql(), `${FIVE_ROWS}; ${many}; CREATE TABLE u (id INT PRIMARY KEY)`)
  const { schema } = scene
  await using run = await TaskRun.start(scene, { ...CONFIG, 'max.batch.size': '20' })
  await run.until(isStreaming)
  const key = 'incremental_snapshot_signal_ids'
  const older: unknown[] = []
  run.onRecord = ({ sourceOffset }) => {
    const ids = sourceOffset.toDocument()[key]
    // A restart there would not know a signal that was answered.
    if (String(ids ?? '').length < String(run.stored?.[key] ?? '').length) older.push(ids)
  }
  const data = (table: string, type: string): object => ({ 'data-collections': [`${schema}.${table}`], type })
  const block = await answer(run, 'block', 'execute-snapshot', data('t', 'blocking'))
  assert.deepEqual(block, { tag: 'accepted', isRepeated: false })
  await run.until(() => of(run, 't').length >= 20)
  assert.deepEqual(await answer(run, 'copy', 'execute-snapshot', data('u', 'incremental')), block)
  const known = of(run, 't').length
  assert.ok(known < 905, `${known} rows were read before the signal was stored`)
  await run.until(() => of(run, 't').length === 905)
  assert.deepEqual(older, [])
  assert.equal(run.stored?.[key], '["block","copy"]')
  await run.until(isComplete)
  assert.equal(run.stored?.['blocking_snapshot_collections'], undefined)
})
