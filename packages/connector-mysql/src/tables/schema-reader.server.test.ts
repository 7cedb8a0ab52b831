import { TableId } from '@tributary/connector-kit'
import { silentLogger, StoppedError } from '@tributary/support'
import {
  type Database,
  databaseAccounts,
  eventually,
  fakeClock,
  startFaultProxy,
  uniqueName,
  useMariaDb,
  useMySql,
} from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SchemaReader } from './schema-reader.ts'

function readerOf({ host, port }: Database): SchemaReader {
  const tls = { mode: 'disabled' } as const
  const { root } = databaseAccounts
  return new SchemaReader({ host, port, ...root, tls, connectTimeoutMs: 10_000, logger: silentLogger }, fakeClock())
}

for (const [name, use] of [
  ['MySQL', useMySql],
  ['MariaDB', useMariaDb],
] as const) {
  test(`a stop does not wait for the metadata lock that SHOW CREATE TABLE waits for, on ${name}`, async () => {
    const server = await use()
    const database = uniqueName('locked')
    await server.query(`CREATE DATABASE ${database}`)
    const holder = await server.connect()
    // Holds the exclusive lock of the new table until it is done.
    const ended = assert.rejects(holder.query(`CREATE TABLE ${database}.t AS SELECT SLEEP(600) AS s`))
    const isRunning = async (statement: string, state = '%'): Promise<boolean> => {
      const rows = await server.query(
        `SELECT 1 FROM information_schema.processlist
          WHERE info LIKE '${statement} %${database}%' AND state LIKE '${state}' AND id <> CONNECTION_ID()`,
      )
      return rows.length > 0
    }
    // It runs its SELECT, so it has created the table and holds the lock.
    await eventually('the lock is held', () => isRunning('CREATE TABLE', 'User sleep'))
    const stop = new AbortController()
    const reading = readerOf(server).createStatement(TableId.of(database, 't'), stop.signal)
    const rejection = assert.rejects(reading, StoppedError)
    await eventually('the statement waits', () => isRunning('SHOW CREATE TABLE'))

    stop.abort()

    await rejection
    assert.ok(await isRunning('CREATE TABLE'), 'the lock is still held')
    await server.query(`KILL ${holder.threadId}`)
    await ended
    await eventually('the server has ended the statement', async () => !(await isRunning('SHOW CREATE TABLE')))
    holder.destroy()
  })

  test(`a table or a database that does not exist has no definition, on ${name}`, async () => {
    const server = await use()
    const database = uniqueName('empty')
    assert.equal(await readerOf(server).createStatement(TableId.of(database, 't')), null)
    await server.query(`CREATE DATABASE ${database}`)
    assert.equal(await readerOf(server).createStatement(TableId.of(database, 't')), null)
  })
}

test('a stop does not wait for a silent server, and closes the connection', async () => {
  await using proxy = await startFaultProxy({ target: await useMySql() })
  const options = {
    host: proxy.host,
    port: proxy.port,
    ...databaseAccounts.debezium,
    tls: { mode: 'disabled' },
    // Without it, the test would need a login of the account with TLS before it.
    allowsPublicKeyRetrieval: true,
    connectTimeoutMs: 10_000,
    logger: silentLogger,
    /** Read after the login: from then on the proxy holds back every answer. */
    get initialStatements(): readonly string[] {
      proxy.stall()
      return []
    },
  } as const
  const stop = new AbortController()
  const reading = new SchemaReader(options, fakeClock()).createStatement(TableId.of('shop', 't'), stop.signal)
  const rejection = assert.rejects(reading, StoppedError)
  await eventually('the statement is in flight', () => proxy.heldBack().includes('SET SESSION'))

  stop.abort()

  await rejection
  proxy.resume()
  await eventually('the connection is closed', () => proxy.connections === 0)
})
