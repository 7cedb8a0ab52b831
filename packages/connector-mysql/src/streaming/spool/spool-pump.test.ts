import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { StreamingNumbers } from '@tributary/connector-kit'
import { mysqlErrors, Spool, type SpoolEnd, type SpoolFeed, SpoolStream } from '@tributary/mysql'
import { present, systemClock } from '@tributary/support'
import { captureLogger, eventually } from '@tributary/testkit'
import { connectorErrors } from '../../errors.ts'
import { ANNOTATE_ROWS, CREATED, FIRST_FILE, GTID, MadeBinlog, type MadeDump, XID } from '../../testing/made-binlog.ts'
import { DiscontinuedError } from './continuation.ts'
import { SpoolPump } from './spool-pump.ts'

interface Pumping extends AsyncDisposable {
  readonly folder: string
  readonly spool: Spool
  readonly pump: SpoolPump
  readonly feed: SpoolFeed
  readonly logger: ReturnType<typeof captureLogger>
  /** The ends from which a lost connection was requested again. */
  readonly reopened: SpoolEnd[]
  drain(): Buffer[]
}

async function pumping(
  first: MadeDump,
  reopen: (end: SpoolEnd) => MadeDump,
  { bytesMax = 16 << 20, keepsStatements = false } = {},
): Promise<Pumping> {
  const root = mkdtempSync(join(tmpdir(), 'pump-'))
  const folder = join(root, 'spool')
  const logger = captureLogger()
  const spool = await Spool.open({ folder, bytesMax, clock: systemClock, logger })
  const reopened: SpoolEnd[] = []
  const start = spool.begin('a', { file: FIRST_FILE, position: 4 }, 'offset')
  const stream = await SpoolStream.open(spool, start, () => '')
  const options = {
    spool,
    folder,
    silenceMsMax: 60_000,
    address: 'db:3306',
    numbers: new StreamingNumbers(),
    clock: systemClock,
    logger,
    keepsStatements,
    reopen: async (end: SpoolEnd) => {
      reopened.push(end)
      return Promise.resolve(reopen(end))
    },
  }
  const pump = new SpoolPump(options, first)
  pump.watch(stream.feed)
  return {
    folder,
    spool,
    pump,
    feed: stream.feed,
    logger,
    reopened,
    drain: () => drain(stream.feed),
    async [Symbol.asyncDispose]() {
      await pump[Symbol.asyncDispose]()
      await spool[Symbol.asyncDispose]()
      rmSync(root, { recursive: true, force: true })
    },
  }
}

function drain(feed: SpoolFeed): Buffer[] {
  const packets: Buffer[] = []
  while (feed.next()) packets.push(Buffer.from(feed.bytes.subarray(feed.start, feed.end)))
  return packets
}

function neverAgain(): MadeDump {
  throw new Error('the server refuses the dump')
}

/** An error after which a retry may help. */
function lost(): Error {
  return new Error('reset by peer')
}

test('a lost connection is opened again at the end of the spool, which gets each event once, also in a transaction', async () => {
  const binlog = new MadeBinlog()
  for (let count = 0; count < 3; count++) binlog.transaction(100)
  const first = binlog.dump(4)
  await using pumped = await pumping(first, ({ place }) => binlog.dump(place.position))
  await eventually('everything was read', () => first.left === 0)
  // The connection is lost between the two events of a transaction.
  binlog.add(GTID, Buffer.alloc(42))
  first.push(present(binlog.packets.at(-1), 'an event'))
  first.fail(lost())
  binlog.add(XID, Buffer.alloc(8))
  binlog.transaction(100)
  const read: Buffer[] = []
  await eventually('everything is in the spool', () => {
    read.push(...pumped.drain())
    return read.length > binlog.events.length
  })
  assert.deepEqual(read.slice(1), binlog.packets)
  assert.equal(first.isClosed, true)
  assert.equal(pumped.reopened.length, 1)
})

for (const keepsStatements of [false, true]) {
  test(`a connection is continued before a statement of rows, which is ${keepsStatements ? '' : 'not '}kept`, async () => {
    const binlog = new MadeBinlog()
    binlog.transaction(100)
    binlog.add(GTID, Buffer.alloc(42))
    const first = binlog.dump(4)
    await using pumped = await pumping(first, ({ place }) => binlog.dump(place.position), { keepsStatements })
    await eventually('everything was read', () => first.left === 0)
    binlog.add(ANNOTATE_ROWS, Buffer.alloc(30))
    binlog.add(XID, Buffer.alloc(8))
    binlog.transaction(100)
    first.fail(lost())
    const kept = binlog.packets.filter((packet) => keepsStatements || packet[5] !== ANNOTATE_ROWS)
    const read: Buffer[] = []
    await eventually('everything is in the spool', () => {
      read.push(...pumped.drain())
      return read.length > kept.length
    })
    assert.deepEqual(read.slice(1), kept)
    assert.equal(pumped.reopened.length, 1)
  })
}

test('a server that crashed continues in the next file, although its last one has no end', async () => {
  const binlog = new MadeBinlog()
  binlog.transaction(100)
  const first = binlog.dump(4)
  await using pumped = await pumping(first, ({ place }) => binlog.dump(place.position))
  await eventually('everything was read', () => first.left === 0)
  const next = new MadeBinlog(CREATED + 60, 'binlog.000002')
  next.transaction(100)
  binlog.next = next
  first.fail(lost())
  const read: Buffer[] = []
  await eventually('everything is in the spool', () => {
    read.push(...pumped.drain())
    return read.length >= 1 + binlog.events.length + 1 + next.events.length
  })
  assert.deepEqual(read.slice(1, 1 + binlog.events.length), binlog.packets)
  assert.deepEqual(read.slice(2 + binlog.events.length), next.packets)
  assert.equal(present(pumped.spool.end, 'an end').place.file, 'binlog.000002')
})

for (const [what, other, expected] of [
  ['the file was created again', () => new MadeBinlog(CREATED + 60), DiscontinuedError],
  ['the server sends another place', () => ({ dump: () => new MadeBinlog().dump(5) }), DiscontinuedError],
  ['the server answers with an error', () => ({ dump: neverAgain }), Error],
  ['the server is another one', () => ({ dump: refuse(otherServer) }), Error],
  ['another program reads with the server id', () => ({ dump: refuse(taken) }), Error],
  ['no dump can begin at the place', () => ({ dump: refuse(refused) }), Error],
] as const) {
  test(`when ${what}, the pump ends for good after the first attempt, and adds nothing`, async () => {
    const binlog = new MadeBinlog()
    binlog.transaction(100)
    const first = binlog.dump(4)
    await using pumped = await pumping(first, ({ place }) => {
      const next = other()
      if (next instanceof MadeBinlog) for (let count = 0; count < 3; count++) next.transaction(100)
      return next.dump(place.position)
    })
    await eventually('everything was read', () => first.left === 0)
    first.fail(lost())
    await eventually('the pump has ended', () => pumped.pump.ended !== null)
    assert.ok(pumped.pump.ended instanceof expected)
    assert.equal(pumped.reopened.length, 1)
    assert.equal(pumped.drain().length, binlog.events.length + 1)
    assert.match(present(pumped.logger.matching('ends at')[0], 'a line').message, /binlog\.000001:\d+/)
  })
}

test('a connection that the server refuses for a while, as with another password, is tried again', async () => {
  const binlog = new MadeBinlog()
  binlog.transaction(100)
  const first = binlog.dump(4)
  const denied = { address: 'db:3306', user: 'u', reason: 'Access denied' }
  const refusals = [mysqlErrors.MYSQL_ACCESS_DENIED(denied), mysqlErrors.BINLOG_NOT_ALLOWED(denied)]
  await using pumped = await pumping(first, ({ place }) => {
    const refusal = refusals.shift()
    if (refusal !== undefined) throw refusal
    return binlog.dump(place.position)
  })
  await eventually('everything was read', () => first.left === 0)
  first.fail(lost())
  await eventually('it was tried again', () => pumped.reopened.length === 3)
  assert.equal(pumped.pump.ended, null)
})

function refuse(error: () => Error): () => MadeDump {
  return () => {
    throw error()
  }
}

function otherServer(): Error {
  return connectorErrors.SERVER_OTHER({ address: 'db:3306', now: 'b', before: 'a', position: 'x:4', minutes: 10 })
}

function refused(): Error {
  return mysqlErrors.BINLOG_REFUSED({ address: 'db:3306', position: 'x:4', reason: 'no such place' })
}

function taken(): Error {
  return mysqlErrors.BINLOG_SERVER_ID_TAKEN({ address: 'db:3306', serverId: 1, reason: 'same server_id' })
}

test('a connection that is lost before a transaction is not continued: the dump began elsewhere', async () => {
  const binlog = new MadeBinlog()
  const first = binlog.dump(4)
  await using pumped = await pumping(first, ({ place }) => binlog.dump(place.position))
  await eventually('everything was read', () => first.left === 0)
  first.fail(lost())
  await eventually('the pump has ended', () => pumped.pump.ended !== null)
  assert.deepEqual(pumped.reopened, [])
})

test('a full spool stops reading, logs it once, and continues when there is room', async () => {
  const binlog = new MadeBinlog()
  for (let count = 0; count < 40; count++) binlog.transaction(1000)
  const first = binlog.dump(4)
  await using pumped = await pumping(first, neverAgain, { bytesMax: 16 << 10 })
  await eventually('the spool is full', () => pumped.pump.isBlocked)
  const size = (): number =>
    readdirSync(pumped.folder).reduce((sum, name) => sum + statSync(join(pumped.folder, name)).size, 0)
  assert.ok(pumped.spool.bytes <= 16 << 10)
  assert.ok(size() <= 17 << 10, `${size()} bytes`)
  assert.ok(first.left > 0)
  const read: Buffer[] = []
  await eventually('everything was read', () => {
    read.push(...pumped.drain())
    pumped.spool.trim(present(pumped.spool.end, 'an end').place, 'a')
    return first.left === 0 && read.length === binlog.events.length + 1
  })
  assert.deepEqual(read.slice(1), binlog.packets)
  assert.match(present(pumped.logger.matching('is full')[0], 'a line').message, /binlog\.spool\.max\.bytes/)
  assert.ok(pumped.logger.matching('is full').length <= 4)
})

test('a spool that cannot be written loses nothing: it logs it, waits, and continues', async () => {
  const binlog = new MadeBinlog()
  const first = binlog.dump(4)
  await using pumped = await pumping(first, neverAgain, { bytesMax: 16 << 10 })
  for (let count = 0; count < 3; count++) binlog.transaction(900)
  for (const packet of binlog.packets.slice(1)) first.push(packet)
  await eventually('the spool has a transaction', () => pumped.spool.bytes > 2000)
  // The next segment cannot be created.
  rmSync(pumped.folder, { recursive: true })
  binlog.transaction(900)
  for (const packet of binlog.packets.slice(-2)) first.push(packet)
  await eventually('the pump waits', () => pumped.pump.isBlocked)
  assert.equal(pumped.logger.matching('cannot be written').length, 1)
  mkdirSync(pumped.folder)
  await eventually('it can be written again', () => !pumped.pump.isBlocked)
  const read = pumped.drain()
  await eventually('the rest was read', () => {
    read.push(...pumped.drain())
    return read.length === binlog.events.length + 1
  })
  assert.deepEqual(read.slice(1), binlog.packets)
})
