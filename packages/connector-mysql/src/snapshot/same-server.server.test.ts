/** A snapshot without a lock whose address leads to another server from its first SHOW CREATE TABLE on. */
import { startMySql, useMySql } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { test } from 'node:test'
import { isStreaming, sceneOf, TaskRun } from '../testing/task-run.ts'

test('the binlog of another server proves nothing: the snapshot begins again on that server', async () => {
  const first = await useMySql()
  await using second = await startMySql()
  const scene = await sceneOf(first, 'CREATE TABLE t (id INT PRIMARY KEY); INSERT INTO t VALUES (1)')
  await second.query(`CREATE DATABASE ${scene.schema}; CREATE TABLE ${scene.schema}.t (id INT PRIMARY KEY);
    INSERT INTO ${scene.schema}.t VALUES (2)`)
  let target: { readonly host: string; readonly port: number } = first
  const sockets = new Set<Socket>()
  const proxy = createServer((client) => {
    const server = connect({ host: target.host, port: target.port })
    for (const socket of [client, server]) {
      sockets.add(socket)
      socket.on('error', () => socket.destroy())
    }
    client.on('data', (bytes) => {
      if (bytes.includes('SHOW CREATE TABLE')) target = second
    })
    client.pipe(server).pipe(client)
  })
  await new Promise<void>((resolve) => {
    proxy.listen(0, '127.0.0.1', resolve)
  })
  const address = {
    'database.hostname': '127.0.0.1',
    'database.port': String((proxy.address() as AddressInfo).port),
    'database.ssl.mode': 'disabled',
    'database.allowPublicKeyRetrieval': 'true',
  }
  try {
    await using run = await TaskRun.start(scene, { ...address, 'snapshot.locking.mode': 'none' })
    await run.until(isStreaming)
    assert.equal(run.logger.matching('The snapshot begins again').length, 1)
    const [uuid] = await second.query('SELECT @@server_uuid AS id')
    await run.until(({ events }) => events.length > 0)
    assert.deepEqual(run.changes, ['r 2'])
    assert.equal(run.stored?.['server_identity'], uuid?.['id'])
  } finally {
    for (const socket of sockets) socket.destroy()
    proxy.close()
  }
})
