import assert from 'node:assert/strict'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { Duplex } from 'node:stream'
import { test } from 'node:test'
import { silentLogger } from '@tributary/support'
import { temporaryFolder } from '@tributary/testkit'
import { startBroker } from './index.ts'
import { MessageCodec } from './protocol/message-codec.ts'
import { messages } from './protocol/messages.table.ts'
import { WireReader } from './protocol/wire-reader.ts'
import { ClientConnection } from './shell/client-connection.ts'
import { RawClient } from './testing/raw-client.ts'
import { testBatch } from './testing/test-batch.ts'

test('a folder that a process of another host or of an earlier start of the machine has locked is refused', async () => {
  await using folder = temporaryFolder('lock')
  const lock = join(folder.path, 'lock')
  const storage = { tag: 'folder', path: folder.path } as const
  await (await startBroker({ storage }))[Symbol.asyncDispose]()
  assert.equal(existsSync(lock), false)
  const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  for (const host of [`elsewhere ${boot}`, `${hostname()} 00000000-0000-0000-0000-000000000000`]) {
    writeFileSync(lock, `999999999 1 ${host}`)
    await assert.rejects(startBroker({ storage }), /is locked by process 999999999 of/)
    rmSync(lock)
  }
  // No process has that number.
  writeFileSync(lock, `999999999 1 ${hostname()} ${boot}`)
  await using broker = await startBroker({ storage })
  assert.ok(broker.bootstrapServers !== '')
})

test('an answer to a fetch has up to 55 MiB, whatever the request allows', async () => {
  await using broker = await startBroker()
  await using client = await RawClient.connect(broker.bootstrapServers)
  await client.send('CreateTopics', 5, {
    topics: [{ name: 't', numPartitions: 1, replicationFactor: 1 }],
    timeoutMs: 1_000,
  })
  const records = testBatch({ values: ['x'.repeat(1_000_000)], hasKeys: true, timestamp: 0 })
  for (let i = 0; i < 60; i++) {
    const topicData = [{ name: 't', partitionData: [{ index: 0, records }] }]
    const answer = await client.send('Produce', 9, { transactionalId: null, acks: -1, timeoutMs: 1_000, topicData })
    assert.equal(answer.responses[0]?.partitionResponses[0]?.errorCode, 0)
  }
  const most = 0x7fffffff
  const partitions = [{ partition: 0, fetchOffset: 0n, partitionMaxBytes: most }]
  const request = { maxWaitMs: 0, minBytes: 1, maxBytes: most, isolationLevel: 0, topics: [{ topic: 't', partitions }] }
  const answer = await client.send('Fetch', 11, request)
  const bytes = answer.responses[0]?.partitions[0]?.records?.length ?? 0
  assert.ok(bytes > 50_000_000 && bytes <= 55 * 2 ** 20, `${bytes} bytes`)
})

/** A socket that nobody is at the other end of. */
function idleSocket(): Socket {
  const stream = new Duplex({ read: () => {}, write: (_chunk, _encoding, done) => done() })
  return Object.assign(stream, { setNoDelay: () => stream }) as unknown as Socket
}

/** int32 size · int16 key 18 (ApiVersions) · int16 version 0 · int32 correlation · int16 -1 (no client id) · padding */
function requestOf(bytes: number): Buffer {
  const frame = Buffer.alloc(4 + bytes)
  frame.writeInt32BE(bytes, 0)
  frame.writeInt16BE(18, 4)
  frame.writeInt16BE(-1, 12)
  return frame
}

test('a connection is not read while its waiting requests have more than 8 MiB', () => {
  const socket = idleSocket()
  const connection = new ClientConnection(socket, {
    codec: new MessageCodec(),
    logger: silentLogger,
    login: null,
    handle: () => {},
  })
  socket.emit('data', requestOf(10))
  for (let i = 0; i < 8; i++) socket.emit('data', requestOf(1 << 20))
  assert.equal(socket.isPaused(), false)
  socket.emit('data', requestOf(1 << 20))
  assert.equal(socket.isPaused(), true)
  connection.close()
})

test('the length of an array is refused when the rest of the message is too short for its elements', () => {
  // DeleteTopics 1: an array of texts of at least two bytes each, then int32 timeout.
  const bytes = Buffer.alloc(4 + 100)
  bytes.writeInt32BE(60, 0)
  const { request, flexibleFrom } = messages.DeleteTopics
  const read = (): unknown => new MessageCodec().read({ fields: request, flexibleFrom }, 1, new WireReader(bytes))
  assert.throws(read, /60 elements in 100 bytes/)
})
