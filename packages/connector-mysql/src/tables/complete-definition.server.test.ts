/**
 * Members of ENUM and SET and defaults with characters outside the basic multilingual plane, for which the servers
 * print `?`: in snapshots, in the stream, and after a restart. Judged by what a SELECT of each row returns.
 */
import { type SourceRecord, Struct } from '@tributary/connect-api'
import { eventually, useMariaDb, useMySql } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isCompleted, isStreaming, type Scene, sceneOf, TaskRun, textOf } from '../testing/task-run.ts'

const SET_64 = Array.from({ length: 64 }, (_, i) => `'s${i}${i % 7 === 0 ? '😀' : ''}'`).join(', ')
const ENUM_600 = Array.from({ length: 600 }, (_, i) => `'m${i}${i % 2 === 0 ? '😀' : '?'}'`).join(', ')

const COLUMNS = `id INT PRIMARY KEY,
  e ENUM('a', '?', '😀', 'b😁c', '日', 'it''s🎉', 'com,ma🎉') CHARACTER SET utf8mb4 DEFAULT '😀',
  s SET('x', '🎉', '?', 'y''z') CHARACTER SET utf8mb4 NOT NULL DEFAULT '🎉,?',
  v VARCHAR(20) CHARACTER SET utf8mb4 DEFAULT '🚀x''?' COMMENT '?, DEFAULT ''?''',
  l ENUM('é', '?') CHARACTER SET latin1 DEFAULT '?', u ENUM('😀', 'é', '?') CHARACTER SET utf16,
  g ENUM('中', '?') CHARACTER SET gbk, \`enum('?',\` VARCHAR(9) DEFAULT '?', b VARBINARY(9) DEFAULT '?',
  s64 SET(${SET_64}), e600 ENUM(${ENUM_600}), INDEX \`?\` (e)`

const rowsFrom = (id: number): string => `INSERT INTO t (id, e, s, l, u, g, s64, e600) VALUES
  (${id}, '😀', 'x,🎉', 'é', '😀', '中', 's63😀,s1', 'm0😀'), (${id + 1}, 'b😁c', '?', '?', 'é', '?', 's7😀', 'm599?'),
  (${id + 2}, '?', '', '?', '?', '中', 's0😀,s63😀', 'm598😀'), (${id + 3}, 'com,ma🎉', 'y''z', 'é', NULL, NULL, NULL, 'm1?'),
  (${id + 4}, 'it''s🎉', '🎉,y''z', 'é', NULL, NULL, '', 'm200😀'); INSERT INTO t (id) VALUES (${id + 5})`

const SHOWN = ['id', 'e', 's', 'v', 'l', 'u', 'g', 's64', 'e600'] as const

async function truthOf({ database, schema }: Scene, table = 't'): Promise<readonly string[]> {
  const rows = await database.query(`SELECT ${SHOWN.join(', ')} FROM ${schema}.${table} ORDER BY id`)
  return rows.map((row) => SHOWN.map((name) => String(row[name])).join(' '))
}

/** The rows of a task, and of their columns the parameter `allowed` and the default. */
class Seen {
  readonly rows: string[] = []
  readonly allowed = new Map<string, string>()
  readonly defaults = new Map<string, string>()

  constructor(task: TaskRun) {
    task.onRecord = (record) => this.#take(record)
  }

  #take({ value }: SourceRecord): void {
    const row =
      value instanceof Struct && value.schema.fields.some(({ name }) => name === 'op') ? value.get('after') : null
    if (!(row instanceof Struct) || row.schema.fields.length < SHOWN.length) return
    this.rows.push(SHOWN.map((name) => textOf(row.get(name))).join(' '))
    for (const { name, schema } of row.schema.fields) {
      const { allowed } = schema.parameters ?? {}
      if (allowed !== undefined) this.allowed.set(name, allowed)
      if (schema.defaultValue !== null) this.defaults.set(name, textOf(schema.defaultValue))
    }
  }

  assertSchema(what: string): void {
    const { allowed, defaults } = this
    assert.equal(allowed.get('e'), String.raw`a,?,😀,b😁c,日,it's🎉,com\,ma🎉`, what)
    assert.equal(allowed.get('e600')?.split(',')[598], 'm598😀', what)
    assert.deepEqual(
      ['s', 'l', 'u', 'g'].map((name) => allowed.get(name)),
      ["x,🎉,?,y'z", 'é,?', '😀,é,?', '中,?'],
      what,
    )
    assert.deepEqual(
      ['e', 's', 'v', 'l', "enum('?',"].map((name) => defaults.get(name)),
      ['😀', '🎉,?', "🚀x'?", '?', '?'],
      what,
    )
  }
}

for (const [name, use] of [
  ['MySQL', useMySql],
  ['MariaDB', useMariaDb],
] as const) {
  test(`${name}: a snapshot has the members and defaults that the server prints with ?`, async () => {
    const scene = await sceneOf(await use(), `SET NAMES utf8mb4; CREATE TABLE t (${COLUMNS}); ${rowsFrom(1)}`)
    await using first = await TaskRun.start(scene, {})
    const snapshot = new Seen(first)
    await first.until(isCompleted)
    await first.until(isStreaming)
    assert.deepEqual(snapshot.rows, await truthOf(scene))
    snapshot.assertSchema('snapshot')
    const { stored } = first
    await scene.database.query(`SET NAMES utf8mb4; USE ${scene.schema}; ${rowsFrom(11)}`)

    await using second = await TaskRun.start(scene, {}, stored)
    const restarted = new Seen(second)
    await second.untilChanges(6)

    assert.deepEqual(restarted.rows, (await truthOf(scene)).slice(6))
    restarted.assertSchema('restart')
  })

  test(`${name}: the stream has them, whether a statement defines them or the server is asked`, async () => {
    const scene = await sceneOf(await use(), 'CREATE TABLE done (id INT PRIMARY KEY)')
    const { database, schema } = scene
    await using task = await TaskRun.start(scene, {})
    await task.until(isStreaming)
    const session = await database.connect()
    for (const sql of ['SET NAMES utf8mb4', `USE ${schema}`, `CREATE TABLE t (${COLUMNS})`, ...rowsFrom(1).split(';')])
      await session.query(sql)
    const stated = new Seen(task)
    await task.untilChanges(6)
    assert.deepEqual(stated.rows, await truthOf(scene))
    stated.assertSchema('statement')

    // Both servers print the definition into the binlog themselves.
    await session.query('CREATE TABLE copy SELECT * FROM t')
    const copied = new Seen(task)
    await task.until(({ events, logger }) => events.length === 12 || logger.matching('is stopped').length > 0)
    assert.deepEqual(copied.rows, await truthOf(scene, 'copy'))
    copied.assertSchema('copy')

    await session.query('SET SESSION sql_log_bin = 0')
    await session.query(`CREATE TABLE unseen (${COLUMNS})`)
    await session.query('SET SESSION sql_log_bin = 1')
    await eventually('the second of the statement is over', async () => {
      const [row] = await database.query(`SELECT UNIX_TIMESTAMP() > UNIX_TIMESTAMP(create_time) AS later
        FROM information_schema.tables WHERE table_schema = '${schema}' AND table_name = 'unseen'`)
      return Number(row?.['later']) === 1
    })
    for (const sql of rowsFrom(1).replaceAll('INTO t ', 'INTO unseen ').split(';')) await session.query(sql)
    await session.end()
    const asked = new Seen(task)
    await task.untilChanges(18)
    assert.deepEqual(asked.rows, await truthOf(scene, 'unseen'))
    asked.assertSchema('server')
  })
}
