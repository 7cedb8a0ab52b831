import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TableId } from '@tributary/connector-kit'
import { MySqlConnection } from '@tributary/mysql'
import { silentLogger, systemClock } from '@tributary/support'
import { databaseAccounts, type Database, type DatabaseServer, startMariaDb, startMySql } from '@tributary/testkit'
import { LockWaitError, SnapshotLock } from './snapshot-lock.ts'

const servers: readonly (readonly [string, () => Promise<DatabaseServer>])[] = [
  ['MySQL', () => startMySql()],
  ['MariaDB', () => startMariaDb()],
]

function login(server: Database, account: keyof typeof databaseAccounts): Promise<MySqlConnection> {
  return MySqlConnection.open({
    host: server.host,
    port: server.port,
    ...databaseAccounts[account],
    tls: { mode: 'preferred' },
    connectTimeoutMs: 10_000,
    logger: silentLogger,
  })
}

for (const [name, start] of servers) {
  test(`${name}: the error of a lock that is not available in time names the holder, or the privilege to see it`, async () => {
    await using server = await start()
    await server.query('CREATE DATABASE d; CREATE TABLE d.t (id INT PRIMARY KEY)')
    const holder = await server.connect('mysqluser')
    await holder.query('LOCK TABLES d.t WRITE')
    const take = async (account: 'root' | 'debezium'): Promise<unknown> => {
      await using connection = await login(server, account)
      const config = { snapshotLockTimeoutMs: 1000, user: account }
      const tools = { clock: systemClock, logger: silentLogger }
      return await SnapshotLock.take(connection, [TableId.of('d', 't')], config, tools).catch((error: unknown) => error)
    }

    const [seen, hidden] = [await take('root'), await take('debezium')]
    await holder.end()

    assert.ok(seen instanceof LockWaitError && hidden instanceof LockWaitError)
    assert.match(seen.message, /^the global read lock was not available within 1 s; .* of mysqluser@/)
    assert.match(hidden.message, /sees no other session \(grant PROCESS/)
    await using connection = await login(server, 'root')
    const tools = { clock: systemClock, logger: silentLogger }
    const lock = await SnapshotLock.take(connection, [], { snapshotLockTimeoutMs: 1000, user: 'root' }, tools)
    await lock.release()
  })
}
