/** A server that never ends its answers: the connection ends, and the memory of the process does not grow with them. */
import { silentLogger } from '@tributary/support'
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { test } from 'node:test'
import { MySqlConnection } from './mysql-connection.ts'

function packet(sequence: number, payload: Buffer): Buffer {
  const header = Buffer.from([0, 0, 0, sequence & 0xff])
  header.writeUIntLE(payload.length, 0, 3)
  return Buffer.concat([header, payload])
}

/** HandshakeV10 with mysql_native_password. */
const GREETING = packet(
  0,
  Buffer.concat([
    Buffer.from('\n8.0.0\0', 'latin1'),
    Buffer.from([1, 0, 0, 0]),
    Buffer.from('12345678\0', 'latin1'),
    Buffer.from([0x00, 0x82, 45, 2, 0, 0x08, 0x00, 21]),
    Buffer.alloc(10),
    Buffer.from('123456789012\0mysql_native_password\0', 'latin1'),
  ]),
)
const OK = packet(2, Buffer.from([0, 0, 0, 2, 0, 0, 0]))
const DONE = packet(1, Buffer.from([0, 0, 0, 2, 0, 0, 0]))
const END = [0xfe, 0, 0, 2, 0] as const
const COLUMN = Buffer.from('\x03def\0\0\0\x01a\0\x0c\x2d\0\xff\0\0\0\xfd\0\0\0\0\0', 'latin1')
const RESULT_HEAD = Buffer.concat([packet(1, Buffer.from([1])), packet(2, COLUMN), packet(3, Buffer.from(END))])
/** As many as numbers of packets, so that they can be repeated. */
const ROWS = Buffer.concat(Array.from({ length: 10_240 }, (_, i) => packet(4 + i, Buffer.from([1, 0x78]))))
/** The first part of a packet that goes on. */
const PART = Buffer.concat([Buffer.from([0xff, 0xff, 0xff, 4]), Buffer.alloc(0xff_ff_ff, 0x78)])

/** Sends the same bytes until the connection ends. */
async function flood(socket: Socket, bytes: Buffer): Promise<void> {
  while (!socket.destroyed) {
    if (socket.write(bytes)) await new Promise(setImmediate)
    else await once(socket, 'drain')
  }
}

interface Behaviour {
  readonly onConnect: (socket: Socket) => Promise<void> | void
  readonly onStatement: (socket: Socket) => Promise<void> | void
}

async function withServer(behaviour: Partial<Behaviour>, use: (port: number) => Promise<void>): Promise<number> {
  let sent = 0
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.on('close', () => (sent += socket.bytesWritten))
    const { onConnect = (each) => void each.write(GREETING), onStatement = () => undefined } = behaviour
    Promise.resolve(onConnect(socket)).catch(() => undefined)
    socket.once('data', () => {
      socket.write(OK)
      // Of the statement that sets up the session.
      socket.once('data', () => socket.write(DONE))
    })
    socket.on('data', (bytes) => {
      if (bytes.includes('SELECT 1')) void Promise.resolve(onStatement(socket)).catch(() => undefined)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  await use((server.address() as AddressInfo).port)
  server.close()
  await once(server, 'close')
  return sent
}

function open(port: number): Promise<MySqlConnection> {
  const tls = { mode: 'disabled' } as const
  const options = { host: '127.0.0.1', port, user: 'u', password: '', tls, connectTimeoutMs: 10_000 }
  return MySqlConnection.open({ ...options, logger: silentLogger })
}

for (const [name, head, bytes, reason] of [
  ['rows', RESULT_HEAD, ROWS, /it has more than 1000000 rows/],
  ['a row', RESULT_HEAD, PART, /it has more than 128 MiB/],
] as const) {
  test(`an answer with ${name} without end fails the statement, and later ones`, async () => {
    const onStatement = async (socket: Socket): Promise<void> => {
      socket.write(head)
      await flood(socket, bytes)
    }
    const sent = await withServer({ onStatement }, async (port) => {
      await using connection = await open(port)
      await assert.rejects(connection.query('SELECT 1', 'listing the databases'), {
        code: 'MYSQL_ANSWER_TOO_LARGE',
        message: new RegExp(`while listing the databases does not end: ${reason.source}`),
      })
      await assert.rejects(connection.query('SELECT 1'), { code: 'MYSQL_ANSWER_TOO_LARGE' })
    })
    assert.ok(sent < 256 << 20, `${sent} bytes were sent`)
  })
}

for (const [columns, head] of [
  [16_777_215, [0xfd, 0xff, 0xff, 0xff]],
  [4097, [0xfc, 1, 0x10]],
] as const) {
  test(`an answer with ${columns} columns, more than a result can have, fails the statement`, async () => {
    const onStatement = (socket: Socket): void => void socket.write(packet(1, Buffer.from(head)))
    await withServer({ onStatement }, async (port) => {
      await using connection = await open(port)
      await assert.rejects(connection.query('SELECT 1', 'listing the databases'), {
        code: 'MYSQL_PROTOCOL',
        message: new RegExp(`while listing the databases: it announced ${columns} columns`),
      })
    })
  })
}

test('a column that the driver cannot read fails the statement, not the process', async () => {
  // 0xff is the length of nothing.
  const broken = Buffer.concat([packet(1, Buffer.from([1])), packet(2, Buffer.from('\x03def\xff', 'latin1'))])
  const onStatement = (socket: Socket): void => void socket.write(broken)
  await withServer({ onStatement }, async (port) => {
    await using connection = await open(port)
    await assert.rejects(connection.query('SELECT 1', 'listing the databases'), {
      code: 'MYSQL_PROTOCOL',
    })
  })
})

test('a greeting without end fails the login', async () => {
  const sent = await withServer({ onConnect: (socket) => flood(socket, PART) }, async (port) => {
    await assert.rejects(open(port), { code: 'MYSQL_NOT_A_SERVER' })
  })
  assert.ok(sent < 64 << 20, `${sent} bytes were sent`)
})
