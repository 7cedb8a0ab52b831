import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type AddressInfo } from 'node:net'
import { test } from 'node:test'
import { isLoopback } from './loopback.ts'

test('the addresses of loopback connections, as sockets report them', async () => {
  for (const [listening, target] of [
    ['127.0.0.1', '127.0.0.1'],
    ['127.0.0.1', 'localhost'],
    ['0.0.0.0', '127.9.9.9'],
    ['::', '127.0.0.1'],
    ['::', '::1'],
  ] as const) {
    await using server = createServer().listen(0, listening)
    await once(server, 'listening')
    const accepted = once(server, 'connection')
    const client = connect((server.address() as AddressInfo).port, target)
    const [socket] = (await accepted) as [ReturnType<typeof connect>]
    await once(client, 'connect').catch(() => undefined)
    assert.ok(isLoopback(client.remoteAddress), `${target}: ${client.remoteAddress}`)
    assert.ok(isLoopback(socket.remoteAddress), `${target}: ${socket.remoteAddress}`)
    client.destroy()
    socket.destroy()
  }
})

test('no other address is loopback', () => {
  for (const address of ['10.127.0.1', '128.0.0.1', '::', '::2', 'fe80::1', '::ffff:10.0.0.1', '0.0.0.0', undefined]) {
    assert.equal(isLoopback(address), false, address)
  }
})
