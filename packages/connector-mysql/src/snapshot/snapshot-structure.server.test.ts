import { RegexList } from '@tributary/connector-kit'
import { MySqlConnection } from '@tributary/mysql'
import { silentLogger } from '@tributary/support'
import { uniqueName, useMySql } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TableFilter } from '../config/table-filter.ts'
import { findTables } from './snapshot-structure.ts'

test('a database whose tables the user may not list is left out, and the others are listed', async () => {
  const mysql = await useMySql()
  const [open, closed, user] = [uniqueName('open'), uniqueName('closed'), uniqueName('u').slice(0, 32)]
  for (const name of [open, closed])
    await mysql.query(`CREATE DATABASE ${name}; CREATE TABLE ${name}.t (id INT PRIMARY KEY)`)
  await mysql.query(
    `CREATE USER ${user} IDENTIFIED BY 'secret'; GRANT SHOW DATABASES ON *.* TO ${user}; GRANT SELECT ON ${open}.* TO ${user}`,
  )
  await using connection = await MySqlConnection.open({
    host: mysql.host,
    port: mysql.port,
    user,
    password: 'secret',
    tls: { mode: 'preferred' },
    connectTimeoutMs: 10_000,
    logger: silentLogger,
  })
  const none = new RegexList('')
  const databaseInclude = new RegexList(`${open},${closed}`)
  const filter = new TableFilter({ databaseInclude, databaseExclude: none, tableInclude: none, tableExclude: none })

  const { databases, captured, denied } = await findTables(connection, { filter, recordsOnlyCapturedTables: false })

  assert.deepEqual([databases, captured.map(String), denied], [[open], [`${open}.t`], [closed]])
})
