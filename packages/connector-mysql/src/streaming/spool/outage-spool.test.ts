import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { OffsetDocument } from '@tributary/connect-api'
import { StreamingNumbers } from '@tributary/connector-kit'
import { type EventStream, mysqlErrors, readSpoolStatus, Spool, SpoolDamagedError } from '@tributary/mysql'
import { CodedError, present, toError } from '@tributary/support'
import { captureLogger, eventually, fakeClock } from '@tributary/testkit'
import { StreamPosition } from '../../offset/stream-position.ts'
import { CREATED, FIRST_FILE, MadeBinlog, type MadeDump, SOURCE } from '../../testing/made-binlog.ts'
import { DumpTurn } from './dump-turn.ts'
import { OutageSpool, type SpoolChoice } from './outage-spool.ts'
import { SpoolShortError } from './spool-ahead.ts'
import { SpoolEndedError, SpoolUnfitError } from './spooled-stream.ts'

const SERVER = 'server a'

/** The stored offset directly before the transaction with that number, with all earlier ones executed. */
function offsetBefore(binlog: MadeBinlog, number: number, more: OffsetDocument = {}): OffsetDocument {
  return {
    file: FIRST_FILE,
    pos: binlog.begins[number - 1] ?? binlog.end,
    gtids: number === 1 ? '' : `${SOURCE}:1-${number - 1}`,
    server_identity: SERVER,
    file_created: CREATED,
    ...more,
  }
}

function positionBefore(binlog: MadeBinlog, number: number, more: OffsetDocument = {}): StreamPosition {
  return present(StreamPosition.parse(offsetBefore(binlog, number, more)), 'a position')
}

/** A binlog of transactions with the numbers 1, 2, … */
function binlogOf(transactions: number): MadeBinlog {
  const binlog = new MadeBinlog()
  for (let number = 1; number <= transactions; number++) binlog.transaction(8, number)
  return binlog
}

class Task implements AsyncDisposable {
  readonly clock = fakeClock()
  readonly logger = captureLogger()
  /** The delivery progress that the brokers cause. */
  readonly delivery = { pending: 5, completed: 0, isCommitFailing: false }
  readonly dumps: MadeDump[] = []
  readonly turn = new DumpTurn()
  /** What the server does with a request. */
  request: (from: number) => MadeDump | Promise<MadeDump>
  readonly folder: string
  spool!: OutageSpool
  readonly binlog: MadeBinlog

  constructor(binlog: MadeBinlog, folder: string = mkdtempSync(join(tmpdir(), 'outage-'))) {
    this.binlog = binlog
    this.folder = folder
    this.request = (from) => binlog.dump(from)
  }

  async start(stored: OffsetDocument, bytesMax = 16 << 20): Promise<this> {
    const { folder, logger, clock, delivery } = this
    this.spool = new OutageSpool({
      spool: await Spool.open({ folder, bytesMax, clock, logger }),
      folder,
      stored,
      delivered: () => ({ ...delivery }),
      mayWrite: () => true,
      silenceMsMax: 3_600_000,
      address: 'db:3306',
      decodeStatement: () => '',
      keepsStatements: false,
      numbers: new StreamingNumbers(),
      clock,
      logger,
    })
    this.spool.start({
      begin: async ({ position }) => this.#dump(position),
      continue: async ({ place }) => this.#dump(place.position),
      turn: this.turn,
    })
    return this
  }

  async #dump(from: number): Promise<MadeDump> {
    const dump = await this.request(from)
    this.dumps.push(dump)
    return dump
  }

  /** The brokers acknowledge nothing, until the spool has everything. */
  async outage(): Promise<void> {
    await this.clock.advance(8_000)
    await eventually('the dump was read', () => this.dumps.at(-1)?.left === 0)
    await this.clock.advance(3_000)
  }

  /** The brokers acknowledge again. */
  async recover(): Promise<void> {
    this.delivery.completed += 1
    this.delivery.pending = 0
    await this.clock.advance(1_000)
  }

  get files(): readonly string[] {
    return readdirSync(this.folder).filter((name) => name.endsWith('.spool'))
  }

  /** Starts another process with that stored offset, as after a kill. */
  async restart(stored: OffsetDocument): Promise<Task> {
    await this.spool[Symbol.asyncDispose]()
    const next = new Task(this.binlog, this.folder)
    Object.assign(next.delivery, { pending: 0 })
    return next.start(stored)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.spool[Symbol.asyncDispose]()
    rmSync(this.folder, { recursive: true, force: true })
  }
}

function streamOf(choice: SpoolChoice | null): EventStream {
  assert.equal(choice?.tag, 'spool')
  return choice.stream
}

async function failureOf(promise: Promise<void>): Promise<Error> {
  return promise.then(
    () => assert.fail('it did not fail'),
    (error: unknown) => toError(error),
  )
}

/** Numbers of the transactions that a stream has. */
function numbersIn(stream: EventStream): number[] {
  const numbers: number[] = []
  for (let event = stream.next(); event !== null; event = stream.next()) {
    if (event.tag === 'gtid') numbers.push(event.number)
  }
  return numbers
}

test('while the brokers acknowledge, nothing is requested and no file is written', async () => {
  const binlog = binlogOf(3)
  await using task = await new Task(binlog).start(offsetBefore(binlog, 1))
  for (let second = 0; second < 60; second++) {
    task.delivery.completed += 1
    await task.clock.advance(1_000)
  }
  assert.deepEqual([task.dumps.length, task.files.length], [0, 0])
  assert.equal((await task.spool.choose(positionBefore(binlog, 2))).tag, 'connection')
})

test('in an outage the spool has everything after the stored offset; the stream continues from it, then on a connection', async () => {
  const binlog = binlogOf(5)
  await using task = await new Task(binlog).start(offsetBefore(binlog, 2))
  await task.outage()
  assert.equal(task.spool.isActive, true)
  const stream = streamOf(await task.spool.choose(positionBefore(binlog, 3)))
  assert.deepEqual(numbersIn(stream), [3, 4, 5])
  binlog.transaction(8, 6)
  for (const packet of binlog.packets.slice(-2)) present(task.dumps[0], 'a dump').push(packet)
  await stream.wait()
  assert.deepEqual(numbersIn(stream), [6])
  await task.recover()
  await assert.rejects(stream.wait(), SpoolEndedError)
  await stream.close()
  assert.equal(await task.spool.report(new SpoolEndedError(), true), true)
  assert.equal((await task.spool.choose(positionBefore(binlog, 7))).tag, 'connection')
  assert.equal(present(task.dumps[0], 'a dump').isClosed, true)
  // Records in flight are not stored yet.
  assert.equal(task.files.length, 1)
  task.spool.onStored(positionBefore(binlog, 6))
  assert.equal(task.files.length, 1)
  task.spool.onStored(positionBefore(binlog, 7))
  assert.deepEqual(task.files, [])
})

test('a process that was killed continues from the spool when the server has purged the stored offset', async () => {
  const binlog = binlogOf(4)
  await using task = await new Task(binlog).start(offsetBefore(binlog, 2))
  await task.outage()
  await using next = await task.restart(offsetBefore(binlog, 2))
  const stored = positionBefore(binlog, 2)
  assert.equal(await next.spool.has(stored, SERVER), true)
  assert.equal((await next.spool.choose(stored)).tag, 'connection')
  const stream = streamOf(await next.spool.afterPurged(stored, SERVER))
  assert.deepEqual(numbersIn(stream), [2, 3, 4])
})

test('an offset that was sent to be stored before the outage, and possibly was stored, is of the spool as well', async () => {
  const binlog = binlogOf(4)
  await using task = await new Task(binlog).start(offsetBefore(binlog, 2))
  const inDoubt = positionBefore(binlog, 3)
  task.spool.onStoring(inDoubt)
  await task.outage()
  await using next = await task.restart(inDoubt.toDocument())
  assert.equal(await next.spool.has(inDoubt, SERVER), true)
  assert.deepEqual(numbersIn(streamOf(await next.spool.afterPurged(inDoubt, SERVER))), [3, 4])
})

test('a spool that is not of the stored offset does not become one of those that are stored later', async () => {
  const binlog = binlogOf(4)
  await using task = await new Task(binlog).start(offsetBefore(binlog, 2))
  await task.outage()
  const [other, later] = [positionBefore(binlog, 3), positionBefore(binlog, 4)]
  // Somebody has changed the stored offset.
  const next = await task.restart(other.toDocument())
  next.spool.onStored(other)
  next.spool.onStoring(later)
  await using last = await next.restart(later.toDocument())
  assert.equal(await last.spool.has(later, SERVER), false)
})

test('an offset is sent to be stored also if the folder of the spool cannot be written', async () => {
  const binlog = binlogOf(4)
  await using task = await new Task(binlog).start(offsetBefore(binlog, 2))
  await task.outage()
  await eventually('the files have a status', () => readSpoolStatus(task.folder) !== null)
  rmSync(task.folder, { recursive: true })
  task.spool.onStoring(positionBefore(binlog, 3))
  assert.equal(task.logger.matching('could not be written').length, 1)
})

test('an offset that was sent before another one that is stored is not of the spool', async () => {
  const binlog = binlogOf(4)
  await using task = await new Task(binlog).start(offsetBefore(binlog, 2))
  const older = positionBefore(binlog, 3)
  task.spool.onStoring(older)
  await task.outage()
  task.spool.onStored(positionBefore(binlog, 4))
  await using next = await task.restart(older.toDocument())
  assert.equal(await next.spool.has(older, SERVER), false)
})

test('an offset that is stored while the dump is requested is that of the spool', async () => {
  const binlog = binlogOf(4)
  await using task = await new Task(binlog).start(offsetBefore(binlog, 2))
  const later = positionBefore(binlog, 3)
  task.request = (from) => {
    task.spool.onStored(later)
    return binlog.dump(from)
  }
  await task.outage()
  await using next = await task.restart(later.toDocument())
  assert.deepEqual(numbersIn(streamOf(await next.spool.afterPurged(later, SERVER))), [3, 4])
})

for (const [what, more, server] of [
  ['its GTIDs were changed alone', { gtids: `${SOURCE}:1-2` }, SERVER],
  ['its position was changed', { pos: 4 }, SERVER],
  ['it does not state when its file was created', { file_created: null }, SERVER],
  ['it is of another file of that name', { file_created: CREATED + 1 }, SERVER],
  ['another server answers', {}, 'server b'],
] as const) {
  test(`a spool is not used for a stored offset when ${what}, and remains`, async () => {
    const binlog = binlogOf(4)
    await using task = await new Task(binlog).start(offsetBefore(binlog, 2))
    await task.outage()
    const next = await task.restart(offsetBefore(binlog, 2, more))
    await using _next = next
    const stored = positionBefore(binlog, 2, more)
    assert.equal(await next.spool.has(stored, server), false)
    assert.equal(await next.spool.afterPurged(stored, server), null)
    assert.equal(next.files.length, 1)
  })
}

test('a spool without events after the position, or that was read to its end, is not used again', async () => {
  const binlog = binlogOf(3)
  await using task = await new Task(binlog).start(offsetBefore(binlog, 2))
  await task.outage()
  await using next = await task.restart(offsetBefore(binlog, 2))
  next.request = () => {
    throw mysqlErrors.BINLOG_SERVER_ID_TAKEN({ address: 'db:3306', serverId: 1, reason: 'taken' })
  }
  const stream = streamOf(await next.spool.afterPurged(positionBefore(binlog, 2), SERVER))
  assert.deepEqual(numbersIn(stream), [2, 3])
  await assert.rejects(stream.wait(), SpoolEndedError)
  await stream.close()
  assert.equal(await next.spool.report(new SpoolEndedError(), true), true)
  // As in the middle of a transaction whose end the spool lacks: the stream would read it again and again.
  assert.equal(await next.spool.afterPurged(positionBefore(binlog, 3), SERVER), null)
  assert.equal(await next.spool.afterPurged(positionBefore(binlog, 4), SERVER), null)
})

test('a transaction that was executed before ends the reading, and the spool is not used again', async () => {
  const binlog = binlogOf(4)
  await using task = await new Task(binlog).start(offsetBefore(binlog, 2))
  await task.outage()
  const resume = positionBefore(binlog, 2, { gtids: `${SOURCE}:1:4` })
  const stream = streamOf(await task.spool.choose(resume))
  const numbers: number[] = []
  assert.throws(() => {
    for (let event = stream.next(); event !== null; event = stream.next()) {
      if (event.tag === 'gtid') numbers.push(event.number)
    }
  }, SpoolUnfitError)
  assert.deepEqual(numbers, [2, 3])
  await stream.close()
  assert.equal(await task.spool.report(new SpoolUnfitError(), true), true)
  assert.equal((await task.spool.choose(resume)).tag, 'connection')
  assert.equal(await task.spool.afterPurged(resume, SERVER), null)
  // The outage lasts: a new spool begins, but not at once.
  await task.clock.advance(50_000)
  assert.equal(task.dumps.length, 1)
  await task.clock.advance(20_000)
  assert.equal(task.dumps.length, 2)
})

test('a file that is damaged while it is read is an error, and the spool is not used again', async () => {
  const binlog = binlogOf(4)
  await using task = await new Task(binlog).start(offsetBefore(binlog, 1))
  await task.outage()
  const path = join(task.folder, present(task.files[0], 'a file'))
  const bytes = readFileSync(path)
  bytes[bytes.length - 3] = (bytes.at(-3) ?? 0) ^ 1
  const found = positionBefore(binlog, 1)
  const stream = streamOf(await task.spool.choose(found))
  writeFileSync(path, bytes)
  assert.throws(() => numbersIn(stream), SpoolDamagedError)
  await stream.close()
  assert.equal(await task.spool.report(new SpoolDamagedError('damaged'), true), true)
  assert.equal(await task.spool.afterPurged(found, SERVER), null)
  assert.equal(task.logger.matching('is not read further: damaged').length, 1)
})

test('another program that takes the dump is left alone until an offset is stored', async () => {
  const binlog = binlogOf(4)
  await using task = await new Task(binlog).start(offsetBefore(binlog, 1))
  await task.outage()
  const error = mysqlErrors.BINLOG_SERVER_ID_TAKEN({ address: 'db:3306', serverId: 1, reason: 'taken' })
  const dump = present(task.dumps[0], 'a dump')
  dump.wrap = () => error
  dump.fail(error)
  await task.clock.advance(1_000)
  const stream = streamOf(await task.spool.choose(positionBefore(binlog, 1)))
  assert.deepEqual(numbersIn(stream), [1, 2, 3, 4])
  await assert.rejects(stream.wait(), SpoolEndedError)
  await stream.close()
  await task.spool.report(new SpoolEndedError(), true)
  await task.clock.advance(600_000)
  assert.equal(task.dumps.length, 1)
  task.spool.onStored(positionBefore(binlog, 2))
  await task.clock.advance(10_000)
  assert.equal(task.dumps.length, 2)
})

test('what is read ahead of a stream that reads the spool is read there, and on the server when the spool has ended', async () => {
  const binlog = binlogOf(4)
  await using task = await new Task(binlog).start(offsetBefore(binlog, 2))
  await task.outage()
  const place = { file: FIRST_FILE, position: binlog.begins[2] ?? 0 }
  const resume = positionBefore(binlog, 2)
  assert.equal(await task.spool.open(place), null)
  const stream = streamOf(await task.spool.choose(resume))
  const ahead = present(await task.spool.open(place), 'a stream')
  assert.deepEqual(numbersIn(ahead), [3, 4])
  const dump = present(task.dumps[0], 'a dump')
  task.request = () => new MadeBinlog(CREATED + 60).dump(4)
  dump.fail(new Error('reset by peer'))
  await task.clock.advance(1_000)
  const short = await failureOf(ahead.wait())
  assert.ok(short instanceof SpoolShortError)
  await ahead.close()
  await stream.close()
  assert.equal(await task.spool.report(short, true), true)
  assert.equal((await task.spool.choose(resume)).tag, 'connection')
  assert.equal(await task.spool.open(place), null)
})

test('what the server has purged is read ahead from the first event of the spool, and from the start of the next file', async () => {
  const binlog = binlogOf(3)
  const next = new MadeBinlog(CREATED, 'binlog.000002')
  next.transaction(8, 4)
  binlog.next = next
  await using task = await new Task(binlog).start(offsetBefore(binlog, 2))
  await task.outage()
  assert.equal(task.spool.first, null)
  const stream = streamOf(await task.spool.choose(positionBefore(binlog, 2)))
  const first = present(task.spool.first, 'a place')
  assert.deepEqual(first, { file: FIRST_FILE, position: binlog.begins[1] })
  for (const [place, expected] of [
    [first, [2, 3, 4]],
    [{ file: next.file, position: 4 }, [4]],
  ] as const) {
    const ahead = present(await task.spool.open(place), 'a stream')
    assert.deepEqual(numbersIn(ahead), expected)
    await ahead.close()
  }
  await stream.close()
})

test('what is read ahead, and neither spool nor server have, is an error', async () => {
  const binlog = binlogOf(4)
  await using task = await new Task(binlog).start(offsetBefore(binlog, 2))
  await task.outage()
  await using next = await task.restart(offsetBefore(binlog, 2))
  next.request = () => new MadeBinlog(CREATED + 60).dump(4)
  const [stored, place] = [positionBefore(binlog, 2), { file: FIRST_FILE, position: binlog.begins[2] ?? 0 }]
  for (const [round, expected] of ['SpoolShortError', 'SPOOL_INCOMPLETE'].entries()) {
    const stream = streamOf(await next.spool.afterPurged(stored, SERVER))
    const ahead = present(await next.spool.open(place), 'a stream')
    assert.deepEqual(numbersIn(ahead), [3, 4])
    await eventually('the pump has ended', () => next.logger.matching('ends at').length > round)
    const error = await failureOf(ahead.wait())
    await ahead.close()
    await stream.close()
    assert.equal(error instanceof CodedError ? error.code : error.name, expected)
    assert.equal(await next.spool.report(error, true), round === 0)
  }
})

test('a spool that is full and read to its end leaves the stream its connection, and is not tried again at once', async () => {
  const binlog = new MadeBinlog()
  for (let number = 1; number <= 30; number++) binlog.transaction(number === 1 ? 8 : 2000, number)
  await using task = await new Task(binlog).start(offsetBefore(binlog, 1), 16 << 10)
  await task.clock.advance(8_000)
  await eventually('the spool is full', () => task.logger.matching('is full').length > 0)
  const stream = streamOf(await task.spool.choose(positionBefore(binlog, 1)))
  const read = numbersIn(stream)
  assert.ok(read.length > 1 && read.length < 30)
  await assert.rejects(stream.wait(), SpoolEndedError)
  await stream.close()
  await task.spool.report(new SpoolEndedError(), true)
  await task.clock.advance(30_000)
  assert.equal((await task.spool.choose(positionBefore(binlog, read.length))).tag, 'connection')
  assert.equal(task.dumps.length, 1)
})

test('the stream continues at once when the spool has taken its connection, and not after other errors', async () => {
  const binlog = binlogOf(2)
  await using task = await new Task(binlog).start(offsetBefore(binlog, 1))
  const lost = mysqlErrors.MYSQL_CONNECTION_LOST({ address: 'db:3306', doing: 'reading', reason: 'killed' })
  assert.equal(await task.spool.report(lost, false), false)
  await task.outage()
  assert.equal(await task.spool.report(lost, false), true)
  assert.equal(await task.spool.report(new Error('a bug'), false), false)
})

test('while the stream opens a connection, the spool requests none', async () => {
  const binlog = binlogOf(2)
  await using task = await new Task(binlog).start(offsetBefore(binlog, 1))
  const turn = present(task.turn.take(), 'the turn')
  await task.clock.advance(60_000)
  assert.deepEqual([task.dumps.length, task.spool.isActive], [0, false])
  turn[Symbol.dispose]()
  await task.clock.advance(1_000)
  assert.deepEqual([task.dumps.length, task.spool.isActive], [1, true])
})

test('while the spool requests the binlog, the stream opens no connection', async () => {
  const binlog = binlogOf(2)
  await using task = await new Task(binlog).start(offsetBefore(binlog, 1))
  const requested = Promise.withResolvers<MadeDump>()
  let requests = 0
  task.request = () => {
    requests += 1
    return requested.promise
  }
  await task.clock.advance(8_000)
  assert.equal(requests, 1)
  assert.equal(task.turn.take(), null)
  requested.resolve(binlog.dump(binlog.begins[0] ?? 0))
  await eventually('the spool reads', () => task.spool.isActive)
  using turn = task.turn.take()
  assert.notEqual(turn, null)
  assert.equal((await task.spool.choose(positionBefore(binlog, 1))).tag, 'spool')
})

test('the pump reads on while the stream handles an error of the database, and ends when the brokers answer', async () => {
  const binlog = binlogOf(3)
  await using task = await new Task(binlog).start(offsetBefore(binlog, 1))
  await task.outage()
  const lost = mysqlErrors.MYSQL_CONNECTION_LOST({ address: 'db:3306', doing: 'asking', reason: 'killed' })
  for (const expected of ['spool', 'connection']) {
    const stream = streamOf(await task.spool.choose(positionBefore(binlog, 2)))
    assert.deepEqual(numbersIn(stream), [2, 3])
    await stream.close()
    if (expected === 'connection') await task.recover()
    assert.equal(await task.spool.report(lost, true), false)
    assert.equal((await task.spool.choose(positionBefore(binlog, 2))).tag, expected)
  }
  assert.equal(task.dumps.length, 1)
})

test('a stored offset that a spool could not be compared with gets none, and the log states why', async () => {
  const binlog = binlogOf(2)
  await using task = await new Task(binlog).start(offsetBefore(binlog, 1, { file_created: null }))
  await task.clock.advance(70_000)
  assert.equal(task.dumps.length, 0)
  assert.match(
    present(task.logger.matching('is not read into the spool')[0], 'a line').message,
    /when its file was created/,
  )
})
