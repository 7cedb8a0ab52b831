/** A database and a schema registry that never end their answers, at a worker in operation. */
import { type Service, startService, temporaryFolder, useKafka } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'

const PROVIDERS = {
  CONNECT_CONFIG_PROVIDERS: 'file',
  CONNECT_CONFIG_PROVIDERS_FILE_CLASS: 'org.apache.kafka.common.config.provider.FileConfigProvider',
}

function packet(sequence: number, payload: Buffer): Buffer {
  const header = Buffer.from([0, 0, 0, sequence & 0xff])
  header.writeUIntLE(payload.length, 0, 3)
  return Buffer.concat([header, payload])
}

/** HandshakeV10 with mysql_native_password, an OK, and the head of a result with one column. */
const GREETING = packet(
  0,
  Buffer.concat([
    Buffer.from('\n8.0.0\0\x01\0\0\x0012345678\0', 'latin1'),
    Buffer.from([0x00, 0x82, 45, 2, 0, 0x08, 0x00, 21]),
    Buffer.alloc(10),
    Buffer.from('123456789012\0mysql_native_password\0', 'latin1'),
  ]),
)
const OK = packet(2, Buffer.from([0, 0, 0, 2, 0, 0, 0]))
const COLUMN = Buffer.from('\x03def\0\0\0\x01a\0\x0c\x2d\0\xff\0\0\0\xfd\0\0\0\0\0', 'latin1')
const HEAD = Buffer.concat([packet(1, Buffer.from([1])), packet(2, COLUMN), packet(3, Buffer.from([0xfe, 0, 0, 2, 0]))])
const ROWS = Buffer.concat(Array.from({ length: 10_240 }, (_, i) => packet(4 + i, Buffer.from('\x02xx'))))

async function flood(socket: Socket, chunk: Buffer): Promise<void> {
  while (!socket.destroyed) if (!socket.write(chunk)) await once(socket, 'drain')
}

/** A database whose answers to statements never end. */
function endlessDatabase(socket: Socket): void {
  socket.write(GREETING)
  socket.once('data', () => {
    socket.write(OK)
    socket.once('data', () => {
      socket.write(HEAD)
      void flood(socket, ROWS).catch(() => undefined)
    })
  })
}

function endlessRegistry(socket: Socket): void {
  socket.once('data', () => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n')
    void flood(socket, Buffer.alloc(65_536, '[')).catch(() => undefined)
  })
}

async function listening(onConnection: (socket: Socket) => void): Promise<AsyncDisposable & { readonly port: number }> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    onConnection(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

function config(port: number, more: Readonly<Record<string, string>> = {}): Record<string, string> {
  return {
    'connector.class': 'io.debezium.connector.mysql.MySqlConnector',
    name: 'hostile',
    'database.hostname': '127.0.0.1',
    'database.port': String(port),
    'database.user': 'u',
    'database.password': 'p',
    'database.ssl.mode': 'disabled',
    'database.server.id': '4711',
    'topic.prefix': 'hostile',
    'schema.history.internal.kafka.bootstrap.servers': 'localhost:9092',
    'schema.history.internal.kafka.topic': 'hostile',
    ...more,
  }
}

/** The errors of a validation. The worker answers other requests meanwhile. */
async function errorsOf(service: Service, checked: Readonly<Record<string, string>>): Promise<string> {
  let isDone = false
  const validation = service
    .rest('PUT', '/connector-plugins/MySqlConnector/config/validate', checked)
    .finally(() => (isDone = true))
  for (let n = 0; n === 0 || !isDone; n += 1) assert.equal((await service.rest('GET', '/connectors')).status, 200)
  const { text } = await validation
  return text
}

test('answers without end fail the check that asked for them, and nothing else', async () => {
  const { bootstrapServers } = await useKafka()
  await using folder = temporaryFolder('hostile')
  execFileSync('mkfifo', [join(folder.path, 'pipe')])
  await using database = await listening(endlessDatabase)
  await using registry = await listening(endlessRegistry)
  await using service = await startService({ bootstrapServers, env: PROVIDERS })
  const pid = service.pid

  assert.match(
    await errorsOf(service, config(database.port)),
    /The answer of the database at 127\.0\.0\.1:\d+ while [^"]* does not end: it has more than 1000000 rows/,
  )
  const avro = {
    'value.converter': 'io.confluent.connect.avro.AvroConverter',
    'value.converter.schema.registry.url': `http://127.0.0.1:${registry.port}`,
  }
  assert.match(
    await errorsOf(service, config(database.port, avro)),
    /The schema registry at the address in value\.converter\.schema\.registry\.url does not answer: [^"]*longer than 16 MiB/,
  )
  assert.match(
    await errorsOf(service, config(database.port, { 'database.password': `\${file:${folder.path}/pipe:key}` })),
    /pipe is not a file/,
  )
  const posted = await service.rest('POST', '/connectors', { name: 'hostile', config: config(database.port) })
  assert.equal(posted.status, 400)
  assert.match(posted.text, /does not end: it has more than 1000000 rows/)
  assert.equal(service.pid, pid)
  assert.equal((await service.rest('GET', '/health')).status, 200)
  const [, peakKb = '0'] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  assert.ok(Number(peakKb) < 900_000, `${peakKb} kB`)
})
