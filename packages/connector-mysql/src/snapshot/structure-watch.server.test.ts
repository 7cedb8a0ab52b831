/** Which statements of the binlog show that a structure is not that of a position. */
import { RegexList } from '@tributary/connector-kit'
import { MySqlConnection, MySqlGtidSet } from '@tributary/mysql'
import { CodedError, systemClock } from '@tributary/support'
import { type Database, uniqueName, useMariaDb, useMySql } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TableFilter } from '../config/table-filter.ts'
import { flavorOf } from '../flavor/flavor-of.ts'
import { binlogOf } from '../testing/binlog-of.ts'
import { shopInterpreter } from '../testing/shop-interpreter.ts'
import { StructureWatch } from './structure-watch.ts'

const EMPTY = new RegexList('')
const { signal } = new AbortController()

/** Runs the statements after a position. Returns why the structure is not that of the position any more; null: it is. */
async function reasonAfter(database: Database, schema: string, statements: string): Promise<string | null> {
  const { connection: connectionOptions, binlogFrom } = binlogOf(database)
  await using connection = await MySqlConnection.open(connectionOptions)
  const [version] = await connection.query('SELECT VERSION()')
  const flavor = flavorOf(version?.[0] ?? '')
  const serverInfo = await flavor.readServerInfo(connection)
  const lists = { databaseInclude: new RegexList(schema), databaseExclude: EMPTY }
  const tables = { tableInclude: new RegexList(`${schema}.captured.*`), tableExclude: EMPTY }
  const from = await flavor.readPosition(connection, serverInfo)
  const executed = String(from.gtids)
  await using watch = new StructureWatch({
    from,
    start: flavor.name === 'mysql' ? { tag: 'mysqlGtids', executed: MySqlGtidSet.parse(executed) } : undefined,
    binlogFrom,
    flavor,
    serverInfo,
    interpreter: shopInterpreter(),
    silenceMsMax: 10_000,
    clock: systemClock,
    config: { filter: new TableFilter({ ...lists, ...tables }), recordsOnlyCapturedTables: true },
  })
  await database.query(statements)
  try {
    await watch.requireUnchanged(connection, [schema], signal)
    return null
  } catch (error) {
    assert.ok(error instanceof CodedError)
    assert.equal(error.code, 'SNAPSHOT_TABLES_CHANGED')
    return error.message
  }
}

for (const [title, open] of [
  ['MySQL', useMySql],
  ['MariaDB', useMariaDb],
] as const) {
  test(`${title}: statements about recorded tables, and only these, change the structure of a position`, async () => {
    const database = await open()
    const [schema, other] = [uniqueName('structure'), uniqueName('other')]
    await database.query(
      `CREATE DATABASE ${schema}; CREATE DATABASE ${other}; CREATE TABLE ${schema}.captured (id INT PRIMARY KEY);
       CREATE TABLE ${schema}.b (id INT); CREATE TABLE ${other}.captured (id INT)`,
    )
    const harmless = [
      `INSERT INTO ${schema}.captured VALUES (1)`,
      `ALTER TABLE ${schema}.b ADD COLUMN c INT`,
      `ALTER TABLE ${other}.captured ADD COLUMN c INT`,
      `ALTER DATABASE ${other} CHARACTER SET latin1`,
      `USE ${schema}; CREATE TEMPORARY TABLE captured_soon (id INT)`,
    ]
    const changes = [
      `ALTER TABLE ${schema}.captured ADD COLUMN c INT`,
      `CREATE TABLE ${schema}.captured2 (id INT)`,
      `RENAME TABLE ${schema}.b TO ${schema}.captured3`,
      `DROP TABLE ${schema}.captured3`,
      `ALTER DATABASE ${schema} CHARACTER SET latin1`,
      `DROP DATABASE ${schema}`,
    ]
    for (const sql of harmless) assert.equal(await reasonAfter(database, schema, sql), null, sql)
    for (const sql of changes) {
      const reason = await reasonAfter(database, schema, sql)
      assert.ok(reason?.includes(sql.slice(0, 10)), `${sql}: ${reason}`)
    }
  })
}
