/** Initial snapshots of so many tables that their structure is read before the lock, beside statements that change it. */
import { type SourceRecord, Struct } from '@tributary/connect-api'
import { casesOfTier, seededRandom, uniqueName, useMariaDb, useMySql } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isStreaming, type Scene, sceneOf, TaskRun, textOf } from './testing/task-run.ts'

const TABLES = 230
/** Each column that is added has its number as its name and as its default. */
const ADDED = /^n(\d+)$/

/** Alters, creates and drops tables until that is enough, and inserts rows. */
async function change({ database, schema }: Scene, seed: number, isEnough: () => boolean): Promise<void> {
  const random = seededRandom(seed)
  const connection = await database.connect()
  await connection.query(`USE ${schema}`)
  for (let n = 1; !isEnough(); n++) {
    const table = `t${random.integer(0, TABLES)}`
    await connection.query(`ALTER TABLE ${table} ADD COLUMN n${n} INT NOT NULL DEFAULT ${n} AFTER id`)
    await connection.query(`INSERT INTO ${table} (id) VALUES (${n})`)
    await connection.query(`CREATE TABLE c${n} (id INT PRIMARY KEY, n${n} INT NOT NULL DEFAULT ${n})`)
    await connection.query(`INSERT INTO c${n} (id) VALUES (${n})`)
    await connection.query(`RENAME TABLE c${n} TO d${n}`)
    await connection.query(`CREATE TABLE gone (id INT PRIMARY KEY); DROP TABLE gone`)
  }
  await connection.end()
}

interface Seen {
  /** Table and key of each row. */
  readonly rows: Set<string>
  /** The columns in the last record of each table. */
  readonly columns: Map<string, readonly string[]>
  /** Values that do not belong to their columns. */
  readonly wrong: string[]
}

/** The row of a table that was renamed may have come under the former name. */
function rowOf(table: string, id: string): string {
  return `${table.replace(/^d/, 'c')} ${id}`
}

function look({ value }: SourceRecord, seen: Seen): void {
  if (!(value instanceof Struct) || value.schema.field('after') === null) return
  const after = value.get('after')
  if (!(after instanceof Struct)) return
  const table = textOf((value.get('source') as Struct).get('table'))
  const names = after.schema.fields.map(({ name }) => name)
  seen.columns.set(table, names)
  seen.rows.add(rowOf(table, textOf(after.get('id'))))
  for (const name of names) {
    const [, number] = ADDED.exec(name) ?? []
    const text = textOf(after.get(name))
    if (number !== undefined && text !== number) seen.wrong.push(`${table}.${name} = ${text}`)
  }
}

for (const [title, open] of casesOfTier('many tables', [
  ['MySQL', useMySql],
  ['MariaDB', useMariaDb],
] as const)) {
  test(`${title}: the structure of many tables is that of the snapshot's position beside changes of them`, async (t) => {
    const { seed } = seededRandom()
    t.diagnostic(`seed ${seed}`)
    const create = Array.from(
      { length: TABLES },
      (_, i) => `CREATE TABLE t${i} (id INT PRIMARY KEY); INSERT INTO t${i} VALUES (0)`,
    )
    const scene = await sceneOf(await open(), create.join(';'))
    const { database, schema } = scene
    const seen: Seen = { rows: new Set(), columns: new Map(), wrong: [] }
    await using run = await TaskRun.start(scene, {})
    run.onRecord = (record) => look(record, seen)
    // A table that is altered before its rows are read lets the snapshot begin again.
    const written = change(scene, seed, () => run.logger.matching('Snapshot step 7').length > 0)
    await run.until(isStreaming)
    await written
    const tables = await database.query(
      `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = '${schema}'`,
    )
    const names = tables.map(({ name }) => String(name))
    const last = uniqueName('last')
    await database.query(
      `USE ${schema}; ${names.map((name) => `INSERT INTO ${name} (id) VALUES (-1)`).join(';')};
       CREATE TABLE ${last} (id INT PRIMARY KEY); INSERT INTO ${last} VALUES (0)`,
    )
    await run.until(() => seen.columns.has(last))

    for (const line of run.logger.matching('read under the lock')) t.diagnostic(line.message)
    assert.deepEqual(seen.wrong, [])
    for (const name of names) {
      const rows = await database.query(`SELECT * FROM ${schema}.${name}`)
      const missing = rows.filter(({ id }) => !seen.rows.has(rowOf(name, String(id))))
      assert.deepEqual(missing, [], name)
      assert.deepEqual(seen.columns.get(name), Object.keys(rows[0] ?? {}), name)
    }
    assert.ok(run.logger.matching(`Reading the structure of`).length > 0)
    const doubts = run.logger.matching('All table definitions are read under the lock')
    // A machine that is busy with other tests may be too slow to read the binlog; then all is read under the lock.
    const isSlow = doubts.length > 0 && doubts.every(({ message }) => message.includes('within 5 s'))
    if (!isSlow) assert.deepEqual(doubts, [])
    for (const { message } of isSlow ? [] : run.logger.matching('since they may have changed')) {
      const [, tables] = /^(\d+) table definitions/.exec(message) ?? []
      assert.ok(Number(tables) < TABLES, message)
    }
  })
}
