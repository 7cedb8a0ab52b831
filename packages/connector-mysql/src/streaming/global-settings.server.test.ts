/**
 * Global settings that change what a server prints or how it converts: a definition that the stream reads, and values
 * under it, are the same whatever they are. Judged by what the server itself returns for the row.
 */
import { casesOfTier, eventually, startMariaDb, startMySql } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isStreaming, sceneOf, TaskRun } from '../testing/task-run.ts'

const COMMON = [
  "sql_mode = 'ANSI'",
  "sql_mode = 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES,PAD_CHAR_TO_FULL_LENGTH'",
  "sql_mode = 'REAL_AS_FLOAT'",
  'sql_quote_show_create = 0',
  "time_zone = '+05:00'",
  'character_set_results = latin1',
  'character_set_client = latin1, GLOBAL character_set_connection = latin1',
  "collation_server = 'latin1_swedish_ci'",
  'explicit_defaults_for_timestamp = OFF',
  "lc_time_names = 'de_DE'",
] as const
const MYSQL = ['show_gipk_in_create_table_and_information_schema = OFF', 'show_create_table_verbosity = ON'] as const
const MARIADB = [
  "sql_mode = 'NO_FIELD_OPTIONS,NO_TABLE_OPTIONS,NO_KEY_OPTIONS'",
  "sql_mode = 'ORACLE'",
  "old_mode = ''",
] as const

/** Nothing in it follows from the binlog; `latin` and `plain` differ only in what SHOW CREATE TABLE may leave out. */
const columns = `id INT AUTO_INCREMENT PRIMARY KEY, latin VARCHAR(20) CHARACTER SET latin1, plain VARCHAR(20),
  e ENUM('é', 'x') CHARACTER SET latin1, at TIMESTAMP NULL DEFAULT '2020-06-01 12:00:00', c CHAR(5), r REAL`

for (const [name, start, settings] of casesOfTier('global settings', [
  ['MySQL', () => startMySql(), [...COMMON, ...MYSQL]],
  ['MariaDB', () => startMariaDb(), [...COMMON, ...MARIADB]],
] as const)) {
  test(
    `${name}: the stream reads definitions and values the same under every global setting`,
    { timeout: 120_000 },
    async () => {
      await using database = await start()
      const scene = await sceneOf(database, 'CREATE TABLE done (id INT PRIMARY KEY)')
      const { schema } = scene
      // Tables of the past second are doubted: all are created before any row is written.
      const session = await database.connect()
      await session.query(`SET NAMES utf8mb4`)
      await session.query(`USE ${schema}`)
      await using task = await TaskRun.start(scene, {})
      await task.until(isStreaming)
      await session.query('SET SESSION sql_log_bin = 0')
      for (const i of settings.keys()) await session.query(`CREATE TABLE t${i} (${columns}) CHARSET utf8mb4`)
      await session.query('SET SESSION sql_log_bin = 1')
      await eventually('the second of the last statement is over', async () => {
        const [row] = await database.query(`SELECT UNIX_TIMESTAMP() > UNIX_TIMESTAMP(MAX(create_time)) AS later
          FROM information_schema.tables WHERE table_schema = '${schema}'`)
        return Number(row?.['later']) === 1
      })
      for (const [i, setting] of settings.entries()) {
        const variable = setting.slice(0, setting.indexOf(' '))
        const [before] = await database.query(`SELECT @@GLOBAL.${variable} AS value`)
        await session.query(`SET GLOBAL ${setting}`)
        await session.query(`INSERT INTO t${i} (latin, plain, e, c, r) VALUES ('é', 'é', 'é', 'ab', 1.1)`)
        await task.untilChanges(i + 1)
        assert.deepEqual(task.events.at(-1)?.after, ['1', 'é', 'é', 'é', '2020-06-01T12:00:00Z', 'ab', '1.1'], setting)
        const value = before?.['value']
        await session.query(`SET GLOBAL ${variable} = ${typeof value === 'number' ? value : `'${String(value)}'`}`)
      }
      await session.end()
    },
  )
}
