import { silentLogger, StoppedError } from '@tributary/support'
import {
  databaseAccounts,
  eventually,
  fakeClock,
  uniqueName,
  useMariaDb,
  useMySql,
  type Database,
} from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setUpStructureSession } from '../commands/structure-session.ts'
import { MySqlConnection } from './mysql-connection.ts'

/** MySQL does not look at the socket while it waits for a lock. */
const servers = [
  { name: 'MySQL', use: useMySql, noticesClose: false },
  { name: 'MariaDB', use: useMariaDb, noticesClose: true },
] as const

function open({ host, port }: Database): Promise<MySqlConnection> {
  const tls = { mode: 'disabled' } as const
  const { root } = databaseAccounts
  return MySqlConnection.open({ host, port, ...root, tls, connectTimeoutMs: 10_000, logger: silentLogger })
}

/** True while the server executes the statement of a connection. */
async function isRunning(server: Database, threadId: number): Promise<boolean> {
  const rows = await server.query(
    `SELECT info FROM information_schema.processlist WHERE id = ${threadId} AND info IS NOT NULL`,
  )
  return rows.length > 0
}

/** Holds the exclusive metadata lock of a new table: CREATE TABLE … SELECT has it until it is done. */
async function lockTable(server: Database): Promise<{ table: string; holder: MySqlConnection; ended: Promise<void> }> {
  const database = uniqueName('locked')
  await server.query(`CREATE DATABASE ${database}`)
  const holder = await open(server)
  const ended = assert.rejects(holder.query(`CREATE TABLE ${database}.t AS SELECT SLEEP(600) AS s`))
  await eventually('the lock is held', () => isRunning(server, holder.threadId))
  return { table: `${database}.t`, holder, ended }
}

for (const { name, use, noticesClose } of servers) {
  test(`a statement that waits for a metadata lock obeys its signal at once, on ${name}`, async () => {
    const server = await use()
    const { table, holder, ended } = await lockTable(server)
    await using connection = await open(server)
    const { threadId } = connection
    const stop = new AbortController()
    const reading = connection.query(`SHOW CREATE TABLE ${table}`, 'reading the definition', {
      signal: stop.signal,
    })
    const stopped = assert.rejects(reading, StoppedError)
    await eventually('the statement waits', () => isRunning(server, threadId))

    stop.abort()

    await stopped
    await assert.rejects(connection.query('SELECT 1'), {
      code: 'MYSQL_CONNECTION_LOST',
      message: /closed when the client stopped waiting for a statement \(reading the definition\)/,
    })
    const endsOnServer = (): Promise<true> =>
      eventually('the server has ended the statement', async () => !(await isRunning(server, threadId)))
    if (noticesClose) await endsOnServer()
    assert.ok(await isRunning(server, holder.threadId), 'the lock is still held')
    await server.query(`KILL ${holder.threadId}`)
    await ended
    await endsOnServer()
  })

  test(`lockWaitSeconds bounds the wait for a metadata lock on ${name}`, async () => {
    const server = await use()
    const { table, holder, ended } = await lockTable(server)
    await using connection = await open(server)
    await setUpStructureSession(connection, { lockWaitSeconds: 1 })

    await assert.rejects(connection.query(`SHOW CREATE TABLE ${table}`), {
      code: 'MYSQL_BUSY',
      message: /Lock wait timeout exceeded/,
    })

    assert.deepEqual(await connection.query('SELECT 1'), [['1']])
    await server.query(`KILL ${holder.threadId}`)
    await ended
  })

  test(`a statement that exceeds its time limit closes the connection, on ${name}`, async () => {
    await using connection = await open(await use())
    const clock = fakeClock()
    const timeLimit = { clock, limitMs: 30_000 }
    assert.deepEqual(await connection.query('SELECT 1', 'reading one', { timeLimit }), [['1']])
    const sleeping = connection.query('SELECT SLEEP(60)', 'sleeping', { timeLimit })
    const failed = assert.rejects(sleeping, {
      code: 'MYSQL_CONNECTION_LOST',
      message: /lost while sleeping: the server did not answer within 30 s/,
    })

    await clock.advance(30_000)

    await failed
    assert.equal(connection.isOpen, false)
    await assert.rejects(connection.query('SELECT 2'), { code: 'MYSQL_CONNECTION_LOST' })
  })
}

test('a signal that fires after the answer leaves the connection open', async () => {
  await using connection = await open(await useMySql())
  const stop = new AbortController()
  await connection.query('SELECT 1', 'reading one', { signal: stop.signal })

  stop.abort()

  assert.deepEqual(await connection.query('SELECT 2'), [['2']])
})
