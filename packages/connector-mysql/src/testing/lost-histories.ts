/**
 * A schema history that is lost, truncated, of another connector or damaged: each event has the values that the server
 * itself returned for the row, or the table is stopped and the others continue. On both servers, with names in the binlog
 * and without.
 */
import { type OffsetDocument, type SourceRecord, Struct } from '@tributary/connect-api'
import type { Database } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { HistoryTopic } from './history-topic.ts'
import { runStatements, untilTablesAreOlder } from './run-statements.ts'
import { isStreaming, type Scene, sceneOf, TaskRun, textOf } from './task-run.ts'

const TABLES = `CREATE TABLE same (id INT PRIMARY KEY, a INT, b INT); CREATE TABLE before_rows (id INT PRIMARY KEY, a INT, b INT);
  CREATE TABLE after_rows (id INT PRIMARY KEY, a INT, b INT); CREATE TABLE done (id INT PRIMARY KEY)`

const swap = (table: string): string => `ALTER TABLE ${table} RENAME COLUMN a TO b, RENAME COLUMN b TO a`

/** While the task is stopped, and its history is lost. In `before_rows` a and b are exchanged before the first row. */
const STATEMENTS = [
  'INSERT INTO same (id, a, b) VALUES (1, 10, 20)',
  swap('before_rows'),
  'INSERT INTO before_rows (id, a, b) VALUES (1, 10, 20)',
  'INSERT INTO after_rows (id, a, b) VALUES (1, 10, 20)',
  swap('after_rows'),
  'INSERT INTO after_rows (id, a, b) VALUES (2, 10, 20)',
  'CREATE TABLE created (id INT PRIMARY KEY, a INT, b INT)',
  'INSERT INTO created (id, a, b) VALUES (1, 10, 20)',
  swap('created'),
  'INSERT INTO created (id, a, b) VALUES (2, 10, 20)',
  'INSERT INTO done VALUES (1)',
]
/** Each row as the server returns it: a is 10 and b is 20 in all of them, whatever the order of the columns. */
const ROW = { a: '10', b: '20' }

type Row = Readonly<Record<string, string>>

/** The rows of a task by table, with column names. */
function rowsByTable(run: TaskRun): Map<string, Row[]> {
  const found = new Map<string, Row[]>()
  run.onRecord = ({ value }: SourceRecord) => {
    if (!(value instanceof Struct) || !value.schema.fields.some(({ name }) => name === 'after')) return
    const row = value.get('after')
    if (!(row instanceof Struct)) return
    const table = textOf((value.get('source') as Struct).get('table'))
    const named = Object.fromEntries(row.schema.fields.map(({ name, index }) => [name, textOf(row.at(index))]))
    found.set(table, [...(found.get(table) ?? []), named])
  }
  return found
}

async function streamingOffset(scene: Scene, more: Readonly<Record<string, string>> = {}): Promise<OffsetDocument> {
  await using task = await TaskRun.start(scene, more)
  await task.until(isStreaming)
  assert.ok(task.stored !== null)
  return task.stored
}

/** Runs a task until it has seen the row of `done`, and returns the rows by table. */
async function untilDone(
  scene: Scene,
  stored: OffsetDocument | null,
  more: Readonly<Record<string, string>> = {},
): Promise<{ readonly rows: Map<string, Row[]>; readonly task: TaskRun }> {
  const task = await TaskRun.start(scene, more, stored)
  const rows = rowsByTable(task)
  await task.until(() => rows.has('done'))
  await task[Symbol.asyncDispose]()
  return { rows, task }
}

/** No value is under a wrong name, and a table without all of its rows is stopped. */
function verify({ rows, task }: { readonly rows: Map<string, Row[]>; readonly task: TaskRun }, ids: Ids): void {
  for (const [table, expected] of Object.entries(ids)) {
    const found = rows.get(table) ?? []
    for (const row of found) assert.deepEqual({ a: row['a'], b: row['b'] }, ROW, `${table} ${row['id']}`)
    const missing = expected.filter((id) => !found.some((row) => row['id'] === String(id)))
    const isStopped = task.logger.matching(`.${table} is stopped at`).length > 0
    assert.equal(
      isStopped,
      missing.length > 0,
      `${table}: rows ${missing.join()} are missing exactly when it is stopped`,
    )
  }
}

type Ids = Readonly<Record<string, readonly number[]>>
const ALL: Ids = { same: [1], before_rows: [1], after_rows: [1, 2], created: [1, 2] }

/** What happened to the topic, from the values that it had. */
type Loss = (topic: HistoryTopic, scene: Scene) => Promise<void>

export type LossName =
  | 'deleted'
  | 'emptied by retention'
  | 'of another connector'
  | 'without its first half'
  | 'with damaged records'

const LOSSES: Readonly<Record<LossName, { readonly lose: Loss; readonly reason: RegExp }>> = {
  deleted: { lose: (topic) => topic.delete(), reason: /does not exist/ },
  'emptied by retention': { lose: (topic) => topic.truncate(-1), reason: /is empty/ },
  'of another connector': {
    lose: async (topic, { schema }) => {
      const values = await topic.values()
      await topic.replace(values.map((value) => value.replaceAll(schema, 'other_connector')))
    },
    reason: /has no record of this connector/,
  },
  'without its first half': {
    lose: async (topic) => {
      const values = await topic.values()
      await topic.truncate(values.findIndex((value) => value.includes('CREATE TABLE `before_rows`')) + 1)
    },
    reason: /lacks its records before offset \d+/,
  },
  'with damaged records': {
    lose: async (topic) => {
      const values = await topic.values()
      await topic.replace([...values, '{"source" : {"server" :', ''])
    },
    reason: /has records that cannot be read: at offset \d+ and 1 others/,
  },
}

/** By value of `binlog_row_metadata`, what happens to the topic. */
export type LostHistories = Readonly<Record<string, readonly LossName[]>>

export function testLostHistories(
  flavor: string,
  start: () => Promise<Database & AsyncDisposable>,
  lost: LostHistories,
): void {
  describe(flavor, () => {
    let database: Database & AsyncDisposable
    before(async () => {
      database = await start()
    })
    after(() => database[Symbol.asyncDispose]())

    for (const [metadata, losses] of Object.entries(lost)) {
      for (const what of losses) {
        const { lose, reason } = LOSSES[what]
        test(`${metadata}: a history ${what} is rebuilt`, { timeout: 120_000 }, async () => {
          await database.query(`SET GLOBAL binlog_row_metadata = ${metadata}`)
          const scene = await sceneOf(database, TABLES)
          await untilTablesAreOlder(scene)
          const stored = await streamingOffset(scene)
          const topic = await HistoryTopic.of(scene.config)
          await runStatements(scene, STATEMENTS)
          await lose(topic, scene)

          const first = await untilDone(scene, stored)
          verify(first, ALL)
          assert.deepEqual([...first.rows.keys()].filter((table) => table !== 'after_rows').toSorted(), [
            'before_rows',
            'created',
            'done',
            'same',
          ])
          const [line] = first.task.logger.matching('it is rebuilt as of the stored offset')
          assert.match(line?.message ?? '', reason)
          assert.equal(line?.level, 'warn')
          const isStopped = first.task.logger.matching('.after_rows is stopped at').length > 0
          assert.equal(isStopped, metadata !== 'FULL', 'without names, rows before a statement cannot be read')

          // The history is complete again, for a reader without checkpoints, too.
          const again = await untilDone(scene, stored)
          assert.equal(again.task.logger.matching('does not exist').length, 0)
          verify(again, ALL)
          await runStatements(scene, ['INSERT INTO same (id, a, b) VALUES (2, 10, 20)', 'INSERT INTO done VALUES (2)'])
          const later = await untilDone(scene, first.task.stored)
          verify(later, { same: [2] })
          assert.deepEqual(later.task.logger.matching('is read by another definition'), [])
        })
      }
    }
  })
}
