import assert from 'node:assert/strict'
import { connect, createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { test } from 'node:test'
import { eventually } from '../process/eventually.ts'
import { startFaultProxy } from './fault-proxy.ts'
import type { FaultProxy } from './fault-proxy.ts'

test('the proxy forwards and counts bytes in both directions, also on half-closed connections', async () => {
  await using setting = await echoBehindProxy()
  const client = await open(setting.proxy)
  client.socket.end('hello')
  await client.ended
  assert.equal(client.text(), 'hello')
  assert.equal(client.failure(), undefined)
  assert.deepEqual(setting.proxy.bytes, { toTarget: 5, fromTarget: 5 })
  await eventually('the proxy has closed the connection', () => setting.proxy.connections === 0)
  assert.equal(setting.proxy.accepted, 1)
})

test('cut resets open connections; new ones work', async () => {
  await using setting = await echoBehindProxy()
  const first = await open(setting.proxy)
  await first.echo('a')
  setting.proxy.cut()
  await first.ended
  assert.equal(first.failure(), 'ECONNRESET')
  assert.equal(setting.proxy.connections, 0)
  const second = await open(setting.proxy)
  await second.echo('b')
  second.socket.destroy()
})

test('refuse resets old and new connections until resume', async () => {
  await using setting = await echoBehindProxy()
  const old = await open(setting.proxy)
  setting.proxy.refuse()
  await old.ended
  const refused = await open(setting.proxy)
  await refused.ended
  assert.equal(refused.failure(), 'ECONNRESET')
  setting.proxy.resume()
  const served = await open(setting.proxy)
  await served.echo('x')
  served.socket.destroy()
})

test('stall holds back the bytes of old and new connections until resume', async () => {
  await using setting = await echoBehindProxy()
  const old = await open(setting.proxy)
  await old.echo('a')
  setting.proxy.stall()
  old.socket.write('b')
  const fresh = await open(setting.proxy)
  fresh.socket.write('c')
  // These two bytes go to the target and back without the proxy; meanwhile a proxy that did not stall would have
  // forwarded the two bytes above.
  const direct = await open(setting.target)
  await direct.echo('1')
  await direct.echo('2')
  direct.socket.destroy()
  assert.deepEqual(setting.proxy.bytes, { toTarget: 1, fromTarget: 1 })
  assert.equal(old.text(), 'a')
  assert.equal(setting.proxy.heldBack().toString(), 'bc')
  setting.proxy.resume()
  assert.equal(setting.proxy.heldBack().length, 0)
  await eventually('both answers arrive', () => old.text() === 'ab' && fresh.text() === 'c')
  old.socket.destroy()
  fresh.socket.destroy()
})

test('cutAfterBytes forwards exactly that many bytes, then cuts once', async () => {
  await using setting = await echoBehindProxy()
  const first = await open(setting.proxy)
  setting.proxy.cutAfterBytes(3)
  await first.echo('a')
  first.socket.write('bcdef')
  await first.ended
  assert.equal(first.text(), 'abc')
  assert.equal(first.failure(), 'ECONNRESET')
  const second = await open(setting.proxy)
  await second.echo('abcdef')
  second.socket.destroy()
})

test('the byte limit also works in the other direction', async () => {
  await using setting = await echoBehindProxy()
  const client = await open(setting.proxy)
  setting.proxy.cutAfterBytes(2, 'toTarget')
  client.socket.write('abcdef')
  await client.ended
  assert.equal(setting.received(), 'ab')
})

test('an unreachable target resets the client; close ends open connections and is idempotent', async () => {
  await using setting = await echoBehindProxy()
  const client = await open(setting.proxy)
  await client.echo('a')
  await setting.proxy.close()
  await setting.proxy.close()
  await client.ended

  await using lonely = await startFaultProxy({ target: { host: '127.0.0.1', port: setting.proxy.port } })
  const lost = await open(lonely)
  await lost.ended
  assert.equal(lost.failure(), 'ECONNRESET')
})

interface Address {
  readonly host: string
  readonly port: number
}

interface Setting extends AsyncDisposable {
  readonly target: Address
  readonly proxy: FaultProxy
  received(): string
}

async function echoBehindProxy(): Promise<Setting> {
  let received = ''
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => undefined)
    socket.on('data', (chunk) => {
      received += chunk.toString()
      socket.write(chunk)
    })
    socket.on('end', () => socket.end())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const target = { host: '127.0.0.1', port: (server.address() as AddressInfo).port }
  const proxy = await startFaultProxy({ target })
  const close = async (): Promise<void> => {
    await proxy.close()
    server.close()
  }
  return { target, proxy, received: () => received, [Symbol.asyncDispose]: close }
}

interface Client {
  readonly socket: Socket
  readonly ended: Promise<void>
  text(): string
  failure(): string | undefined
  echo(text: string): Promise<void>
}

async function open({ host, port }: Address): Promise<Client> {
  const socket = connect(port, host)
  let text = ''
  let failure: string | undefined
  socket.on('data', (chunk) => (text += chunk.toString()))
  socket.on('error', (error: NodeJS.ErrnoException) => (failure = error.code))
  const ended = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  const connected = new Promise<void>((resolve) => socket.once('connect', () => resolve()))
  // A connection that is reset at once may never emit 'connect'.
  await Promise.any([connected, ended])
  const echo = async (sent: string): Promise<void> => {
    const before = text.length
    socket.write(sent)
    await eventually(`the echo of ${sent}`, () => text.slice(before) === sent)
  }
  return { socket, ended, text: () => text, failure: () => failure, echo }
}
