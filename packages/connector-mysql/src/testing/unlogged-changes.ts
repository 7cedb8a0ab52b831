/** Scenes of tables that are changed without the binlog. */
import { type OffsetDocument, type SourceRecord, Struct } from '@tributary/connect-api'
import type { DatabaseServer } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { runStatements, untilTablesAreOlder } from './run-statements.ts'
import { isStreaming, type Scene, sceneOf, TaskRun, textOf } from './task-run.ts'

const TABLES = 'CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT); CREATE TABLE done (id INT PRIMARY KEY)'
export const UNLOGGED = 'SET SESSION sql_log_bin = 0'
export const SWAP: readonly string[] = [
  UNLOGGED,
  'ALTER TABLE t RENAME COLUMN a TO b, RENAME COLUMN b TO a',
  'SET SESSION sql_log_bin = 1',
]

export type Row = Readonly<Record<string, string>>

/** The rows of `t` in events, with column names, in their order. */
export function rowsOf(run: TaskRun): Row[] {
  const rows: Row[] = []
  run.onRecord = ({ topic, value }: SourceRecord) => {
    if (!(value instanceof Struct) || !topic.endsWith('.t')) return
    const row = value.get('after')
    if (!(row instanceof Struct)) return
    rows.push(Object.fromEntries(row.schema.fields.map(({ name, index }) => [name, textOf(row.at(index))])))
  }
  return rows
}

export async function rowsOfServer({ database, schema }: Scene): Promise<Row[]> {
  const rows = await database.query(`SELECT * FROM ${schema}.t ORDER BY id`)
  return rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, String(value)])))
}

/** Each event is right, and rows are missing exactly when the table is stopped. */
export async function assertRight(run: TaskRun, scene: Scene, rows: readonly Row[]): Promise<'all' | 'stopped'> {
  const expected = await rowsOfServer(scene)
  for (const row of rows)
    assert.deepEqual(
      row,
      expected.find(({ id }) => id === row['id']),
    )
  const stops = run.logger.matching('.t is stopped at')
  assert.equal(rows.length < expected.length, stops.length > 0, 'rows are missing exactly when the table is stopped')
  return stops.length > 0 ? 'stopped' : 'all'
}

export async function finish(run: TaskRun, scene: Scene): Promise<void> {
  await runStatements(scene, ['INSERT INTO done VALUES (1)'])
  await run.until(({ events }) => events.some(({ table }) => table === 'done'))
}

export async function streamingOffset(scene: Scene): Promise<OffsetDocument> {
  await using task = await TaskRun.start(scene, {})
  await task.until(isStreaming)
  assert.ok(task.stored !== null)
  return task.stored
}

export function assertUnnoticed(run: TaskRun): void {
  const noticed = run.logger.lines.filter(({ level }) => level === 'warn' || level === 'error')
  assert.deepEqual(
    noticed.map(({ message }) => message),
    [],
  )
  const { counters } = run.meter.snapshot()
  assert.deepEqual([counters['tables.stopped'], counters['tables.healed']], [undefined, undefined])
}

export async function openScene(database: DatabaseServer, metadata: string, tables: string = TABLES): Promise<Scene> {
  await database.query(`SET GLOBAL binlog_row_metadata = ${metadata}`)
  return sceneOf(database, tables)
}

/** Columns exchange their names while a busy table is streamed: the table is healed. */
export async function exchangeWhileBusy(scene: Scene): Promise<void> {
  await using task = await TaskRun.start(scene, {})
  const rows = rowsOf(task)
  await task.until(isStreaming)
  await runStatements(scene, ['INSERT INTO t (id, a, b) VALUES (1, 10, 20)'])
  await task.untilChanges(1)
  assert.deepEqual(rows, await rowsOfServer(scene))

  await runStatements(scene, SWAP)
  await untilTablesAreOlder(scene)
  // Only the rows of the new definition count: the server returns the old row under its new names, too.
  rows.length = 0
  await scene.database.query(`DELETE FROM ${scene.schema}.t`)
  let count = 1
  let isOver = false
  const writing = (async () => {
    while (!isOver) {
      count += 1
      await scene.database.query(`INSERT INTO ${scene.schema}.t (id, a, b) VALUES (${count}, 10, 20)`)
    }
    await scene.database.query(`INSERT INTO ${scene.schema}.done VALUES (1)`)
  })()
  await task.until(({ events }) => events.length > 10)
  isOver = true
  await writing
  await task.until(({ changes }) => changes.includes('c 1'))
  assert.equal(await assertRight(task, scene, rows), 'all')
  const healed = task.logger.matching('.t is read by another definition')
  assert.equal(healed.length, 1)
  assert.equal(task.meter.snapshot().counters['tables.healed'], 1)
  assert.ok(task.statements.some((sql) => sql.startsWith('CREATE TABLE `t`')))
}

/** Columns exchange their names in an idle table while the task is stopped. Returns what becomes of the rows. */
export async function exchangeWhileStopped(scene: Scene): Promise<'all' | 'stopped'> {
  const stored = await streamingOffset(scene)
  await runStatements(scene, SWAP)
  await untilTablesAreOlder(scene)
  await runStatements(scene, ['INSERT INTO t (id, a, b) VALUES (1, 10, 20)'])
  await using task = await TaskRun.start(scene, {}, stored)
  const rows = rowsOf(task)
  await finish(task, scene)
  return await assertRight(task, scene, rows)
}
