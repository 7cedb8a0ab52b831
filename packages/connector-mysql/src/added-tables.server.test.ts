/** Tables that are added to the captured ones, by a change of the lists or by a rename, on both servers. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { uniqueName, useMariaDb, useMySql } from '@tributary/testkit'
import { isStreaming, type Scene, sceneOf, TaskRun } from './testing/task-run.ts'

const TABLES = `CREATE TABLE a (id INT PRIMARY KEY); INSERT INTO a VALUES (1);
  CREATE TABLE b (id INT PRIMARY KEY); INSERT INTO b VALUES (1), (2)`

type Properties = Readonly<Record<string, string>>

function listOf({ schema }: Scene, ...tables: readonly string[]): Properties {
  return { 'table.include.list': tables.map((table) => `${schema}.${table}`).join() }
}

const isCopied = ({ logger }: TaskRun): boolean => logger.matching('The incremental snapshot is complete').length > 0

/** Operation, marker and key of each event of the table. */
function eventsOf(run: TaskRun, table: string): readonly string[] {
  return run.events
    .filter((event) => event.table === table)
    .map(({ op, marker, before, after }) => [op, marker, ...(after ?? before ?? [])].join(' '))
}

/** Runs a task until it streams, and returns it with the offset that a later one continues from. */
async function streamed(scene: Scene, properties: Properties): Promise<NonNullable<TaskRun['stored']>> {
  await using run = await TaskRun.start(scene, properties)
  await run.until(isStreaming)
  await scene.database.query(`INSERT INTO ${scene.schema}.a VALUES (9)`)
  await run.until((each) => eventsOf(each, 'a').includes('c null 9'))
  assert.ok(run.stored !== null)
  return run.stored
}

for (const [flavor, open] of [['MySQL', useMySql] as const, ['MariaDB', useMariaDb] as const]) {
  test(`${flavor}: a table that a change of the lists adds is copied once, with the changes since the offset`, async () => {
    const scene = await sceneOf(await open(), TABLES)
    const { database, schema } = scene
    const stored = await streamed(scene, listOf(scene, 'a'))
    await database.query(`INSERT INTO ${schema}.b VALUES (3); DELETE FROM ${schema}.b WHERE id = 1`)

    await using run = await TaskRun.start(scene, listOf(scene, 'a', 'b'), stored)
    await run.until(isCopied)
    await database.query(`INSERT INTO ${schema}.b VALUES (4)`)
    await run.until((each) => eventsOf(each, 'b').includes('c null 4'))
    const events = eventsOf(run, 'b')
    assert.deepEqual(events.filter((event) => event !== 'r incremental 3').toSorted(), [
      'c null 3',
      'c null 4',
      'd null 1',
      'r incremental 2',
    ])
    assert.deepEqual(eventsOf(run, 'a'), [])

    await database.query(`INSERT INTO ${schema}.b VALUES (5)`)
    await using later = await TaskRun.start(scene, listOf(scene, 'a', 'b'), run.stored)
    await later.until((each) => eventsOf(each, 'b').length > 0)
    assert.deepEqual(eventsOf(later, 'b'), ['c null 5'])
    assert.equal(later.logger.matching('Added to the captured tables').length, 0)
  })

  test(`${flavor}: a task that is killed while it copies an added table copies it after the restart`, async () => {
    const scene = await sceneOf(await open(), TABLES)
    const { database, schema } = scene
    const stored = await streamed(scene, listOf(scene, 'a'))
    await database.query(`INSERT INTO ${schema}.a VALUES (10)`)
    const lists = listOf(scene, 'a', 'b')
    await using run = await TaskRun.start(scene, lists, stored)
    // Nothing of the table was sent: the offset has what is left to do.
    await run.until((each) => each.stored?.['incremental_snapshot_collections'] !== undefined)
    await using again = await TaskRun.start(scene, lists, run.stored)
    await again.until(isCopied)
    assert.deepEqual(eventsOf(again, 'b'), ['r incremental 1', 'r incremental 2'])
  })

  test(`${flavor}: a table of a database that is added is copied, though the history has no definition of it`, async () => {
    const server = await open()
    const other = uniqueName('other')
    await server.query(`CREATE DATABASE ${other}; CREATE TABLE ${other}.idle (id INT PRIMARY KEY, name VARCHAR(9));
      INSERT INTO ${other}.idle VALUES (1, 'one'); DO SLEEP(1.1)`)
    const scene = await sceneOf(server, TABLES)
    const stored = await streamed(scene, {})
    await using run = await TaskRun.start(scene, { 'database.include.list': `${scene.schema},${other}` }, stored)
    await run.until(isCopied)
    assert.deepEqual(eventsOf(run, 'idle'), ['r incremental 1 one'])
    assert.deepEqual([...eventsOf(run, 'a'), ...eventsOf(run, 'b')], [])
    await server.query(`UPDATE ${other}.idle SET name = 'two'`)
    await run.until((each) => eventsOf(each, 'idle').length > 1)
    assert.equal(eventsOf(run, 'idle').at(-1), 'u null 1 two')
  })

  test(`${flavor}: a table that is created under a pattern is not copied: its rows are in the binlog`, async () => {
    const scene = await sceneOf(await open(), TABLES)
    const { database, schema } = scene
    const stored = await streamed(scene, listOf(scene, 'a'))
    await database.query(`CREATE TABLE ${schema}.c1 (id INT PRIMARY KEY); INSERT INTO ${schema}.c1 VALUES (1)`)
    await database.query(`CREATE TABLE ${schema}.c2 (id INT PRIMARY KEY) SELECT id FROM ${schema}.b`)
    await using run = await TaskRun.start(scene, listOf(scene, 'a', 'c.*'), stored)
    await run.until(isStreaming)
    await database.query(`CREATE TABLE ${schema}.c3 (id INT PRIMARY KEY); INSERT INTO ${schema}.c3 VALUES (1)`)
    await run.until((each) => eventsOf(each, 'c3').length > 0)
    assert.deepEqual(
      ['c1', 'c2', 'c3'].map((table) => eventsOf(run, table)),
      [['c null 1'], ['c null 1', 'c null 2'], ['c null 1']],
    )
    assert.equal(run.logger.matching('Added to the captured tables').length, 0)
  })

  test(`${flavor}: with renamed, a table that is renamed to a captured name is copied; with auto it is not`, async () => {
    for (const mode of ['renamed', 'auto']) {
      const scene = await sceneOf(await open(), TABLES)
      const { database, schema } = scene
      const properties = { ...listOf(scene, 'a', 'c'), 'snapshot.new.tables': mode }
      await using run = await TaskRun.start(scene, properties, await streamed(scene, properties))
      await run.until(isStreaming)
      await database.query(`RENAME TABLE ${schema}.b TO ${schema}.c`)
      if (mode === 'renamed') await run.until(isCopied)
      await database.query(`INSERT INTO ${schema}.c VALUES (3)`)
      await run.until((each) => eventsOf(each, 'c').includes('c null 3'))
      const copied = mode === 'renamed' ? ['r incremental 1', 'r incremental 2'] : []
      assert.deepEqual(eventsOf(run, 'c'), [...copied, 'c null 3'])
      const rows = mode === 'renamed' ? 'its existing rows are copied' : 'its existing rows are not'
      assert.equal(run.logger.matching(rows).length, 1)
    }
  })
}

test('each offset after the rename has what is to be copied', async () => {
  const scene = await sceneOf(await useMySql(), TABLES)
  const { database, schema } = scene
  const properties = { ...listOf(scene, 'a', 'c'), 'snapshot.new.tables': 'renamed' }
  const stored = await streamed(scene, properties)
  await database.query(`RENAME TABLE ${schema}.b TO ${schema}.c; INSERT INTO ${schema}.a VALUES (10)`)
  await using run = await TaskRun.start(scene, properties, stored)
  const missing: string[] = []
  run.onRecord = ({ topic, sourceOffset }) => {
    const offset = sourceOffset.toDocument()
    if (topic !== `${schema}.${schema}.c` && offset['incremental_snapshot_collections'] === undefined)
      missing.push(topic)
  }
  await run.until((each) => eventsOf(each, 'a').length > 0 && isCopied(each))
  assert.deepEqual(missing, [])
})

test('a table is not copied with off, with a mode that reads no rows, or with a statement of its own', async () => {
  for (const more of [
    { 'snapshot.new.tables': 'off' },
    { 'snapshot.mode': 'no_data' },
    { 'snapshot.include.collection.list': 'nothing' },
    'override',
  ]) {
    const scene = await sceneOf(await useMySql(), TABLES)
    const { schema } = scene
    const override = { [`snapshot.select.statement.overrides.${schema}.b`]: `SELECT * FROM ${schema}.b WHERE id > 1` }
    const properties =
      typeof more === 'string' ? { 'snapshot.select.statement.overrides': `${schema}.b`, ...override } : more
    const stored = await streamed(scene, { ...listOf(scene, 'a'), ...properties })
    await scene.database.query(`INSERT INTO ${schema}.b VALUES (3)`)
    await using run = await TaskRun.start(scene, { ...listOf(scene, 'a', 'b'), ...properties }, stored)
    await run.until((each) => eventsOf(each, 'b').length > 0)
    assert.equal(run.stored?.['incremental_snapshot_collections'], undefined)
    assert.deepEqual(eventsOf(run, 'b'), ['c null 3'])
    assert.equal(
      run.logger.matching('snapshot.select.statement.overrides has a statement for them').length,
      more === 'override' ? 1 : 0,
    )
  }
})

test('a table that a change of the lists removes yields nothing more, though it is being copied', async () => {
  const scene = await sceneOf(await useMySql(), TABLES)
  const { database, schema } = scene
  const stored = await streamed(scene, listOf(scene, 'a'))
  await using adding = await TaskRun.start(scene, listOf(scene, 'a', 'b'), stored)
  await adding.until((each) => each.stored?.['incremental_snapshot_collections'] !== undefined)
  await database.query(`INSERT INTO ${schema}.b VALUES (3); INSERT INTO ${schema}.a VALUES (10)`)
  await using run = await TaskRun.start(scene, listOf(scene, 'a'), adding.stored)
  await run.until((each) => eventsOf(each, 'a').length > 0 && isCopied(each))
  assert.deepEqual(eventsOf(run, 'b'), [])
})

test('an offset without lists copies nothing, and the log has the reason', async () => {
  const scene = await sceneOf(await useMySql(), TABLES)
  const { captured_lists: lists, ...stored } = await streamed(scene, listOf(scene, 'a'))
  assert.match(String(lists), /"table.include.list":".*\.a"/)
  await scene.database.query(`INSERT INTO ${scene.schema}.b VALUES (3)`)
  await using run = await TaskRun.start(scene, listOf(scene, 'a', 'b'), stored)
  await run.until((each) => eventsOf(each, 'b').length > 0)
  assert.deepEqual(eventsOf(run, 'b'), ['c null 3'])
  assert.equal(run.logger.matching('does not have the include and exclude lists').length, 1)
})
