import { MySqlConnection } from '@tributary/mysql'
import { present } from '@tributary/support'
import { type Database, uniqueName, useMariaDb, useMySql } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { flavorOf } from '../flavor/flavor-of.ts'
import { type LogPlace, StreamPosition } from '../offset/stream-position.ts'
import { binlogOf } from '../testing/binlog-of.ts'
import { readBinlogEnd } from './binlog-end.ts'

/** The end for a position with the GTIDs of the server, and more. */
async function endOf(
  database: Database,
  more: string,
  user: { user?: string; password?: string } = {},
): Promise<LogPlace | null> {
  const { connection: options } = binlogOf(database)
  await using connection = await MySqlConnection.open({ ...options, ...user })
  const [row] = await connection.query('SELECT VERSION(), @@global.gtid_binlog_pos')
  const flavor = flavorOf(row?.[0] ?? '')
  const serverInfo = await flavor.readServerInfo(connection)
  const position = StreamPosition.parse({ file: 'other.000009', pos: 4, gtids: `${row?.[1]}${more}` })
  const { signal } = new AbortController()
  return await readBinlogEnd({ flavor, serverInfo }, present(position, 'a position'), { connection, signal })
}

test('the end of the binlog is a place after what was executed, unless the server lacks a domain of it', async () => {
  const database = await useMariaDb()
  const [before] = await database.query('SHOW MASTER STATUS')
  const end = present(await endOf(database, ''), 'the end')
  assert.ok(end.file > String(before?.['File']) || end.position >= Number(before?.['Position']))
  assert.equal(await endOf(database, ',77-1-5'), null)
})

test('without the privilege for it, the end is not known', async () => {
  const database = await useMariaDb()
  const user = uniqueName('user')
  await database.query(`CREATE USER ${user} IDENTIFIED BY 'secret'`)
  assert.equal(await endOf(database, '', { user, password: 'secret' }), null)
})

test('MySQL is not asked', async () => {
  const database = await useMySql()
  const { connection: options } = binlogOf(database)
  await using connection = await MySqlConnection.open(options)
  const [row] = await connection.query('SELECT VERSION()')
  const flavor = flavorOf(row?.[0] ?? '')
  const serverInfo = await flavor.readServerInfo(connection)
  const position = present(StreamPosition.parse({ file: 'binlog.000001', pos: 4 }), 'a position')
  const { signal } = new AbortController()
  assert.equal(await readBinlogEnd({ flavor, serverInfo }, position, { connection, signal }), null)
})
