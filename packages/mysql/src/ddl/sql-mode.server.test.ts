import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Database, uniqueName, useMariaDb, useMySql } from '@tributary/testkit'
import { sqlModeOptions } from './sql-mode.ts'

/** The sql_mode in the query event of a statement, as mysqlbinlog prints it. */
async function loggedMode(server: Database, mode: string): Promise<bigint> {
  const database = uniqueName('mode')
  await using connection = await server.connect()
  await connection.query(`SET SESSION sql_mode = '${mode}'`)
  const logs = await server.query('SHOW BINARY LOGS')
  await connection.query(`CREATE DATABASE ${database}`)
  await connection.query(`DROP DATABASE ${database}`)
  const { stdout } = await server.mysqlbinlog([`${server.dataFolder}/${String(logs.at(-1)?.['Log_name'])}`])
  const before = stdout.slice(0, stdout.indexOf(`CREATE DATABASE ${database}`))
  return BigInt([...before.matchAll(/@@session\.sql_mode=(\d+)/g)].at(-1)?.[1] ?? '-1')
}

for (const [name, use] of [
  ['MySQL', useMySql],
  ['MariaDB', useMariaDb],
] as const) {
  test(`finds the modes that change the meaning of statements in the query events of ${name}`, async () => {
    const server = await use()
    const none = { ansiQuotes: false, noBackslashEscapes: false, realAsFloat: false }

    assert.deepEqual(sqlModeOptions(await loggedMode(server, 'ANSI_QUOTES')), { ...none, ansiQuotes: true })
    assert.deepEqual(sqlModeOptions(await loggedMode(server, 'NO_BACKSLASH_ESCAPES')), {
      ...none,
      noBackslashEscapes: true,
    })
    assert.deepEqual(sqlModeOptions(await loggedMode(server, 'REAL_AS_FLOAT')), { ...none, realAsFloat: true })
    assert.deepEqual(sqlModeOptions(await loggedMode(server, 'STRICT_ALL_TABLES,NO_ZERO_DATE')), none)
  })
}
