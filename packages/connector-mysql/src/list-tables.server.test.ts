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
  test(`a role that the initial statements activate shows its tables of ${title}`, async () => {
    const database = await use()
    const { host, port } = database
    const [name, role, user] = [uniqueName('list'), uniqueName('role'), uniqueName('user')]
    await database.query(`CREATE DATABASE ${name}; CREATE TABLE ${name}.t (id INT); CREATE ROLE ${role};
      GRANT SELECT ON ${name}.* TO ${role}; CREATE USER ${user} IDENTIFIED BY 'secret'; GRANT ${role} TO ${user}`)
    const config = {
      'database.hostname': host,
      'database.port': String(port),
      'database.user': user,
      'database.password': 'secret',
      'driver.allowPublicKeyRetrieval': 'true',
    }
    const listed = async (more: Record<string, string>): Promise<readonly string[]> => {
      const { tables } = await listTables(kind, { ...config, ...more }, new AbortController().signal)
      return tables.filter(({ database }) => database === name).map(({ table }) => table)
    }
    assert.deepEqual(await listed({}), [])
    assert.deepEqual(await listed({ 'database.initial.statements': `SET ROLE ${role}` }), ['t'])
  })
}
