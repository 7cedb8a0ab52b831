/**
 * Rows that were written under another definition than the one that the server has when the connector reads them: each
 * event has the values that the server itself returned for the row, or the table is stopped.
 */
import { type OffsetDocument, type SourceRecord, Struct } from '@tributary/connect-api'
import { casesOfTier, type Database, eventually, startMariaDb, startMySql } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { runScript } from '../testing/run-statements.ts'
import { isStreaming, type Scene, sceneOf, TaskRun, textOf } from '../testing/task-run.ts'

const TABLES = 'CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT); CREATE TABLE done (id INT PRIMARY KEY)'

type Row = Readonly<Record<string, string>>

/** Statements on a table `t` while the connector lags. `-` before a statement: it is not in the binlog. */
interface Story {
  readonly name: string
  /** Columns at the start; null: the table does not exist. */
  readonly columns: string | null
  readonly statements: readonly string[]
  /** Ids whose rows must be captured also when the maps have no names; others may be missing. */
  readonly known: readonly number[]
  readonly flavor?: 'mysql' | 'mariadb'
  /** The log has no trace of the change: types and lengths stay the same. */
  readonly isInvisibleWith?: 'NO_LOG'
}

const STORIES: readonly Story[] = [
  {
    name: 'added_then_swapped',
    columns: 'id INT PRIMARY KEY, a INT, b INT',
    statements: [
      '-ALTER TABLE t ADD COLUMN h INT',
      'INSERT INTO t VALUES (2, 10, 20, 30)',
      'ALTER TABLE t RENAME COLUMN a TO b, RENAME COLUMN b TO a',
      'INSERT INTO t VALUES (3, 20, 10, 30)',
    ],
    known: [],
  },
  {
    name: 'created_then_replaced_column',
    columns: null,
    statements: [
      '-CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT)',
      'INSERT INTO t VALUES (1, 10, 20)',
      'ALTER TABLE t DROP COLUMN a, ADD COLUMN a INT',
      'INSERT INTO t VALUES (2, 30, 40)',
    ],
    known: [],
  },
  {
    name: 'added_twice_then_swapped',
    flavor: 'mariadb',
    columns: 'id INT PRIMARY KEY, a INT, b INT',
    statements: [
      'ALTER TABLE t ADD COLUMN IF NOT EXISTS x INT, ADD COLUMN IF NOT EXISTS x INT',
      'INSERT INTO t VALUES (1, 10, 20, 30)',
      'ALTER TABLE t RENAME COLUMN a TO b, RENAME COLUMN b TO a',
      'INSERT INTO t VALUES (2, 20, 10, 30)',
    ],
    known: [1, 2],
  },
  {
    name: 'added_then_renamed_table',
    columns: 'id INT PRIMARY KEY, a INT, b INT',
    statements: [
      '-ALTER TABLE t ADD COLUMN h INT',
      'INSERT INTO t VALUES (2, 10, 20, 30)',
      'RENAME TABLE t TO t_x',
      'CREATE TABLE t (id INT PRIMARY KEY, b INT, a INT, h INT)',
      'INSERT INTO t VALUES (3, 20, 10, 30)',
    ],
    known: [3],
  },
  {
    name: 'added_then_created_anew',
    columns: 'id INT PRIMARY KEY, a INT, b INT',
    statements: [
      '-ALTER TABLE t ADD COLUMN h INT',
      'INSERT INTO t VALUES (2, 10, 20, 30)',
      'DROP TABLE t',
      'CREATE TABLE t (h INT, id INT PRIMARY KEY, b INT, a INT)',
      'INSERT INTO t VALUES (30, 3, 20, 10)',
    ],
    known: [3],
  },
  {
    name: 'added_then_reordered',
    columns: 'id INT PRIMARY KEY, a INT, b INT',
    statements: [
      '-ALTER TABLE t ADD COLUMN h INT',
      'INSERT INTO t VALUES (2, 10, 20, 30)',
      'ALTER TABLE t MODIFY h INT FIRST',
      'INSERT INTO t VALUES (30, 3, 20, 10)',
    ],
    known: [],
  },
  {
    name: 'swapped_without_log_twice',
    columns: 'id INT PRIMARY KEY, a INT, b INT',
    statements: [
      '-ALTER TABLE t ADD COLUMN h INT',
      'INSERT INTO t VALUES (2, 10, 20, 30)',
      '-ALTER TABLE t RENAME COLUMN a TO b, RENAME COLUMN b TO a',
      'INSERT INTO t VALUES (3, 20, 10, 30)',
    ],
    known: [],
  },
  {
    // Only the place of the column that is NOT NULL differs.
    name: 'reordered_without_log',
    columns: 'id INT PRIMARY KEY, a INT, b INT',
    statements: [
      '-ALTER TABLE t MODIFY a INT FIRST',
      'INSERT INTO t VALUES (10, 2, 20)',
      'INSERT INTO t VALUES (20, 3, 10)',
    ],
    known: [],
  },
  {
    name: 'swapped_without_log',
    columns: 'id INT PRIMARY KEY, a INT, b INT',
    statements: [
      'INSERT INTO t VALUES (2, 10, 20)',
      '-ALTER TABLE t RENAME COLUMN a TO b, RENAME COLUMN b TO a',
      'INSERT INTO t VALUES (3, 20, 10)',
    ],
    known: [],
  },
  {
    name: 'swapped_without_log_then_altered',
    columns: 'id INT PRIMARY KEY, a INT, b INT',
    statements: [
      '-ALTER TABLE t RENAME COLUMN a TO b, RENAME COLUMN b TO a',
      'INSERT INTO t VALUES (3, 20, 10)',
      'ALTER TABLE t ADD COLUMN h INT',
      'INSERT INTO t VALUES (4, 20, 10, 30)',
    ],
    known: [],
  },
  {
    name: 'swapped_and_added_without_log',
    columns: 'id INT PRIMARY KEY, a INT, b INT',
    statements: [
      '-ALTER TABLE t RENAME COLUMN a TO b, RENAME COLUMN b TO a',
      'INSERT INTO t VALUES (3, 20, 10)',
      '-ALTER TABLE t ADD COLUMN h INT',
      'INSERT INTO t VALUES (4, 20, 10, 30)',
    ],
    known: [],
  },
  {
    name: 'swapped_tables_without_log',
    columns: 'id INT PRIMARY KEY, a INT, b INT',
    statements: [
      '-CREATE TABLE t_new (id INT PRIMARY KEY, b INT, a INT)',
      // The table gets a new number.
      '-CREATE TRIGGER trigger_of_t BEFORE DELETE ON t FOR EACH ROW SET @x = 1',
      'INSERT INTO t VALUES (2, 10, 20)',
      '-RENAME TABLE t TO t_old, t_new TO t',
      'INSERT INTO t VALUES (3, 20, 10)',
    ],
    known: [],
  },
  {
    name: 'members_exchanged_without_log',
    columns: "id INT PRIMARY KEY, a ENUM('x', 'y'), b INT",
    statements: [
      "INSERT INTO t VALUES (1, 'y', 1)",
      "-ALTER TABLE t MODIFY a ENUM('y', 'x')",
      "INSERT INTO t VALUES (2, 'y', 1)",
    ],
    known: [],
  },
  {
    name: 'members_added_without_log',
    columns: "id INT PRIMARY KEY, a ENUM('x', 'y'), b SET('x', 'y')",
    statements: [
      "INSERT INTO t VALUES (1, 'y', 'x,y')",
      "-ALTER TABLE t MODIFY a ENUM('x', 'y', 'z'), MODIFY b SET('x', 'y', 'z')",
      "INSERT INTO t VALUES (2, 'z', 'x,z')",
    ],
    known: [1, 2],
  },
  {
    name: 'key_dropped_then_members_added',
    columns: "id INT PRIMARY KEY, a INT, e ENUM('x', 'y'), KEY k (a)",
    statements: [
      "INSERT INTO t VALUES (1, 5, 'y')",
      'ALTER TABLE t DROP KEY k',
      "INSERT INTO t VALUES (2, 6, 'x')",
      "ALTER TABLE t MODIFY e ENUM('x', 'y', 'z')",
      "INSERT INTO t VALUES (3, 7, 'z')",
    ],
    known: [1, 2, 3],
  },
  {
    name: 'members_added_without_log_then_key_dropped',
    columns: "id INT PRIMARY KEY, a INT, e ENUM('x', 'y'), KEY k (a)",
    statements: [
      "-ALTER TABLE t MODIFY e ENUM('x', 'y', 'z')",
      "INSERT INTO t VALUES (1, 5, 'z')",
      'ALTER TABLE t DROP KEY k',
      "INSERT INTO t VALUES (2, 6, 'y')",
      'ALTER TABLE t ADD COLUMN h INT FIRST',
      "INSERT INTO t VALUES (30, 3, 7, 'z')",
    ],
    known: [1, 2, 3],
  },
  {
    name: 'renamed_then_added_without_log',
    columns: 'id INT PRIMARY KEY, a INT, b INT',
    statements: [
      '-ALTER TABLE t RENAME COLUMN a TO c',
      'INSERT INTO t VALUES (2, 10, 20)',
      '-ALTER TABLE t ADD COLUMN h INT',
    ],
    known: [],
  },
  {
    name: 'sign_then_added_without_log',
    columns: 'id INT PRIMARY KEY, a INT, b INT',
    statements: [
      '-ALTER TABLE t MODIFY a INT UNSIGNED',
      'INSERT INTO t VALUES (2, 4000000000, 20)',
      '-ALTER TABLE t ADD COLUMN h INT',
    ],
    known: [],
  },
  {
    name: 'key_changed_without_log',
    columns: 'id INT PRIMARY KEY, a INT NOT NULL, b INT',
    statements: [
      'INSERT INTO t VALUES (1, 5, 20)',
      '-ALTER TABLE t DROP PRIMARY KEY, ADD PRIMARY KEY (a)',
      'INSERT INTO t VALUES (2, 10, 20)',
    ],
    known: [],
  },
  {
    name: 'flushed_then_altered_often',
    columns: 'id INT PRIMARY KEY, a INT, b INT',
    statements: [
      'INSERT INTO t VALUES (1, 10, 20)',
      'FLUSH TABLES',
      'INSERT INTO t VALUES (2, 10, 20)',
      'ALTER TABLE t RENAME COLUMN a TO b, RENAME COLUMN b TO a',
      'INSERT INTO t VALUES (3, 20, 10)',
      'FLUSH TABLES',
      "ALTER TABLE t ADD COLUMN e ENUM('x', 'y') FIRST, CHANGE COLUMN b c BIGINT",
      "INSERT INTO t VALUES ('y', 4, 20, 10)",
      'RENAME TABLE t TO t_x',
      'RENAME TABLE t_x TO t',
      'FLUSH TABLES',
      "INSERT INTO t VALUES ('y', 5, 20, 10)",
      'CREATE TABLE t_copy LIKE t',
      'ALTER TABLE t MODIFY c INT, DROP COLUMN e',
      'INSERT INTO t VALUES (6, 20, 10)',
    ],
    known: [1, 2, 3, 4, 5, 6],
  },
  {
    name: 'flushed_then_dropped',
    columns: 'id INT PRIMARY KEY, a INT, b INT',
    statements: ['FLUSH TABLES', 'INSERT INTO t VALUES (2, 10, 20)', 'DROP TABLE t'],
    known: [2],
  },
  {
    name: 'added_without_log_later',
    columns: 'id INT PRIMARY KEY, a INT, b INT',
    statements: ['FLUSH TABLES', 'INSERT INTO t VALUES (2, 10, 20)', '-ALTER TABLE t ADD COLUMN h INT FIRST'],
    known: [2],
  },
  {
    name: 'sign_and_width',
    columns: 'id INT PRIMARY KEY, a INT, b INT',
    statements: [
      '-ALTER TABLE t MODIFY a INT UNSIGNED, MODIFY b BIGINT',
      'INSERT INTO t VALUES (2, 4000000000, 20)',
      'ALTER TABLE t MODIFY a BIGINT, MODIFY b INT UNSIGNED',
      'INSERT INTO t VALUES (3, -5, 4000000000)',
    ],
    known: [],
  },
  {
    name: 'charset',
    columns: 'id INT PRIMARY KEY, a VARCHAR(20) CHARACTER SET utf8mb4, b INT',
    statements: [
      '-ALTER TABLE t MODIFY a VARCHAR(80) CHARACTER SET latin1',
      "INSERT INTO t VALUES (2, 'é', 1)",
      'ALTER TABLE t MODIFY a VARCHAR(20) CHARACTER SET utf8mb4',
      "INSERT INTO t VALUES (3, 'é', 1)",
    ],
    known: [],
    isInvisibleWith: 'NO_LOG',
  },
  {
    name: 'members',
    columns: "id INT PRIMARY KEY, a ENUM('x', 'y'), b INT",
    statements: [
      "-ALTER TABLE t MODIFY a ENUM('y', 'x'), ADD COLUMN h INT",
      "INSERT INTO t VALUES (2, 'y', 1, 1)",
      "ALTER TABLE t MODIFY a ENUM('x', 'y')",
      "INSERT INTO t VALUES (3, 'y', 1, 1)",
    ],
    known: [],
  },
  {
    name: 'renamed_while_lagging',
    columns: 'id INT PRIMARY KEY, a INT, b INT',
    statements: [
      '-ALTER TABLE t ADD COLUMN h INT',
      'ALTER TABLE t ADD COLUMN i INT AFTER h',
      'INSERT INTO t VALUES (2, 10, 20, 30, 40)',
      'RENAME TABLE t TO t_moved',
    ],
    known: [2],
  },
  {
    name: 'not_created_again',
    columns: null,
    statements: [
      '-CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT)',
      'ALTER TABLE t ADD COLUMN h INT',
      'CREATE TABLE IF NOT EXISTS t (h INT, id INT PRIMARY KEY, b INT, a INT)',
      'INSERT INTO t VALUES (1, 10, 20, 30)',
      'ALTER TABLE t RENAME COLUMN a TO b, RENAME COLUMN b TO a',
      'INSERT INTO t VALUES (2, 20, 10, 30)',
    ],
    known: [],
  },
]

/** The data changes of a task by table, with column names. */
function rowsByTable(run: TaskRun): Map<string, Row[]> {
  const found = new Map<string, Row[]>()
  run.onRecord = ({ value }: SourceRecord) => {
    const afterRow = value instanceof Struct && value.schema.fields.some(({ name }) => name === 'after')
    const row = afterRow ? value.get('after') : null
    if (!(value instanceof Struct) || !(row instanceof Struct)) return
    const table = textOf((value.get('source') as Struct).get('table'))
    const named = Object.fromEntries(row.schema.fields.map(({ name, index }) => [name, textOf(row.at(index))]))
    found.set(table, [...(found.get(table) ?? []), named])
  }
  return found
}

/** Runs the story on a table of its name; returns each row as the server returned it after its INSERT. */
async function play(scene: Scene, { name, statements }: Story): Promise<readonly Row[]> {
  const session = await scene.database.connect()
  const rows: Row[] = []
  await session.query(`USE ${scene.schema}`)
  for (const written of statements) {
    const isLogged = !written.startsWith('-')
    const sql = written.replace(/^-/, '').replaceAll(/\bt(_\w+)?\b(?=[ ;(]|$)/g, (_, suffix = '') => `${name}${suffix}`)
    await session.query(`SET SESSION sql_log_bin = ${isLogged ? 1 : 0}`)
    await session.query(sql)
    if (!sql.startsWith('INSERT')) continue
    const [found] = await scene.database.query(`SELECT * FROM ${scene.schema}.${name} ORDER BY id DESC LIMIT 1`)
    rows.push(Object.fromEntries(Object.entries(found ?? {}).map(([column, value]) => [column, String(value)])))
  }
  await session.end()
  return rows
}

/** Whether the second in which the table was altered last, and so many more, are over. */
async function isLongAgo({ database, schema }: Scene, table: string, seconds: number): Promise<boolean> {
  const [row] = await database.query(`SELECT UNIX_TIMESTAMP() > UNIX_TIMESTAMP(create_time) + ${seconds} AS later
    FROM information_schema.tables WHERE table_schema = '${schema}' AND table_name = '${table}'`)
  return Number(row?.['later']) === 1
}

async function streamingOffset(scene: Scene): Promise<OffsetDocument> {
  await using task = await TaskRun.start(scene, {})
  await task.until(isStreaming)
  assert.ok(task.stored !== null)
  return task.stored
}

for (const [flavor, start, settings] of casesOfTier('the time of a definition', [
  ['mysql', startMySql, ['MINIMAL', 'FULL']],
  ['mariadb', startMariaDb, ['NO_LOG', 'MINIMAL', 'FULL']],
] as const)) {
  describe(flavor, () => {
    let database: Database & AsyncDisposable
    before(async () => {
      database = await start()
    })
    after(() => database[Symbol.asyncDispose]())

    for (const metadata of settings) {
      test(`binlog_row_metadata=${metadata}: no event has a value under a wrong name`, async () => {
        await database.query(`SET GLOBAL binlog_row_metadata = ${metadata}`)
        const stories = STORIES.filter(
          (story) => (story.flavor ?? flavor) === flavor && story.isInvisibleWith !== metadata,
        )
        const tables = stories.flatMap(({ name, columns }) =>
          columns === null ? [] : [`CREATE TABLE ${name} (${columns})`],
        )
        const scene = await sceneOf(database, `${tables.join('; ')}; CREATE TABLE done (id INT PRIMARY KEY)`)
        const stored = await streamingOffset(scene)
        const truth = new Map<string, readonly Row[]>()
        for (const story of stories) truth.set(story.name, await play(scene, story))
        await database.query(`INSERT INTO ${scene.schema}.done VALUES (1)`)

        await using task = await TaskRun.start(scene, {}, stored)
        const captured = rowsByTable(task)
        await task.until(() => captured.has('done') || task.logger.matching('opened again').length > 3)
        assert.ok(captured.has('done'), 'other tables continue')

        for (const { name, known } of stories) {
          const expected = truth.get(name) ?? []
          const rows = captured.get(name) ?? []
          const stops = task.logger.matching(`.${name} is stopped`).length
          const must = metadata === 'FULL' ? expected.map(({ id }) => Number(id)) : known
          for (const row of rows)
            assert.deepEqual(
              row,
              expected.find(({ id }) => id === row['id']),
              name,
            )
          for (const id of must)
            assert.ok(
              rows.some((row) => row['id'] === String(id)),
              `${name}: row ${id} is missing`,
            )
          assert.equal(stops > 0, rows.length < expected.length, `${name}: rows are missing exactly when it is stopped`)
        }
      })
    }

    test(
      'rows of a busy table prove that it was not altered after the first of them',
      { timeout: 60_000 },
      async () => {
        await database.query(`SET GLOBAL binlog_row_metadata = MINIMAL`)
        const scene = await sceneOf(database, TABLES)
        await using task = await TaskRun.start(scene, {})
        await task.until(isStreaming)
        await runScript(scene, 'SET SESSION sql_log_bin = 0; ALTER TABLE t ADD COLUMN h INT')
        let count = 0
        const writing = (async () => {
          while (!(await isLongAgo(scene, 't', 1))) {
            count += 1
            await database.query(`INSERT INTO ${scene.schema}.t VALUES (${count}, 1, 2, 3)`)
          }
          await database.query(`INSERT INTO ${scene.schema}.done VALUES (0)`)
        })()
        await task.until(({ changes }) => changes.includes('c 0'))
        await writing
        const { changes, logger } = task
        assert.deepEqual([changes[0], changes.at(-2), changes.length], ['c 1 1 2 3', `c ${count} 1 2 3`, count + 1])
        assert.equal(logger.matching('is stopped at').length, 0)
      },
    )

    test(
      'a table that the binlog never defined is read by the definition of its rows, or not at all',
      { timeout: 60_000 },
      async () => {
        const scene = await sceneOf(database, TABLES)
        await using task = await TaskRun.start(scene, {})
        await task.until(isStreaming)
        await runScript(scene, 'SET SESSION sql_log_bin = 0; CREATE TABLE unseen (id INT PRIMARY KEY, a INT, b INT)')
        await eventually('the second of the statement is over', () => isLongAgo(scene, 'unseen', 0))
        // The task reads the first row before or after the ALTER.
        await runScript(
          scene,
          `INSERT INTO unseen VALUES (1, 2, 3); ALTER TABLE unseen DROP COLUMN a; INSERT INTO unseen VALUES (4, 5);
         INSERT INTO done VALUES (0)`,
        )
        await task.until(({ changes }) => changes.includes('c 0'))
        const rows = task.events.filter(({ table }) => table === 'unseen').map(({ after: row }) => row?.join())
        const isStopped = task.logger.matching('is stopped at').length > 0
        assert.deepEqual(rows, isStopped ? [] : ['1,2,3', '4,5'])
      },
    )
  })
}
