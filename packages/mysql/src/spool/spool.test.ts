import assert from 'node:assert/strict'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { present, silentLogger, StoppedError, systemClock } from '@tributary/support'
import { captureLogger, fakeClock } from '@tributary/testkit'
import { SpoolStream } from '../binlog/spool-stream.ts'
import { capturedBinlog, readerOf, rotateTo } from '../testing/captured-binlog.ts'
import { createdSecondsOf, eventFacts } from './event-facts.ts'
import { SpoolDamagedError, SpoolFeed } from './spool-feed.ts'
import { SpoolLock, SpoolLockedError } from './spool-lock.ts'
import { RECORD_HEADER_BYTES } from './spool-record.ts'
import { readSpoolStatus } from './spool-status.ts'
import { type FeedStart, Spool } from './spool.ts'

/** A file of a real server, as the packets of a dump from the start of the file. */
const PACKETS = [rotateTo('binlog.000001', 4, true), ...capturedBinlog('mysql.01').events].map((event) =>
  Buffer.concat([Buffer.from([0]), event]),
)
/** The rotate event, the description, and a transaction: some 500 bytes. */
const SMALL = PACKETS.slice(0, 5)
const START = { file: 'binlog.000001', position: 4 }
const CREATED = createdSecondsOf(present(PACKETS[1], 'a format description'))
const WANTED = { ...START, identity: 'server a', createdSeconds: CREATED }

class Folder implements Disposable {
  readonly path: string

  constructor() {
    this.path = mkdtempSync(join(tmpdir(), 'spool-'))
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true })
  }
}

function open(folder: string, bytesMax = 1 << 30): Promise<Spool> {
  return Spool.open({ folder, bytesMax, clock: systemClock, logger: silentLogger })
}

/** A closed spool with those packets. */
async function filled(folder: string, packets: readonly Buffer[] = PACKETS, bytesMax?: number): Promise<void> {
  await using spool = await open(folder, bytesMax)
  spool.begin('server a', START, 'offset')
  addAll(spool, packets)
}

function addAll(spool: Spool, packets: readonly Buffer[]): void {
  for (const packet of packets) spool.add(packet, present(eventFacts(packet), 'an event'))
  spool.flush()
}

/** All packets after a place; null: the spool does not have it. */
async function readAll(folder: string, wanted = WANTED): Promise<Buffer[] | null> {
  await using spool = await open(folder)
  const found = await spool.find(wanted)
  return found === null ? null : drain(new SpoolFeed(spool, found.cursor))
}

function drain(feed: SpoolFeed): Buffer[] {
  const packets: Buffer[] = []
  while (feed.next()) packets.push(Buffer.from(feed.bytes.subarray(feed.start, feed.end)))
  return packets
}

/** The files of a folder, oldest first. */
function segments(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.spool'))
    .toSorted()
    .map((name) => join(folder, name))
}

test('what was added is read after a restart, from each place where an event begins', async () => {
  using folder = new Folder()
  await filled(folder.path)
  const reader = readerOf(capturedBinlog('mysql.01').events)
  let index = -1
  for (let event = reader.next(); event !== null; event = reader.next()) {
    index += 1
    // The reader has the place after a rotate event as that of the event.
    if (index < 2 || event.tag === 'rotate') continue
    const { file, position } = reader
    const read = present(await readAll(folder.path, { ...WANTED, file, position }), `the spool has ${reader.place}`)
    // From the GTID on that names a transaction.
    const from = PACKETS.length - read.length
    assert.ok(from === index || from === index - 1, `${reader.place}: ${from} instead of ${index}`)
    assert.deepEqual(read, PACKETS.slice(from))
  }
})

test('the events of a spool are those of the dump', async () => {
  using folder = new Folder()
  await filled(folder.path)
  await using spool = await open(folder.path)
  const start = present(await spool.find(WANTED), 'a start')
  const stream = await SpoolStream.open(spool, start, (bytes, from, to) => bytes.utf8Slice(from, to))
  const direct = readerOf(capturedBinlog('mysql.01').events)
  // The rotate event and the description that precede the place.
  for (let head = 0; head < 2; head++) stream.next()
  direct.next()
  for (let event = direct.next(); event !== null; event = direct.next()) {
    const spooled = stream.next()
    assert.equal(spooled?.tag, event.tag)
    assert.equal(stream.reader.place, direct.place)
    assert.equal(stream.reader.nextPosition, direct.nextPosition)
  }
  assert.equal(stream.next(), null)
  assert.equal(stream.feed.isDrained, true)
})

test('a file that is cut at any byte yields exactly the events before the cut', async () => {
  using folder = new Folder()
  const packets = SMALL
  await filled(join(folder.path, 'whole'), packets)
  const whole = readFileSync(present(segments(join(folder.path, 'whole'))[0], 'a segment'))
  const ends = recordEnds(whole)
  for (let length = 0; length < whole.length; length++) {
    const read = await afterWriting(folder.path, whole.subarray(0, length))
    const intact = Math.max(0, ends.filter((end) => end <= length).length - 1)
    // A reader needs the format description.
    assert.deepEqual(read ?? [], intact < 2 ? [] : packets.slice(1, intact), `cut at ${length}`)
  }
})

test('a file with any byte changed yields exactly the events before the change', async () => {
  using folder = new Folder()
  const packets = SMALL
  await filled(join(folder.path, 'whole'), packets)
  const whole = readFileSync(present(segments(join(folder.path, 'whole'))[0], 'a segment'))
  const ends = recordEnds(whole)
  for (let at = 0; at < whole.length; at++) {
    const damaged = Buffer.from(whole)
    damaged[at] = (damaged[at] as number) ^ (1 << (at % 8))
    const read = await afterWriting(folder.path, damaged)
    const intact = Math.max(0, ends.filter((end) => end <= at).length - 1)
    assert.deepEqual(read ?? [], intact < 2 ? [] : packets.slice(1, intact), `changed at ${at}`)
  }
})

/** Where the records of a segment end. */
function recordEnds(file: Buffer): number[] {
  const ends: number[] = []
  for (let at = 0; at < file.length;) ends.push((at += RECORD_HEADER_BYTES + file.readUInt32LE(at + 4)))
  return ends
}

async function afterWriting(folder: string, bytes: Buffer): Promise<Buffer[] | null> {
  const path = join(folder, 'damaged')
  rmSync(path, { recursive: true, force: true })
  mkdirSync(path)
  writeFileSync(join(path, '000000000.spool'), bytes)
  return readAll(path)
}

test('a byte that changes while the spool is open is an error, and no event', async () => {
  using folder = new Folder()
  const packets = SMALL
  await filled(join(folder.path, 'whole'), packets)
  const [path = ''] = segments(join(folder.path, 'whole'))
  const whole = readFileSync(path)
  await using spool = await open(join(folder.path, 'whole'))
  const found = present(await spool.find(WANTED), 'a start')
  for (let at = found.cursor.offset; at < whole.length; at++) {
    const damaged = Buffer.from(whole)
    damaged[at] = (damaged[at] as number) ^ 0x10
    writeFileSync(path, damaged)
    const feed = new SpoolFeed(spool, found.cursor)
    const read: Buffer[] = []
    assert.throws(() => {
      while (feed.next()) read.push(Buffer.from(feed.bytes.subarray(feed.start, feed.end)))
    }, SpoolDamagedError)
    assert.deepEqual(read, packets.slice(1, 1 + read.length))
  }
})

test('segments that are missing, exchanged, or of another run end the spool', async () => {
  using folder = new Folder()
  const path = join(folder.path, 'small')
  await filled(path, PACKETS, 16 << 10)
  const files = segments(path)
  assert.ok(files.length >= 4, `${files.length} segments`)
  assert.deepEqual(await readAll(path), PACKETS.slice(1))
  const [, second = '', third = ''] = files
  const before = packetsIn(present(files[0], 'a segment'))

  for (const [name, change] of [
    ['missing', (at: string) => rmSync(join(at, '000000001.spool'))],
    ['exchanged', (at: string) => exchange(join(at, '000000001.spool'), join(at, '000000002.spool'))],
    ['repeated', (at: string) => cpSync(join(at, '000000002.spool'), join(at, '000000001.spool'))],
  ] as const) {
    const copy = join(folder.path, name)
    cpSync(path, copy, { recursive: true })
    change(copy)
    assert.deepEqual(await readAll(copy), PACKETS.slice(1, before), name)
    assert.equal(segments(copy).length, 1, name)
  }
  assert.ok(statSync(second).size > 0 && statSync(third).size > 0)

  const other = join(folder.path, 'other')
  await filled(other, PACKETS, 16 << 10)
  cpSync(join(path, '000000001.spool'), join(other, '000000001.spool'))
  assert.deepEqual(await readAll(other), PACKETS.slice(1, before))
})

function packetsIn(file: string): number {
  return recordEnds(readFileSync(file)).length - 1
}

function exchange(a: string, b: string): void {
  renameSync(a, `${a}.x`)
  renameSync(b, a)
  renameSync(`${a}.x`, b)
}

test('the spool of another server, or of another file of that name, has nothing', async () => {
  using folder = new Folder()
  await filled(folder.path)
  assert.equal(await readAll(folder.path, { ...WANTED, identity: 'server b' }), null)
  assert.equal(await readAll(folder.path, { ...WANTED, createdSeconds: CREATED + 1 }), null)
  assert.equal(await readAll(folder.path, { ...WANTED, position: 5 }), null)
  assert.equal(await readAll(folder.path, { ...WANTED, file: 'binlog.000002' }), null)
})

test('a stop ends the check of what is there, leaves it, and frees the folder', async () => {
  using folder = new Folder()
  await filled(folder.path)
  const stop = new AbortController()
  const options = { folder: folder.path, bytesMax: 1 << 30, clock: systemClock, logger: silentLogger }
  const opened = Spool.open(options, stop.signal)
  stop.abort()
  await assert.rejects(opened, StoppedError)
  assert.deepEqual(await readAll(folder.path), PACKETS.slice(1))
})

test('events that were requested otherwise are not read', async () => {
  using folder = new Folder()
  await filled(folder.path)
  await using spool = await Spool.open({
    folder: folder.path,
    bytesMax: 1 << 30,
    variant: 'with statements',
    clock: systemClock,
    logger: silentLogger,
  })
  assert.equal(spool.end, null)
  assert.deepEqual(segments(folder.path), [])
})

test('a spool that was read to its end continues with what is added', async () => {
  using folder = new Folder()
  await filled(folder.path, PACKETS.slice(0, 6))
  await using spool = await open(folder.path)
  const end = present(spool.end, 'an end')
  const start = present(await spool.find({ ...WANTED, ...end.place }), 'a start at the end')
  const feed = new SpoolFeed(spool, start.cursor)
  assert.equal(feed.next(), false)
  addAll(spool, PACKETS.slice(6))
  assert.deepEqual(drain(feed), PACKETS.slice(6))
})

test('a place is not found at the end while events before it are added, but afterwards', async () => {
  using folder = new Folder()
  await using spool = await open(folder.path)
  spool.begin('server a', START, 'offset')
  addAll(spool, PACKETS.slice(0, 6))
  const later = PACKETS.slice(6, 8)
  const wanted = { ...WANTED, position: present(eventFacts(present(later.at(-1), 'an event')), 'facts').endLow }
  const finding = spool.find(wanted)
  addAll(spool, later)
  assert.equal(await finding, null)
  const { cursor } = present(await spool.find(wanted), 'a start')
  assert.deepEqual(drain(new SpoolFeed(spool, cursor)), [])
})

test('segments before the stored offset are removed, of the same server only, and a full spool has room again', async () => {
  using folder = new Folder()
  await using spool = await open(folder.path, 16 << 10)
  spool.begin('server a', START, 'offset')
  let added = 0
  while (spool.hasRoomFor(1024) && added < PACKETS.length) addAll(spool, PACKETS.slice(added, ++added))
  const end = present(spool.end, 'an end').place
  const bytes = () => segments(folder.path).reduce((sum, path) => sum + statSync(path).size, 0)
  assert.equal(spool.bytes, bytes())
  assert.ok(spool.bytes <= 16 << 10)
  const count = segments(folder.path).length
  spool.trim(end, 'server b')
  assert.equal(segments(folder.path).length, count)
  spool.trim(end, 'server a')
  assert.equal(segments(folder.path).length, 1)
  assert.equal(spool.bytes, bytes())
  assert.ok(spool.hasRoomFor(8 << 10))
})

test('only its owner can read a spool, and a folder has one task', async () => {
  using folder = new Folder()
  await filled(join(folder.path, 'one'))
  const [path = ''] = segments(join(folder.path, 'one'))
  assert.equal(statSync(path).mode & 0o777, 0o600)
  assert.equal(statSync(join(folder.path, 'one')).mode & 0o777, 0o700)
  await using spool = await open(join(folder.path, 'one'))
  await assert.rejects(open(join(folder.path, 'one')), SpoolLockedError)
  await spool[Symbol.asyncDispose]()
  // A killed process has left its lock: no process has that id any more.
  const host = `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${readlinkSync('/proc/self/ns/pid')}`
  const owner = { token: 'other', host, pid: 2 ** 22 + 1, started: '1', beats: 7 }
  writeFileSync(join(folder.path, 'one', 'lock'), JSON.stringify(owner))
  await using again = await open(join(folder.path, 'one'))
  assert.notEqual(again.end, null)
})

test('the lock of an unknown process counts while it changes, and for half a minute after that', async () => {
  using folder = new Folder()
  const clock = fakeClock()
  const path = join(folder.path, 'lock')
  const take = (): SpoolLock => SpoolLock.take({ folder: folder.path, clock })
  for (let beats = 0; beats < 5; beats++) {
    writeFileSync(path, JSON.stringify({ token: 'other', host: 'another machine', pid: process.pid, beats }))
    assert.throws(take, SpoolLockedError)
    await clock.advance(20_000)
  }
  assert.throws(take, SpoolLockedError)
  await clock.advance(30_000)
  using lock = take()
  assert.equal(lock.isLost, false)
})

test('an owner whose lock was taken over writes and removes nothing any more', async () => {
  using folder = new Folder()
  await using spool = await open(folder.path)
  spool.begin('server a', START, 'offset')
  addAll(spool, SMALL)
  await spool.sync()
  const before = readdirSync(folder.path).toSorted()
  writeFileSync(join(folder.path, 'lock'), JSON.stringify({ token: 'other', host: 'b', pid: 1, beats: 0 }))
  spool.add(present(PACKETS[5], 'a packet'), present(eventFacts(present(PACKETS[5], 'a packet')), 'an event'))
  assert.throws(() => spool.flush(), SpoolLockedError)
  spool.clear()
  await spool[Symbol.asyncDispose]()
  assert.deepEqual(readdirSync(folder.path).toSorted(), before)
})

test('a segment that is removed while it is read is read to its end', async () => {
  using folder = new Folder()
  await using spool = await open(folder.path, 16 << 10)
  spool.begin('server a', START, 'offset')
  let added = 0
  while (spool.hasRoomFor(1024) && added < PACKETS.length) addAll(spool, PACKETS.slice(added, ++added))
  const start = present(await spool.find(WANTED), 'a start')
  const feed = new SpoolFeed(spool, start.cursor)
  assert.equal(feed.next(), true)
  spool.trim(present(spool.end, 'an end').place, 'server a')
  const own = packetsOf(start.cursor.segment)
  assert.equal(drain(feed).length, own - 2)
})

function packetsOf(segment: FeedStart['cursor']['segment']): number {
  return recordEnds(segment.read(0, segment.bytes)).length - 1
}

test('after a crash of the server, the end of its last file is followed by the next file', async () => {
  using folder = new Folder()
  await using spool = await open(folder.path)
  spool.begin('server a', START, 'offset')
  addAll(spool, SMALL)
  const end = present(spool.end, 'an end').place
  // The server has not ended its file: it sends a rotate event that is in no file.
  const rotate = Buffer.concat([Buffer.from([0]), rotateTo('binlog.000002', 4, true)])
  addAll(spool, [rotate, present(PACKETS[1], 'a description')])
  const found = present(await spool.find({ ...WANTED, ...end }), 'the end of the first file')
  assert.deepEqual(found.place, end)
  assert.deepEqual(drain(new SpoolFeed(spool, found.cursor)), [rotate, PACKETS[1]])
})

test('the status has the stored offset and only what is on the disk; a cut shortens it', async () => {
  using folder = new Folder()
  await filled(folder.path, SMALL)
  const whole = present(readSpoolStatus(folder.path), 'a status')
  assert.equal(whole.stored, 'offset')
  assert.equal(whole.createdSeconds, CREATED)
  const [path = ''] = segments(folder.path)
  writeFileSync(path, readFileSync(path).subarray(0, -1))
  const warnings = captureLogger()
  const options = { folder: folder.path, bytesMax: 1 << 30, clock: systemClock, logger: warnings }
  await using spool = await Spool.open(options)
  assert.ok(spool.belongsTo('offset'))
  const cut = present(readSpoolStatus(folder.path), 'a status')
  assert.ok(cut.end.position < whole.end.position)
  assert.deepEqual(cut.end, spool.end?.place)
  assert.equal(warnings.matching('is not intact').length, 1)
})

test('a note about an offset that could not be written is written at the next attempt', async () => {
  using folder = new Folder()
  await using spool = await open(folder.path)
  spool.begin('server a', START, 'offset')
  addAll(spool, SMALL)
  await spool.sync()
  const status = join(folder.path, 'status.json')
  const before = readFileSync(status)
  rmSync(status)
  // A folder in its place cannot be replaced by a file.
  mkdirSync(join(status, 'x'), { recursive: true })
  assert.throws(() => spool.addInDoubt('in doubt'))
  rmSync(status, { recursive: true })
  writeFileSync(status, before)
  spool.addInDoubt('in doubt')
  assert.deepEqual(readSpoolStatus(folder.path)?.inDoubt, ['in doubt'])
})

test('of many offsets in doubt the oldest and the newest are known', async () => {
  using folder = new Folder()
  await using spool = await open(folder.path)
  spool.begin('server a', START, 'offset')
  for (let number = 1; number <= 150; number++) spool.addInDoubt(`offset ${number}`)
  assert.deepEqual(
    [1, 2, 52, 150].map((number) => spool.belongsTo(`offset ${number}`)),
    [true, false, true, true],
  )
})

test('a spool belongs to the stored offset and to those that were sent since, also for another process', async () => {
  using folder = new Folder()
  {
    await using spool = await open(folder.path)
    spool.addInDoubt('before the outage')
    spool.begin('server a', START, 'offset')
    addAll(spool, SMALL)
    spool.addInDoubt('in the outage')
  }
  {
    await using spool = await open(folder.path)
    const known = ['offset', 'before the outage', 'in the outage', 'another one'].map((text) => spool.belongsTo(text))
    assert.deepEqual(known, [true, true, true, false])
    spool.clearInDoubt()
    spool.setStored('in the outage')
  }
  await using spool = await open(folder.path)
  const known = ['offset', 'before the outage', 'in the outage'].map((text) => spool.belongsTo(text))
  assert.deepEqual(known, [false, false, true])
})
