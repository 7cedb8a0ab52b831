import { silentLogger, StoppedError } from '@tributary/support'
import { databaseAccounts, eventually, startFaultProxy, useMySql } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openSession } from './snapshot-session.ts'

for (const [what, statements, sent] of [
  ['sets up the session', [], 'SET SESSION sql_mode'],
  ['comes from database.initial.statements', ['SELECT 4711'], 'SELECT 4711'],
] as const) {
  test(`a stop does not wait for the answer to a statement that ${what}`, async () => {
    await using proxy = await startFaultProxy({ target: await useMySql() })
    const options = {
      host: proxy.host,
      port: proxy.port,
      ...databaseAccounts.debezium,
      tls: { mode: 'disabled' },
      allowsPublicKeyRetrieval: true,
      connectTimeoutMs: 10_000,
      logger: silentLogger,
      /** Read after the login: from then on the proxy holds back every answer. */
      get initialStatements(): readonly string[] {
        proxy.stall()
        return statements
      },
    } as const
    const stop = new AbortController()
    const opened = openSession(options, stop.signal)
    const refused = assert.rejects(opened, StoppedError)
    await eventually('the statement is in flight', () => proxy.heldBack().includes(sent))
    stop.abort()
    await refused
    proxy.resume()
    await eventually('the connection is closed', () => proxy.connections === 0)
  })
}
