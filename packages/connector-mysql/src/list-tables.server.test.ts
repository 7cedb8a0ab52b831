import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databaseAccounts, uniqueName, useMariaDb, useMySql } from '@tributary/testkit'
import { mariadbKind, mysqlKind } from './connector-kind.ts'
import { listTables } from './list-tables.ts'

for (const [title, use, kind] of [
  ['MySQL', useMySql, mysqlKind],
  ['MariaDB', useMariaDb, mariadbKind],
] as const) {
  test(`lists the tables of ${title} with a login alone, without those of the server`, async () => {
    const database = await use()
    const name = uniqueName('list')
    await database.query(`CREATE DATABASE ${name}; USE ${name}; CREATE TABLE \`a b\` (id INT); CREATE TABLE c (id INT);
      CREATE VIEW v AS SELECT * FROM c; INSERT INTO c VALUES (1), (2); ANALYZE TABLE c`)
    const { host, port } = database
    const { user, password } = databaseAccounts.debezium
    const config = {
      'database.hostname': host,
      'database.port': String(port),
      'database.user': user,
      'database.password': password,
    }
    const { tables, isComplete } = await listTables(kind, config, new AbortController().signal)
    const own = tables.filter((each) => each.database === name)
    assert.deepEqual(
      own.map(({ table }) => table),
      ['a b', 'c'],
    )
    assert.ok((own[1]?.bytes ?? 0) > 0 && isComplete)
    assert.deepEqual(
      tables.filter((each) => ['mysql', 'sys', 'performance_schema'].includes(each.database)),
      [],
    )
    const refused = listTables(kind, { ...config, 'database.password': 'wrong' }, new AbortController().signal)
    await assert.rejects(refused, /Access denied/)
  })
}
