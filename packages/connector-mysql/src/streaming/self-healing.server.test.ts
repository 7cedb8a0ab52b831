/**
 * A table whose definition does not follow from the binlog: its rows have the right columns, or it alone is stopped. The
 * log, a counter, the schema change topic and the schema history show what happened.
 */
import { type OffsetDocument, type SourceRecord, Struct } from '@tributary/connect-api'
import { parseDdl } from '@tributary/mysql'
import { type Database, startMariaDb, startMySql } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { HistoryTopic } from '../testing/history-topic.ts'
import { runStatements, untilTablesAreOlder } from '../testing/run-statements.ts'
import { isStreaming, type Scene, sceneOf, TaskRun, textOf } from '../testing/task-run.ts'

const TABLES = `CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT); CREATE TABLE done (id INT PRIMARY KEY)`

/** Another table in the place of `t`: its rows look different in the binlog. */
const SWAPPED = [
  'SET SESSION sql_log_bin = 0',
  'CREATE TABLE t_new (id INT PRIMARY KEY, b INT, a INT, note VARCHAR(20))',
  'RENAME TABLE t TO t_old, t_new TO t',
  'SET SESSION sql_log_bin = 1',
]

/** Statements that both servers accept and the parser does not understand. */
const UNREADABLE = [
  "ALTER TABLE t ADD COLUMN note ENUM('x', b'1111001') FIRST, DROP COLUMN a, ADD COLUMN a INT",
].filter((sql) => {
  try {
    parseDdl(sql, {
      flavor: 'mysql',
      serverVersion: 90_704,
      ansiQuotes: false,
      noBackslashEscapes: false,
      realAsFloat: false,
    })
    return false
  } catch {
    return true
  }
})

interface Seen {
  readonly rows: Readonly<Record<string, string>>[]
  /** Columns of `t` in records of the schema change topic, by their statement. */
  readonly definitions: { readonly ddl: string; readonly columns: readonly string[] }[]
}

function watch(run: TaskRun, scene: Scene): Seen {
  const seen: Seen = { rows: [], definitions: [] }
  run.onRecord = ({ topic, value }: SourceRecord) => {
    if (!(value instanceof Struct)) return
    if (topic === scene.schema) {
      for (const change of value.get('tableChanges') as readonly Struct[]) {
        const table = change.get('table')
        if (!(table instanceof Struct) || change.get('id') !== `"${scene.schema}"."t"`) continue
        const columns = (table.get('columns') as readonly Struct[]).map((column) => textOf(column.get('name')))
        seen.definitions.push({ ddl: textOf(value.get('ddl')), columns })
      }
      return
    }
    const row = value.get('after')
    const table = textOf((value.get('source') as Struct).get('table'))
    if (table !== 't' || !(row instanceof Struct)) return
    seen.rows.push(Object.fromEntries(row.schema.fields.map(({ name, index }) => [name, textOf(row.at(index))])))
  }
  return seen
}

for (const [flavor, start, settings] of [
  ['mysql', startMySql, ['MINIMAL', 'FULL']],
  ['mariadb', startMariaDb, ['NO_LOG', 'FULL']],
] as const) {
  describe(flavor, () => {
    let database: Database & AsyncDisposable
    before(async () => {
      database = await start()
    })
    after(() => database[Symbol.asyncDispose]())

    for (const metadata of settings) {
      for (const [what, statements] of [
        ['another table in its place', SWAPPED],
        ...UNREADABLE.map((sql) => [`'${sql}'`, [sql]] as const),
      ] as const) {
        test(
          `${metadata}: rows after ${what} have its columns, and all of it is visible`,
          { timeout: 60_000 },
          async () => {
            await database.query(`SET GLOBAL binlog_row_metadata = ${metadata}`)
            const scene = await sceneOf(database, TABLES)
            await using task = await TaskRun.start(scene, {})
            const seen = watch(task, scene)
            await task.until(isStreaming)
            const isUnlogged = statements === SWAPPED
            await runStatements(scene, statements)
            await untilTablesAreOlder(scene)
            await runStatements(scene, ['INSERT INTO t (id, a, b, note) VALUES (1, 10, 20, 1)'])
            // No later statement about the table: so its definition is that of the row.
            await task.untilChanges(1)
            await runStatements(scene, [
              'ALTER TABLE t DROP COLUMN note',
              'INSERT INTO t (id, a, b) VALUES (2, 10, 20)',
              'INSERT INTO done VALUES (1)',
            ])
            await task.until(({ changes }) => changes.includes('c 1'))

            assert.deepEqual(
              seen.rows.map(({ id, a, b, note = '' }) => [id, a, b, note].join()),
              [`1,10,20,${isUnlogged ? '1' : 'x'}`, '2,10,20,'],
            )
            const healed = seen.definitions.find(({ columns }) => columns.includes('note'))
            assert.deepEqual(healed?.columns.toSorted(), ['a', 'b', 'id', 'note'])
            const topic = await HistoryTopic.of(scene.config)
            assert.ok((await topic.values()).some((value) => value.includes('"name" : "note"')))
            const { counters } = task.meter.snapshot()
            assert.equal(counters['tables.stopped'], undefined)
            assert.equal(counters[isUnlogged ? 'tables.healed' : 'statements.not.understood'], 1)
            const line = isUnlogged ? `${scene.schema}.t is read by another definition` : 'The parser does not know the'
            assert.deepEqual(
              task.logger.matching(line).map(({ level }) => level),
              ['warn'],
            )
          },
        )
      }

      test(
        `${metadata}: a lagging task reads rows before and after such a statement right, or stops the table`,
        { timeout: 60_000, skip: UNREADABLE.length === 0 },
        async () => {
          await database.query(`SET GLOBAL binlog_row_metadata = ${metadata}`)
          for (const skips of [false, true]) {
            const scene = await sceneOf(database, TABLES)
            const stored = await streamingOffset(scene)
            await runStatements(scene, [
              'INSERT INTO t (id, a, b) VALUES (1, 10, 20)',
              ...UNREADABLE.slice(0, 1),
              "INSERT INTO t (id, a, b, note) VALUES (2, 10, 20, 'x')",
              'ALTER TABLE t DROP COLUMN note',
              'INSERT INTO t (id, a, b) VALUES (3, 10, 20)',
              'INSERT INTO done VALUES (1)',
            ])
            const more = { 'schema.history.internal.skip.unparseable.ddl': String(skips) }
            await using task = await TaskRun.start(scene, more, stored)
            const seen = watch(task, scene)
            await task.until(({ changes }) => changes.includes('c 1'))
            for (const row of seen.rows) assert.deepEqual([row['a'], row['b']], ['10', '20'])
            const ids = seen.rows.map(({ id }) => id)
            if (metadata === 'FULL') assert.deepEqual(ids, ['1', '2', '3'])
            else {
              assert.deepEqual(ids, ['1'])
              assert.equal(task.logger.matching('.t is stopped at').length, 1)
            }
            assert.equal(task.logger.matching('The statement is skipped for').length, skips ? 1 : 0)
          }
        },
      )
    }
  })
}

async function streamingOffset(scene: Scene): Promise<OffsetDocument> {
  await using task = await TaskRun.start(scene, {})
  await task.until(isStreaming)
  assert.ok(task.stored !== null)
  return task.stored
}
