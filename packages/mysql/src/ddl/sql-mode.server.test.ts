import assert from 'node:assert/strict'
import { test } from 'node:test'
import { casesOfTier, type Database, fullTest, uniqueName, useMariaDb, useMySql } from '@tributary/testkit'
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

const NONE = {
  ansiQuotes: false,
  noBackslashEscapes: false,
  realAsFloat: false,
  isOracle: false,
  isMsSql: false,
  isMaxDb: false,
  emptyStringIsNull: false,
}

for (const [name, use] of casesOfTier('sql mode', [
  ['MySQL', useMySql],
  ['MariaDB', useMariaDb],
] as const)) {
  test(`finds the modes that change the meaning of statements in the query events of ${name}`, async () => {
    const server = await use()

    for (const [mode, options] of [
      ['ANSI_QUOTES', { ansiQuotes: true }],
      ['NO_BACKSLASH_ESCAPES', { noBackslashEscapes: true }],
      ['REAL_AS_FLOAT', { realAsFloat: true }],
      ['STRICT_ALL_TABLES,NO_ZERO_DATE', {}],
    ] as const) {
      assert.deepEqual(sqlModeOptions(await loggedMode(server, mode)), { ...NONE, ...options }, mode)
    }
  })
}

fullTest("finds MariaDB's own modes", async () => {
  const server = await useMariaDb()

  // The first three include ANSI_QUOTES.
  for (const [mode, options] of [
    ['ORACLE', { ansiQuotes: true, isOracle: true }],
    ['MSSQL', { ansiQuotes: true, isMsSql: true }],
    ['MAXDB', { ansiQuotes: true, isMaxDb: true }],
    ['EMPTY_STRING_IS_NULL', { emptyStringIsNull: true }],
  ] as const) {
    assert.deepEqual(sqlModeOptions(await loggedMode(server, mode)), { ...NONE, ...options }, mode)
  }
})
