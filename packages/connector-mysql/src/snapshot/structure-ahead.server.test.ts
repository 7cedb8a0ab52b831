/** The structure that is read before the lock is, under it, the one that the server has then. */
import { RegexList } from '@tributary/connector-kit'
import { MySqlConnection, MySqlGtidSet } from '@tributary/mysql'
import { silentLogger, systemClock } from '@tributary/support'
import { type Database, uniqueName, useMariaDb, useMySql } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TableFilter } from '../config/table-filter.ts'
import { flavorOf } from '../flavor/flavor-of.ts'
import type { DdlInterpreter } from '../schema/ddl-interpreter.ts'
import { binlogOf } from '../testing/binlog-of.ts'
import { shopInterpreter } from '../testing/shop-interpreter.ts'
import { StructureAhead, type StructureAheadOptions } from './structure-ahead.ts'
import { findTables, readStructure } from './snapshot-structure.ts'
import { structureEvents } from './structure-history.ts'

/** More than are read in one round trip. */
const TABLES = 110
const EMPTY = new RegexList('')
const { signal } = new AbortController()

interface Outcome {
  readonly ddl: readonly (string | null)[]
  readonly tables: readonly string[]
}

interface Compared {
  readonly ahead: Outcome
  /** Of what the server has after the statements, read at once. */
  readonly fresh: Outcome
  /** So many definitions were read after the statements. */
  readonly readAgain: number
}

interface Changes {
  /** Statements between the list of tables and the position from which the binlog is followed. */
  readonly early?: string
  /** Statements before the lock. */
  readonly late: string
  /** The lock is not available: the structure is not taken. */
  readonly isGivenUp?: boolean
  readonly more?: Partial<StructureAheadOptions>
}

/** Reads the structure of the schemas, and takes the structure as under the lock. */
async function compare(
  database: Database,
  schemas: readonly string[],
  { early = '', late, isGivenUp = false, more = {} }: Changes,
): Promise<Compared> {
  const { connection: connectionOptions, binlogFrom } = binlogOf(database)
  await using connection = await MySqlConnection.open({ ...connectionOptions, takesSeveralStatements: true })
  const [version] = await connection.query('SELECT VERSION()')
  const flavor = flavorOf(version?.[0] ?? '')
  const serverInfo = await flavor.readServerInfo(connection)
  const lists = { databaseInclude: new RegexList(schemas.join()), databaseExclude: EMPTY }
  const filter = new TableFilter({ ...lists, tableInclude: EMPTY, tableExclude: EMPTY })
  const config = { filter, recordsOnlyCapturedTables: false }
  const listed = await findTables(connection, config)
  if (early !== '') await database.query(early)
  const from = await flavor.readPosition(connection, serverInfo)
  const executed = flavor.name === 'mysql' ? MySqlGtidSet.parse(String(from.gtids)) : null
  const interpreter = shopInterpreter()
  const ahead = new StructureAhead({
    from,
    start: executed === null ? undefined : { tag: 'mysqlGtids', executed },
    binlogFrom,
    flavor,
    serverInfo,
    interpreter,
    silenceMsMax: 10_000,
    lockTimeoutMs: 10_000,
    clock: systemClock,
    logger: silentLogger,
    ...more,
  })
  await ahead.read(connection, listed, signal)
  if (late !== '') await database.query(late)
  const found = await findTables(connection, config)
  const before = await shownDefinitions(connection)
  const position = await flavor.readPosition(connection, serverInfo)
  const events = isGivenUp ? [] : await ahead.eventsAt(position, connection, found, signal)
  await ahead[Symbol.asyncDispose]()
  const readAgain = (await shownDefinitions(connection)) - before
  const other = shopInterpreter()
  const fresh = structureEvents(other, await readStructure(connection, found, serverInfo, { signal }))
  return { ahead: outcomeOf(events, interpreter), fresh: outcomeOf(fresh, other), readAgain }
}

function outcomeOf(events: readonly { readonly ddl: string | null }[], { tables }: DdlInterpreter): Outcome {
  const described = Array.from(
    tables,
    ({ id, columns }) => `${id.toString()} ${columns.map(({ name }) => name).join()}`,
  )
  return { ddl: events.map(({ ddl }) => ddl), tables: described.sort() }
}

/** How many definitions of tables the session has asked for. */
async function shownDefinitions(connection: MySqlConnection): Promise<number> {
  const [row] = await connection.query("SHOW SESSION STATUS LIKE 'Com_show_create_table'")
  return Number(row?.[1])
}

for (const [title, open] of [
  ['MySQL', useMySql],
  ['MariaDB', useMariaDb],
] as const) {
  const prepared = async (): Promise<{ database: Database; schema: string; other: string }> => {
    const database = await open()
    const [schema, other] = [uniqueName('ahead'), uniqueName('ahead')]
    await database.query(`CREATE DATABASE ${schema}; CREATE DATABASE ${other}; CREATE TABLE ${other}.o (id INT)`)
    const tables = Array.from({ length: TABLES }, (_, i) => `CREATE TABLE ${schema}.t${i} (id INT PRIMARY KEY, v INT)`)
    await database.query(tables.join(';'))
    return { database, schema, other }
  }

  test(`${title}: what a statement has changed before the lock is read again, and nothing else`, async () => {
    const { database, schema, other } = await prepared()
    const changes: readonly (readonly [sql: string, readAgain: number])[] = [
      [`INSERT INTO ${schema}.t1 VALUES (1, 1); CREATE TEMPORARY TABLE ${schema}.temporary (id INT)`, 0],
      [`ALTER TABLE ${schema}.t7 ADD COLUMN added INT FIRST`, 1],
      [`CREATE TABLE ${schema}.created (id INT); CREATE TABLE ${schema}.gone (id INT); DROP TABLE ${schema}.gone`, 1],
      [`DROP TABLE ${schema}.t9`, 0],
      [`RENAME TABLE ${schema}.t1 TO ${schema}.t1a, ${schema}.t2 TO ${schema}.t1, ${schema}.t1a TO ${schema}.t2`, 2],
      [`CREATE INDEX by_v ON ${schema}.t3 (v); TRUNCATE ${schema}.t4`, 1],
      [`ALTER DATABASE ${schema} CHARACTER SET latin1; CREATE TABLE ${schema}.latin (v VARCHAR(10))`, 1],
      [`DROP DATABASE ${other}`, 0],
    ]
    for (const [sql, readAgain] of changes) {
      const compared = await compare(database, [schema, other], { late: sql })
      assert.deepEqual(compared.ahead, compared.fresh, sql)
      assert.equal(compared.readAgain, readAgain, sql)
    }
  })

  test(`${title}: tables that are dropped after they were listed do not hold it up`, async () => {
    const { database, schema, other } = await prepared()
    const early = `DROP TABLE ${schema}.t1, ${schema}.t105; DROP DATABASE ${other}`
    const compared = await compare(database, [schema, other], { early, late: `DROP TABLE ${schema}.t2` })
    assert.deepEqual(compared.ahead, compared.fresh)
    assert.equal(compared.readAgain, 0)
  })

  test(`${title}: a view that has the name of a listed table for a while hides no table`, async () => {
    const { database, schema } = await prepared()
    await database.query(`GRANT SELECT, SHOW VIEW ON ${schema}.* TO 'debezium'@'%'`)
    const early = `DROP TABLE ${schema}.t1; CREATE VIEW ${schema}.t1 AS SELECT 1 AS id`
    const late = `DROP VIEW ${schema}.t1; CREATE TABLE IF NOT EXISTS ${schema}.t1 (id INT PRIMARY KEY)`
    const compared = await compare(database, [schema], { early, late })
    assert.deepEqual(compared.ahead, compared.fresh)
    assert.equal(compared.readAgain, 1)
  })

  test(`${title}: an attempt that does not get the lock leaves the table model as it was`, async () => {
    const { database, schema } = await prepared()
    const { ahead } = await compare(database, [schema], { late: '', isGivenUp: true })
    assert.deepEqual(ahead.tables, [])
  })

  test(`${title}: where the binlog cannot be read, all definitions are read again`, async () => {
    const { database, schema } = await prepared()
    const { binlogFrom } = binlogOf(database)
    const compared = await compare(database, [schema], {
      late: `ALTER TABLE ${schema}.t7 ADD COLUMN added INT`,
      more: { binlogFrom: () => binlogFrom({ tag: 'position', file: 'no-such-file.000001', position: 4 }) },
    })
    assert.deepEqual(compared.ahead, compared.fresh)
    assert.equal(compared.readAgain, TABLES)
  })
}
