/**
 * Settings of a session on which the meaning of its statements depends: the columns and defaults in events are those
 * that the server has, and values do not depend on them.
 */
import type { ConnectValue, Struct } from '@tributary/connect-api'
import { useMariaDb, useMySql } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isStreaming, sceneOf, TaskRun, textOf } from '../testing/task-run.ts'

/** Settings, and columns whose default or type depends on them. */
const CASES: readonly (readonly [settings: string, columns: string])[] = [
  ["time_zone = '+05:30'", "a TIMESTAMP NULL DEFAULT '2020-06-01 12:00:00'"],
  [
    "time_zone = '-11:00'",
    "a TIMESTAMP(3) NOT NULL DEFAULT '2020-01-01 00:00:00.123', b DATETIME DEFAULT '2020-01-01'",
  ],
  ["sql_mode = ''", "a TIME(2) DEFAULT '01:02:03.129', b DATETIME DEFAULT '2020-01-01 00:00:00.9'"],
  ["time_zone = 'SYSTEM'", "a TIMESTAMP NULL DEFAULT '2020-06-01 12:00:00'"],
  ["time_zone = '+01:00'", 'a TIMESTAMP NULL DEFAULT 20200601120000'],
  ["time_zone = '+01:00', sql_mode = ''", "a TIMESTAMP NOT NULL DEFAULT '0000-00-00 00:00:00'"],
  ["sql_mode = 'NO_BACKSLASH_ESCAPES'", String.raw`a VARCHAR(20) DEFAULT 'a\nb\\', b ENUM('x\', 'y') DEFAULT 'x\'`],
  ["sql_mode = 'ANSI_QUOTES'", `a VARCHAR(20) DEFAULT 'q"q', "b" INT DEFAULT 5`],
  ["sql_mode = 'ANSI'", `a REAL DEFAULT 0.1, "b c" VARCHAR(5) DEFAULT ' '`],
  ["sql_mode = 'REAL_AS_FLOAT'", 'a REAL DEFAULT 0.5'],
  ["sql_mode = 'PAD_CHAR_TO_FULL_LENGTH'", "a CHAR(5) DEFAULT 'ab'"],
  ["explicit_defaults_for_timestamp = OFF, sql_mode = ''", 'a TIMESTAMP, b TIMESTAMP, c TIMESTAMP NULL'],
  ['explicit_defaults_for_timestamp = ON', 'a TIMESTAMP, b TIMESTAMP NULL'],
  ['character_set_client = latin1', "a VARCHAR(9) CHARACTER SET utf8mb4 DEFAULT 'é'"],
  ["collation_connection = latin1_swedish_ci, sql_mode = ''", "a VARCHAR(9) DEFAULT 'é'"],
]

for (const [name, use] of [
  ['MySQL', useMySql],
  ['MariaDB', useMariaDb],
] as const) {
  test(`${name}: definitions and defaults follow the settings of the session`, { timeout: 180_000 }, async () => {
    const database = await use()
    const scene = await sceneOf(database, 'CREATE TABLE done (id INT PRIMARY KEY)')
    const seen = new Map<string, Struct>()
    await using task = await TaskRun.start(scene, {})
    task.onRecord = ({ topic, value }) => {
      if (value !== null && topic.includes('.')) seen.set(topic.split('.').at(-1) ?? '', value as Struct)
    }
    await task.until(isStreaming)
    const session = await database.connect()
    await session.query(`USE ${scene.schema}`)
    for (const [i, [settings, columns]] of CASES.entries()) {
      for (const table of [`t${i}`, `a${i}`]) {
        await session.query('SET NAMES utf8mb4')
        await session.query(`SET SESSION sql_mode = DEFAULT, time_zone = DEFAULT, explicit_defaults_for_timestamp = ON`)
        if (table.startsWith('a')) await session.query(`CREATE TABLE ${table} (id INT PRIMARY KEY) CHARSET utf8mb4`)
        await session.query(`SET SESSION ${settings}`)
        await session.query(
          table.startsWith('a')
            ? `ALTER TABLE ${table} ADD (${columns})`
            : `CREATE TABLE ${table} (id INT PRIMARY KEY, ${columns}) CHARSET utf8mb4`,
        )
        await session.query(`INSERT INTO ${table} (id) VALUES (1)`)
      }
    }
    await task.untilChanges(2 * CASES.length)
    const asked = task.logger.matching('Reading the definition').map(({ message }) => /\.([at]\d+)/.exec(message)?.[1])
    const rounded = CASES.findIndex(([, columns]) => columns.includes('TIME(2)'))
    assert.deepEqual(
      new Set(asked),
      new Set([`t${rounded}`, `a${rounded}`]),
      'the server is asked only for how it rounds',
    )
    assert.deepEqual(
      task.logger.lines.filter(({ level }) => level === 'error'),
      [],
    )
    const late: Record<string, unknown> = {}
    const early: Record<string, unknown> = {}
    for (const [table, value] of seen) late[table] = shape(value)
    await session.end()

    // A snapshot has what the server itself prints, in UTC.
    seen.clear()
    const prefix = `${scene.schema}s`
    const anew = { 'topic.prefix': prefix, 'schema.history.internal.kafka.topic': `${prefix}-history` }
    await using snapshot = await TaskRun.start({ ...scene, schema: prefix }, anew)
    snapshot.onRecord = ({ topic, value }) => {
      if (value !== null && topic.includes('.')) seen.set(topic.split('.').at(-1) ?? '', value as Struct)
    }
    await snapshot.untilChanges(2 * CASES.length)
    for (const [table, value] of seen) early[table] = shape(value)
    assert.deepEqual(late, early)
    assert.equal(Object.keys(late).length, 2 * CASES.length)
  })
}

/** Types, nullability, defaults and values of the columns. */
function shape(envelope: Struct): unknown {
  const row = envelope.get('after') as Struct
  return row.schema.fields.map(({ name, index, schema }) => {
    const { type, isOptional, defaultValue, parameters } = schema
    const text = (value: ConnectValue): string => textOf(value)
    return [name, type, isOptional, text(defaultValue), JSON.stringify(parameters), text(row.at(index))]
  })
}
