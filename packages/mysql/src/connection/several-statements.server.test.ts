import { silentLogger } from '@tributary/support'
import { databaseAccounts, useMariaDb, useMySql, type Database } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MySqlConnection } from './mysql-connection.ts'

function open({ host, port }: Database, takesSeveralStatements: boolean): Promise<MySqlConnection> {
  const { user, password } = databaseAccounts.root
  const tls = { mode: 'disabled' } as const
  return MySqlConnection.open({
    host,
    port,
    user,
    password,
    tls,
    connectTimeoutMs: 10_000,
    logger: silentLogger,
    takesSeveralStatements,
  })
}

for (const [name, use] of [
  ['MySQL', useMySql],
  ['MariaDB', useMariaDb],
] as const) {
  test(`queryAll returns the rows of each statement in order, on ${name}`, async () => {
    await using connection = await open(await use(), true)

    assert.deepEqual(
      await connection.queryAll(['SELECT 1, NULL', "SELECT 'a' UNION SELECT ';'", 'SELECT 2 WHERE FALSE']),
      [[['1', null]], [['a'], [';']], []],
    )
    assert.deepEqual(await connection.queryAll(["SELECT 'alone'"]), [[['alone']]])
    assert.deepEqual(await connection.queryAll([]), [])
  })

  test(`queryAll throws the error of one statement, and the connection stays usable, on ${name}`, async () => {
    await using connection = await open(await use(), true)

    await assert.rejects(connection.queryAll(['SELECT 1', 'SELECT * FROM mysql.no_such_table', 'SELECT 2']), {
      code: 'MYSQL_QUERY_FAILED',
      message: /no_such_table/,
    })
    assert.deepEqual(await connection.query('SELECT 3'), [['3']])
  })

  test(`the server refuses several statements in one text by default, on ${name}`, async () => {
    await using connection = await open(await use(), false)

    await assert.rejects(connection.query('SELECT 1; SELECT 2'), { code: 'MYSQL_QUERY_FAILED' })
  })
}
