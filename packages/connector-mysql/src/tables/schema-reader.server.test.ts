import { TableId } from '@tributary/connector-kit'
import { silentLogger, StoppedError } from '@tributary/support'
import { databaseAccounts, eventually, startFaultProxy, useMySql } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SchemaReader } from './schema-reader.ts'

test('a stop does not wait for the answer to SHOW CREATE TABLE', async () => {
  await using proxy = await startFaultProxy({ target: await useMySql() })
  const reader = new SchemaReader({
    host: proxy.host,
    port: proxy.port,
    ...databaseAccounts.debezium,
    tls: { mode: 'disabled' },
    connectTimeoutMs: 10_000,
    logger: silentLogger,
    /** Read after the login: from here on the server does not answer. */
    get initialStatements(): readonly string[] {
      queueMicrotask(() => proxy.stall())
      return []
    },
  })
  const stop = new AbortController()
  const rejection = assert.rejects(reader.createStatement(TableId.of('shop', 't'), stop.signal), StoppedError)
  await eventually('the statement is sent', () => proxy.heldBack().includes('SHOW CREATE TABLE'))

  stop.abort()

  await rejection
  proxy.resume()
  await eventually('the connection is closed', () => proxy.connections === 0)
})
