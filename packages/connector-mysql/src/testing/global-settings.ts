/**
 * A snapshot has all rows and the same values and definitions whatever the global settings of the server are. The
 * connector's user has no privilege that would keep `init_connect` from running.
 */
import { type Database, startMariaDb, startMySql } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isCompleted, type Scene, sceneOf, TaskRun } from './task-run.ts'

const ROWS = 3000
const TABLES = `SET NAMES utf8mb4; SET SESSION time_zone = '+00:00';
  CREATE TABLE \`größe\\日\` (id INT AUTO_INCREMENT PRIMARY KEY, \`naïve\` VARCHAR(20) CHARACTER SET latin1 DEFAULT 'é' COMMENT 'Größe',
    plain VARCHAR(20) DEFAULT '日本', e ENUM('é', 'x''y') CHARACTER SET latin1, s SET('a', 'ł'), at TIMESTAMP NULL DEFAULT '2020-06-01 12:00:00',
    d DATETIME(6), c CHAR(5), r REAL, f FLOAT, n DECIMAL(10, 3), b BIT(9), j JSON, u VARBINARY(9), UNIQUE (plain, c)) CHARSET utf8mb4;
  INSERT INTO \`größe\\日\` VALUES (1, 'é', '日本', 'é', 'a,ł', '2021-01-01 01:02:03', '2021-01-01 01:02:03.000004', 'ab', 0.1, 1.1, 1.5, 3, '{"k": 1.0}', 0xff00),
    (2, 'x', 'y', 'x''y', '', NULL, NULL, '', -0.0, 3.4e38, -1, 0, '[]', 0x27);
  CREATE TABLE many (id INT PRIMARY KEY, v INT);
  INSERT INTO many WITH RECURSIVE n AS (SELECT 1 AS k UNION ALL SELECT k + 1 FROM n WHERE k < 1000) SELECT k, k FROM n;
  INSERT INTO many SELECT id + 1000, v FROM many; INSERT INTO many SELECT id + 2000, v FROM many WHERE id <= 1000;
  CREATE TABLE z1 (id INT PRIMARY KEY); CREATE TABLE z2 (id INT PRIMARY KEY); INSERT INTO z2 VALUES (1)`

const COMMON = [
  'sql_select_limit = 2',
  'sql_big_selects = 0, max_join_size = 10',
  'autocommit = 0',
  "completion_type = 'CHAIN'",
  "completion_type = 'RELEASE'",
  "sql_mode = 'ANSI'",
  "sql_mode = 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES,PAD_CHAR_TO_FULL_LENGTH,HIGH_NOT_PRECEDENCE,PIPES_AS_CONCAT,IGNORE_SPACE'",
  "sql_mode = 'TRADITIONAL,NO_UNSIGNED_SUBTRACTION,REAL_AS_FLOAT'",
  'sql_quote_show_create = 0',
  'sql_buffer_result = 1',
  'sql_safe_updates = 1',
  'sql_auto_is_null = 1',
  "time_zone = '+05:00'",
  'character_set_results = latin1, collation_connection = latin1_german2_ci',
  'character_set_client = latin1, character_set_connection = latin1',
  'explicit_defaults_for_timestamp = OFF',
  "lc_time_names = 'de_DE'",
  "lc_messages = 'de_DE'",
  'div_precision_increment = 0',
  'default_week_format = 3',
  'group_concat_max_len = 4',
  'max_sort_length = 4',
  'net_write_timeout = 1',
  'big_tables = 1',
  'session_track_state_change = ON',
  "session_track_system_variables = '*', session_track_schema = ON",
  "session_track_transaction_info = 'CHARACTERISTICS'",
  "init_connect = 'SET NAMES latin1, sql_mode = ''ANSI,NO_BACKSLASH_ESCAPES'', time_zone = ''+05:00'', sql_quote_show_create = 0, group_concat_max_len = 4, sql_select_limit = 1, autocommit = 0, completion_type = 2'",
  "init_connect = 'SET character_set_results = NULL, timestamp = 1000000000'",
] as const
const MYSQL = [
  'max_execution_time = 1',
  "transaction_isolation = 'SERIALIZABLE'",
  "init_connect = 'SET use_secondary_engine = FORCED'",
  'show_gipk_in_create_table_and_information_schema = OFF, show_create_table_verbosity = ON',
  "init_connect = 'SET show_create_table_skip_secondary_engine = ON'",
  "sql_mode = 'TIME_TRUNCATE_FRACTIONAL'",
  'information_schema_stats_expiry = 0',
  "optimizer_switch = 'index_merge=off,mrr=off,use_index_extensions=off'",
  "init_connect = 'SET session_track_gtids = ALL_GTIDS'",
] as const
const MARIADB = [
  'max_statement_time = 0.0001',
  "tx_isolation = 'SERIALIZABLE'",
  "sql_mode = 'ORACLE'",
  "sql_mode = 'MSSQL'",
  "sql_mode = 'MAXDB'",
  "sql_mode = 'NO_FIELD_OPTIONS,NO_TABLE_OPTIONS,NO_KEY_OPTIONS,EMPTY_STRING_IS_NULL,TIME_ROUND_FRACTIONAL'",
  "old_mode = 'ZERO_DATE_TIME_CAST,UTF8_IS_UTF8MB3,NO_PROGRESS_INFO,NO_DUP_KEY_WARNINGS_WITH_IGNORE'",
  "old_mode = ''",
  "optimizer_switch = 'index_merge=off,mrr=on'",
  'idle_transaction_timeout = 3600',
  "system_versioning_asof = '2020-01-01 00:00:00'",
] as const

/** What a snapshot yields: rows, definitions and progress. */
async function snapshotOf(scene: Scene): Promise<Readonly<Record<string, readonly string[]>>> {
  await using task = await TaskRun.start(scene, { 'snapshot.max.threads': '2' })
  await task.until(isCompleted)
  return {
    rows: task.events.map(({ table, after }) => [table, ...(after ?? [])].join(' ')).toSorted(),
    definitions: task.statements,
  }
}

/** Of long lists, the first few lines that only one of them has. */
function differences(some: readonly string[], others: readonly string[]): readonly string[] {
  return [...new Set(some).symmetricDifference(new Set(others))].slice(0, 4)
}

async function valueOf(database: Database, variable: string): Promise<string> {
  const [row] = await database.query(`SELECT @@GLOBAL.${variable} AS value`)
  const value = row?.['value']
  return /^[\d.]+$|^DEFAULT$/.test(String(value)) ? String(value) : `'${String(value)}'`
}

/** Tries those settings of each server whose numbers are chosen. */
export function testGlobalSettings(isChosen: (number: number) => boolean): void {
  for (const [name, start, settings, versioned] of [
    ['MySQL', () => startMySql(), [...COMMON, ...MYSQL], ''],
    ['MariaDB', () => startMariaDb(), [...COMMON, ...MARIADB], ' WITH SYSTEM VERSIONING'],
  ] as const) {
    test(`${name}: a snapshot is the same under every global setting`, { timeout: 240_000 }, async () => {
      await using database = await start()
      const table = `CREATE TABLE v (id INT PRIMARY KEY)${versioned}; INSERT INTO v VALUES (1), (2), (3)`
      const scene = await sceneOf(database, `${TABLES}; ${table}`)
      const plain = await snapshotOf(scene)
      const [truth] = await database.query(`SELECT COUNT(*) AS count FROM ${scene.schema}.many`)
      assert.deepEqual([truth?.['count'], plain['rows']?.length], [ROWS, ROWS + 6])
      for (const setting of settings.filter((_, i) => isChosen(i))) {
        const variables = setting.startsWith('init_connect')
          ? ['init_connect']
          : [...setting.matchAll(/(?:^|, )(\w+) = /g)].map(([, variable = '']) => variable)
        const before = await Promise.all(variables.map((variable) => valueOf(database, variable)))
        const [first = '', ...others] = variables.length > 1 ? setting.split(', ') : [setting]
        await database.query(`SET GLOBAL ${[first, ...others.map((other) => `GLOBAL ${other}`)].join(', ')}`)
        const found = await snapshotOf(scene)
        const restored = variables.map((variable, i) => `GLOBAL ${variable} = ${before[i] ?? ''}`)
        await database.query(`SET ${restored.toReversed().join(', ')}`)
        for (const [what, lines] of Object.entries(plain)) {
          assert.deepEqual(differences(found[what] ?? [], lines), [], `${what} with ${setting}`)
        }
      }
    })
  }
}
