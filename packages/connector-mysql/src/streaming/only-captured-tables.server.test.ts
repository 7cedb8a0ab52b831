/**
 * `schema.history.internal.store.only.captured.tables.ddl`: tables that become captured by a rename have their right
 * definition, with a restart after every statement and without any. Judged by SELECT.
 */
import type { OffsetDocument } from '@tributary/connect-api'
import { casesOfTier, type Database, readTopic, useKafka, useMariaDb, useMySql } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isStreaming, type Scene, sceneOf, TaskRun } from '../testing/task-run.ts'

const TABLES = `CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20)); CREATE TABLE other (id INT PRIMARY KEY);
  CREATE TABLE older (n BIGINT UNSIGNED, id INT PRIMARY KEY, s VARCHAR(20) CHARACTER SET latin1);
  CREATE TABLE done (id INT PRIMARY KEY)`

/** An online change of a schema, and a table that the snapshot has not read. */
const STEPS = [
  'CREATE TABLE _t_new LIKE t',
  'ALTER TABLE _t_new ADD COLUMN w INT FIRST, MODIFY v VARCHAR(99)',
  'ALTER TABLE other ADD COLUMN x INT',
  'RENAME TABLE t TO _t_old, _t_new TO t',
  "INSERT INTO t (w, id, v) VALUES (7, 1, 'new')",
  'ALTER TABLE _t_old ADD COLUMN late INT',
  'RENAME TABLE older TO arrived',
  "INSERT INTO arrived (n, id, s) VALUES (4294967297000, 1, 'é')",
  'CREATE TABLE copied LIKE other',
  'INSERT INTO copied (id, x) VALUES (1, 2)',
]

/** The events of the steps but for the marks, each restart after a mark. */
async function eventsOf(scene: Scene, restarts: boolean): Promise<readonly string[]> {
  const { database, schema } = scene
  const captured = ['t', 'arrived', 'copied', 'done'].map((table) => `${schema}.${table}`).join()
  const more = {
    'schema.history.internal.store.only.captured.tables.ddl': 'true',
    'table.include.list': captured,
    'snapshot.mode': 'no_data',
  }
  const events: string[] = []
  let stored: OffsetDocument | null = null
  await using stack = new AsyncDisposableStack()
  const start = async (): Promise<TaskRun> => {
    const run = stack.use(await TaskRun.start(scene, more, stored))
    await run.until(isStreaming)
    return run
  }
  let run = await start()
  for (const [i, sql] of STEPS.entries()) {
    await database.query(`USE ${schema}; ${sql}; INSERT INTO done VALUES (${i})`)
    await run.until((current) => current.changes.includes(`c ${i}`))
    if (!restarts && i < STEPS.length - 1) continue
    events.push(
      ...run.events.filter(({ table }) => table !== 'done').map(({ table, after }) => [table, after].join(' ')),
    )
    stored = run.stored
    await run[Symbol.asyncDispose]()
    if (i < STEPS.length - 1) run = await start()
  }
  return events
}

for (const [server, use] of casesOfTier('only captured tables', [
  ['MySQL', (): Promise<Database> => useMySql()],
  ['MariaDB', (): Promise<Database> => useMariaDb()],
] as const)) {
  for (const restarts of [false, true]) {
    test(`${server}: renamed tables have their right definition, ${restarts ? 'with' : 'without'} restarts`, async () => {
      const scene = await sceneOf(await use(), TABLES)
      const events = await eventsOf(scene, restarts)

      const rows: string[] = []
      for (const table of ['t', 'arrived', 'copied']) {
        const found = await scene.database.query(`SELECT * FROM ${scene.schema}.${table}`)
        rows.push(...found.map((row) => [table, Object.values(row).map(String)].join(' ')))
      }
      assert.deepEqual(events, rows)

      const { bootstrapServers } = await useKafka()
      const topic = scene.config['schema.history.internal.kafka.topic'] ?? ''
      const history = await readTopic(bootstrapServers, topic)
      const texts = history.map(({ value }) => value?.toString() ?? '')
      assert.ok(texts.some((text) => text.includes('RENAME TABLE')))
      assert.deepEqual(
        texts.filter((text) => /"ddl" ?: ?"(CREATE|ALTER) TABLE `?(_t_new|_t_old|other|older)/.test(text)),
        [],
      )
    })
  }
}
