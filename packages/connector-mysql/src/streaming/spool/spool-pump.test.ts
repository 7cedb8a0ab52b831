import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { StreamingNumbers } from '@tributary/connector-kit'
import { type EventPackets, mysqlErrors, Spool, type SpoolFeed, SpoolStream } from '@tributary/mysql'
import { doneOr, present, systemClock, toError } from '@tributary/support'
import { captureLogger, eventually, eventOf, rotateTo } from '@tributary/testkit'
import { SpoolBrokenError } from './spool-room.ts'
import { type DumpedPackets, HandOverError, SpoolPump } from './spool-pump.ts'

const FILE = 'binlog.000001'
const GTID = 33
const XID = 16
const FORMAT = 15
const CREATED = 1_700_000_000

/** The binlog of a server that never was: transactions of two events. */
class MadeBinlog {
  readonly events: { readonly begin: number; readonly packet: Buffer }[] = []
  readonly created: number
  end = 4

  constructor(created = CREATED) {
    this.created = created
    // Of a format description, the spool reads its time and the algorithm of the checksums before its own.
    this.add(FORMAT, Buffer.concat([Buffer.alloc(83), Buffer.from([1])]), created)
  }

  transaction(bytes: number): void {
    this.add(GTID, Buffer.alloc(42))
    this.add(XID, Buffer.alloc(bytes))
  }

  add(type: number, body: Buffer, seconds = 1): void {
    const begin = this.end
    this.end += 19 + body.length + 4
    this.events.push({ begin, packet: packetOf(eventOf({ type, seconds, end: this.end, body })) })
  }

  /** What a server sends for a dump from there: two events that it makes up, and the rest. */
  dump(from: number): Dump {
    const dump = new Dump()
    const description = eventOf({
      type: FORMAT,
      seconds: this.created,
      body: Buffer.concat([Buffer.alloc(83), Buffer.from([1])]),
    })
    dump.push(packetOf(rotateTo(FILE, from)))
    if (from > 4) dump.push(packetOf(description))
    for (const { begin, packet } of this.events) if (begin >= from) dump.push(packet)
    return dump
  }
}

function packetOf(event: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0]), event])
}

/** A connection whose packets a test adds. */
class Dump implements DumpedPackets, EventPackets {
  bytes: Buffer = Buffer.alloc(0)
  start = 0
  end = 0
  isClosed = false
  readonly packets = this
  readonly #queue: Buffer[] = []
  #failure: Error | null = null
  #wake: () => void = () => undefined

  push(packet: Buffer): void {
    this.#queue.push(packet)
    this.#wake()
  }

  fail(error: Error): void {
    this.#failure = error
    this.#wake()
  }

  get left(): number {
    return this.#queue.length
  }

  next(): boolean {
    const packet = this.#queue.shift()
    if (packet === undefined) return false
    this.bytes = packet
    this.end = packet.length
    return true
  }

  async wait(signal?: AbortSignal): Promise<void> {
    if (this.#failure !== null) throw this.#failure
    if (this.#queue.length > 0) return
    await doneOr(new Promise<void>((resolve) => (this.#wake = resolve)), signal)
  }

  recycle(): void {
    // Packets of a test stay as they are.
  }

  wrap(thrown: unknown): Error {
    return toError(thrown)
  }

  close(): Promise<void> {
    this.isClosed = true
    return Promise.resolve()
  }
}

interface Pumping extends AsyncDisposable {
  readonly folder: string
  readonly spool: Spool
  readonly pump: SpoolPump
  readonly feed: SpoolFeed
  readonly logger: ReturnType<typeof captureLogger>
  /** The places from which a lost connection was requested again. */
  readonly reopened: number[]
  drain(): Buffer[]
}

async function pumping(first: Dump, reopen: (from: number) => Dump, bytesMax = 16 << 20): Promise<Pumping> {
  const root = mkdtempSync(join(tmpdir(), 'pump-'))
  const folder = join(root, 'spool')
  const logger = captureLogger()
  const spool = await Spool.open({ folder, bytesMax, clock: systemClock, logger })
  const reopened: number[] = []
  const stream = await SpoolStream.open(spool, spool.begin('a', { file: FILE, position: 4 }), () => '')
  const pump = new SpoolPump(
    {
      spool,
      folder,
      silenceMsMax: 60_000,
      address: 'db:3306',
      numbers: new StreamingNumbers(),
      clock: systemClock,
      logger,
      reopen: ({ place }) => {
        reopened.push(place.position)
        return Promise.resolve(reopen(place.position))
      },
    },
    first,
  )
  pump.feed = stream.feed
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
      spool[Symbol.dispose]()
      rmSync(root, { recursive: true, force: true })
    },
  }
}

function drain(feed: SpoolFeed): Buffer[] {
  const packets: Buffer[] = []
  while (feed.next()) packets.push(Buffer.from(feed.bytes.subarray(feed.start, feed.end)))
  return packets
}

function neverAgain(): Dump {
  throw new Error('the server refuses the dump')
}

/** An error after which trying again may help. */
function reset(): Error {
  return mysqlErrors.MYSQL_CONNECTION_LOST({ address: 'db:3306', doing: 'reading', reason: 'reset by peer' })
}

test('a lost connection is opened again at the end of the spool, which gets each event once, also in a transaction', async () => {
  const binlog = new MadeBinlog()
  for (let count = 0; count < 3; count++) binlog.transaction(100)
  const first = binlog.dump(4)
  await using pumped = await pumping(first, (from) => binlog.dump(from))
  await eventually('everything was read', () => first.left === 0)
  // The connection is lost between the two events of a transaction.
  binlog.add(GTID, Buffer.alloc(42))
  const begun = present(binlog.events.at(-1), 'an event').packet
  first.push(begun)
  first.fail(reset())
  binlog.add(XID, Buffer.alloc(8))
  binlog.transaction(100)
  const read: Buffer[] = []
  await eventually('everything is in the spool', () => {
    read.push(...pumped.drain())
    return read.length > binlog.events.length
  })
  assert.deepEqual(
    read.slice(1),
    binlog.events.map(({ packet }) => packet),
  )
  assert.equal(first.isClosed, true)
  assert.equal(pumped.reopened.length, 1)
})

for (const [what, other] of [
  ['the file was created again', () => new MadeBinlog(CREATED + 60)],
  ['the server sends another place', () => ({ dump: (from: number) => new MadeBinlog().dump(from + 1) })],
  ['the server answers with an error', () => ({ dump: neverAgain })],
] as const) {
  test(`when ${what}, nothing is added, and the reader gets an error after the last event`, async () => {
    const binlog = new MadeBinlog()
    binlog.transaction(100)
    const first = binlog.dump(4)
    await using pumped = await pumping(first, (from) => {
      const next = other()
      if (next instanceof MadeBinlog) for (let count = 0; count < 3; count++) next.transaction(100)
      return next.dump(from)
    })
    await eventually('everything was read', () => first.left === 0)
    first.fail(reset())
    await eventually('the pump tried twice', () => pumped.reopened.length >= 2)
    assert.equal(pumped.feed.isDrained, false)
    assert.equal(pumped.drain().length, binlog.events.length + 1)
    await assert.rejects(pumped.feed.wait(), HandOverError)
  })
}

test('a full spool stops reading, logs it once, and continues when there is room', async () => {
  const binlog = new MadeBinlog()
  for (let count = 0; count < 40; count++) binlog.transaction(1000)
  const first = binlog.dump(4)
  await using pumped = await pumping(first, neverAgain, 16 << 10)
  await eventually('the spool is full', () => pumped.pump.isFull)
  const size = (): number =>
    readdirSync(pumped.folder).reduce((sum, name) => sum + statSync(join(pumped.folder, name)).size, 0)
  assert.ok(pumped.spool.bytes <= 16 << 10)
  assert.ok(size() <= 17 << 10, `${size()} bytes`)
  assert.ok(first.left > 0)
  const read: Buffer[] = []
  await eventually('everything was read', () => {
    read.push(...pumped.drain())
    const end = present(pumped.spool.end, 'an end').place
    pumped.spool.trim(end, 'a')
    return first.left === 0 && read.length === binlog.events.length + 1
  })
  assert.deepEqual(
    read.slice(1),
    binlog.events.map(({ packet }) => packet),
  )
  assert.match(present(pumped.logger.matching('is full')[0], 'a line').message, /binlog\.spool\.max\.bytes/)
  assert.ok(pumped.logger.matching('is full').length <= 4)
})

test('a transaction that is larger than the spool passes when the reader has taken everything', async () => {
  const binlog = new MadeBinlog()
  binlog.add(GTID, Buffer.alloc(42))
  for (let count = 0; count < 40; count++) binlog.add(19, Buffer.alloc(1000, count))
  binlog.add(XID, Buffer.alloc(8))
  // An event that is larger than the spool, too.
  binlog.transaction(20_000)
  const first = binlog.dump(4)
  await using pumped = await pumping(first, neverAgain, 16 << 10)
  const read: Buffer[] = []
  const second = present(binlog.events.at(-2), 'the second transaction')
  await eventually('everything was read', () => {
    read.push(...pumped.drain())
    // The offset of a part of the first transaction is that of its begin, which frees nothing.
    if (read.length >= binlog.events.length - 1) pumped.spool.trim({ file: FILE, position: second.begin }, 'a')
    return read.length === binlog.events.length + 1
  })
  assert.deepEqual(
    read.slice(1),
    binlog.events.map(({ packet }) => packet),
  )
  assert.ok(pumped.logger.matching('smaller than a transaction').length > 0)
})

test('a spool that cannot be written keeps nothing and loses nothing: it waits, and a drained reader gets an error', async () => {
  const binlog = new MadeBinlog()
  const first = binlog.dump(4)
  await using pumped = await pumping(first, neverAgain, 16 << 10)
  for (let count = 0; count < 3; count++) binlog.transaction(900)
  for (const { packet } of binlog.events.slice(1)) first.push(packet)
  await eventually('the spool has a transaction', () => pumped.spool.bytes > 2000)
  // The next segment cannot be created.
  rmSync(pumped.folder, { recursive: true })
  binlog.transaction(900)
  for (const { packet } of binlog.events.slice(-2)) first.push(packet)
  await eventually('the pump waits', () => pumped.pump.isFull)
  assert.equal(pumped.logger.matching('cannot be written').length, 1)
  mkdirSync(pumped.folder)
  await eventually('it can be written again', () => !pumped.pump.isFull)
  const read = pumped.drain()
  await eventually('the rest was read', () => {
    read.push(...pumped.drain())
    return read.length === binlog.events.length + 1
  })
  assert.deepEqual(
    read.slice(1),
    binlog.events.map(({ packet }) => packet),
  )

  rmSync(pumped.folder, { recursive: true })
  for (let count = 0; count < 2; count++) binlog.transaction(900)
  for (const { packet } of binlog.events.slice(-4)) first.push(packet)
  await assert.rejects(async () => {
    for (;;) {
      pumped.drain()
      await pumped.feed.wait()
    }
  }, SpoolBrokenError)
})
