import { RegexList, TableId } from '@tributary/connector-kit'
import { MySqlConnection, type MySqlConnectionOptions, setUpStructureSession } from '@tributary/mysql'
import { present, silentLogger } from '@tributary/support'
import { type Database, databaseAccounts, startMariaDb, startMySql } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TableFilter } from '../config/table-filter.ts'
import { flavorOf } from '../flavor/flavor-of.ts'
import { SchemaReader } from '../tables/schema-reader.ts'
import { fakeClock } from '@tributary/testkit'
import { openSession } from './snapshot-session.ts'
import { findTables, readStructure } from './snapshot-structure.ts'

const CREATE = `CREATE TABLE d.t (
  id INT NOT NULL AUTO_INCREMENT PRIMARY KEY,
  at TIMESTAMP NOT NULL DEFAULT '2020-06-01 12:00:00',
  \`größe\` VARCHAR(10) CHARACTER SET latin1 NOT NULL DEFAULT 'é' COMMENT 'Größe in m²',
  \`or\\"der\` ENUM('a', 'ł') NOT NULL
) ENGINE=InnoDB CHARSET=utf8mb4 COMMENT='日本'`

const none = new RegexList('')
const filter = new TableFilter({
  databaseInclude: new RegexList('d'),
  databaseExclude: none,
  tableInclude: none,
  tableExclude: none,
})

function optionsOf({ host, port }: Database): MySqlConnectionOptions {
  return {
    host,
    port,
    ...databaseAccounts.root,
    tls: { mode: 'preferred' },
    connectTimeoutMs: 10_000,
    logger: silentLogger,
  }
}

/** The definition as each of the places reads it that read structure. */
async function definitions(server: Database): Promise<Readonly<Record<string, string>>> {
  const options = optionsOf(server)
  const { signal } = new AbortController()
  await using session = await openSession({ ...options, takesSeveralStatements: true }, signal)
  const info = await flavorOf(server.version).readServerInfo(session)
  const structure = await readStructure(
    session,
    await findTables(session, { filter, recordsOnlyCapturedTables: false }),
    info,
  )
  const streamed = await new SchemaReader(options, fakeClock()).createStatement(TableId.of('d', 't'))
  await using checks = await MySqlConnection.open(options)
  await setUpStructureSession(checks)
  const [checked] = await checks.query('SHOW CREATE TABLE d.t')
  return {
    snapshot: present(structure.find(({ sql }) => sql.startsWith('CREATE TABLE'))?.sql, 'the table'),
    stream: present(streamed, 'the table'),
    checks: present(checked?.[1], 'the table'),
  }
}

for (const [name, start, settings] of [
  [
    'MySQL',
    startMySql,
    ["sql_mode = 'ANSI'", 'show_gipk_in_create_table_and_information_schema = OFF, show_create_table_verbosity = ON'],
  ],
  [
    'MariaDB',
    startMariaDb,
    ["sql_mode = 'ANSI'", "sql_mode = 'NO_FIELD_OPTIONS,NO_TABLE_OPTIONS,NO_KEY_OPTIONS'", "sql_mode = 'ORACLE'"],
  ],
] as const) {
  test(`every place reads the same definition whatever the global settings of ${name} are`, async () => {
    await using server = await start()
    await server.query("SET SESSION time_zone = '+00:00'; SET NAMES utf8mb4; CREATE DATABASE d")
    await server.query(CREATE)
    const { snapshot: plain = '' } = await definitions(server)
    assert.match(plain, /^CREATE TABLE `t` \(\n {2}`id` int.* AUTO_INCREMENT,\n.*'2020-06-01 12:00:00'/)
    assert.match(plain, /COMMENT 'Größe in m²'.*\) ENGINE=InnoDB .*CHARSET=utf8mb4.* COMMENT='日本'$/s)

    for (const setting of [...settings, "time_zone = '+05:00'", 'sql_quote_show_create = 0']) {
      await server.query(`SET GLOBAL ${setting.replaceAll(', show', ', GLOBAL show')}`)
      const read = await definitions(server)
      assert.deepEqual(read, { snapshot: plain, stream: plain, checks: plain }, setting)
    }
  })
}

test('the generated invisible primary key of MySQL is in the definition although the server hides it', async () => {
  await using server = await startMySql()
  await server.query('SET GLOBAL show_gipk_in_create_table_and_information_schema = OFF')
  await server.query('CREATE DATABASE d; SET SESSION sql_generate_invisible_primary_key = ON')
  await server.query('CREATE TABLE d.t (v INT)')

  const read = await definitions(server)

  for (const [place, text] of Object.entries(read)) assert.match(text, /`my_row_id` bigint unsigned/, place)
})
