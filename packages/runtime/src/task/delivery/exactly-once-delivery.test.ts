import { CodedError, LiveMeter, type Clock } from '@tributary/support'
import { captureLogger, fakeClock } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MemoryTransactionalProducer } from '../../testing/memory-transactional-producer.ts'
import type { TextRecord } from '../../storage/topic-writer.ts'
import { taskMeters } from '../task-meters.ts'
import { offsetAt, PARTITION, recordAt } from '../testing/test-record.ts'
import type { EncodedRecord } from './delivery.ts'
import { ExactlyOnceDelivery, type ExactlyOnceDeliveryOptions } from './exactly-once-delivery.ts'

class Fixture {
  readonly producer = new MemoryTransactionalProducer()
  readonly clock = fakeClock()
  /** How far the wall clock was set ahead. */
  wallMs = 0
  readonly logger = captureLogger()
  readonly meter = new LiveMeter()
  readonly copied: TextRecord[] = []
  readonly delivery: ExactlyOnceDelivery
  #position = 0

  constructor(options: Partial<ExactlyOnceDeliveryOptions> = {}) {
    this.delivery = new ExactlyOnceDelivery({
      connectorName: 'c',
      producer: this.producer,
      offsets: this.producer.knownTopic('offsets'),
      copyOffsets: (records) => this.copied.push(...records),
      onCommitting: () => undefined,
      onCommitted: () => Promise.resolve(),
      boundary: 'poll',
      intervalMs: 10_000,
      timeoutMs: 5_000,
      clock: this.#steppedClock(),
      logger: this.logger,
      meter: this.meter,
      ...options,
    })
    this.delivery.start()
  }

  #steppedClock(): Clock {
    const { clock } = this
    return {
      now: () => clock.now() + this.wallMs,
      nowMicros: () => clock.nowMicros() + this.wallMs * 1_000,
      monotonicMs: () => clock.monotonicMs(),
      sleep: (ms, signal) => clock.sleep(ms, signal),
      after: (ms, run) => clock.after(ms, run),
    }
  }

  /** The records of a poll, without its boundary. */
  send(count: number): void {
    for (let i = 0; i < count; i++) {
      this.#position += 1
      const record = recordAt(this.#position)
      this.delivery.send(record, encoded(`r${this.#position}`), this.producer.knownTopic('t'))
    }
  }

  poll(count: number, isInTransaction = false): void {
    this.send(count)
    this.delivery.isInTransaction = isInTransaction
    this.delivery.boundary()
  }

  /** What a consumer of committed records sees: the values of each transaction. */
  get seen(): readonly string[] {
    return this.producer.committed.map((records) => records.map(({ value }) => value ?? '').join(' '))
  }

  async settle(): Promise<void> {
    for (let i = 0; i < 20; i++) await Promise.resolve()
  }
}

function encoded(value: string): EncodedRecord {
  const buffer = Buffer.from(value)
  const part = { prefix: Buffer.alloc(0), buffer, start: 0, end: buffer.length }
  return { key: null, value: part, headers: [], partition: null, timestamp: null, token: 0 }
}

test('poll: each poll is a transaction with the offset after its last record', async () => {
  const fixture = new Fixture()
  fixture.poll(2)
  await fixture.settle()
  fixture.poll(1)
  await fixture.settle()
  assert.deepEqual(fixture.seen, ['r1 r2 {"pos":2}', 'r3 {"pos":3}'])
  assert.deepEqual(fixture.copied.at(-1), { key: '["c",{"server":"dbserver1"}]', value: '{"pos":3}' })
  assert.equal(fixture.delivery.pending, 0)
})

test('the source learns of the offsets of a transaction before they are sent', async () => {
  const known: unknown[] = []
  const fixture = new Fixture({
    onCommitting: (offsets) => known.push(...offsets.map((each) => [each.toDocument(), fixture.producer.isCommitting])),
  })
  fixture.poll(2)
  assert.deepEqual(known, [[{ pos: 2 }, false]])
  await fixture.settle()
  assert.equal(known.length, 1)
})

test('poll: the polls that are complete when a commit ends are committed together, and at once', async () => {
  const fixture = new Fixture()
  fixture.producer.holdsCommits = true
  fixture.poll(1)
  fixture.poll(1)
  fixture.poll(2)
  fixture.send(1)
  assert.equal(fixture.delivery.pending, 5)
  fixture.delivery.boundary()
  fixture.producer.completeCommit()
  await fixture.settle()
  assert.equal(fixture.producer.isCommitting, true)
  fixture.producer.completeCommit()
  await fixture.settle()
  assert.deepEqual(fixture.seen, ['r1 {"pos":1}', 'r2 r3 r4 r5 {"pos":5}'])
})

test('poll: a poll that is not complete when a commit ends waits for its end', async () => {
  const fixture = new Fixture()
  fixture.producer.holdsCommits = true
  fixture.poll(1)
  fixture.poll(1)
  fixture.send(1)
  fixture.producer.completeCommit()
  await fixture.settle()
  assert.equal(fixture.producer.isCommitting, false)
  fixture.delivery.boundary()
  fixture.producer.completeCommit()
  await fixture.settle()
  assert.deepEqual(fixture.seen, ['r1 {"pos":1}', 'r2 r3 {"pos":3}'])
})

test('a commit that ends in the middle of a poll does not include its records', async () => {
  const fixture = new Fixture({ boundary: 'connector' })
  fixture.producer.holdsCommits = true
  fixture.poll(1)
  fixture.send(1)
  fixture.producer.completeCommit()
  await fixture.settle()
  assert.deepEqual(fixture.seen, ['r1 {"pos":1}'])
  assert.equal(fixture.producer.isCommitting, false)
  fixture.delivery.boundary()
  fixture.producer.completeCommit()
  await fixture.settle()
  assert.deepEqual(fixture.seen, ['r1 {"pos":1}', 'r2 {"pos":2}'])
})

for (const boundary of ['poll', 'connector'] as const) {
  test(`${boundary}: under load a commit begins 50 ms after the one before, and has all polls until then`, async () => {
    const fixture = new Fixture({ boundary })
    await fixture.clock.advance(10_000)
    fixture.poll(1_000)
    await fixture.settle()
    assert.equal(fixture.producer.committed.length, 1)
    fixture.poll(1)
    await fixture.clock.advance(30)
    fixture.poll(1)
    await fixture.clock.advance(19)
    await fixture.settle()
    assert.equal(fixture.producer.committed.length, 1)
    await fixture.clock.advance(1)
    await fixture.settle()
    assert.deepEqual(fixture.seen.slice(1), ['r1001 r1002 {"pos":1002}'])
    // The load is over.
    fixture.poll(1)
    await fixture.settle()
    assert.deepEqual(fixture.seen.slice(2), ['r1003 {"pos":1003}'])
  })
}

test('a transaction with many records in a long time is no load: the next one is committed at once', async () => {
  const fixture = new Fixture({ boundary: 'connector' })
  for (let i = 0; i < 10; i++) {
    fixture.poll(100, i < 9)
    await fixture.clock.advance(i < 9 ? 3 : 0)
  }
  await fixture.settle()
  assert.equal(fixture.producer.committed.length, 1)
  fixture.poll(1)
  await fixture.settle()
  assert.deepEqual(fixture.seen.slice(1), ['r1001 {"pos":1001}'])
})

test('under load a milestone and the end of the task are committed at once', async () => {
  const fixture = new Fixture()
  fixture.poll(1_000)
  await fixture.settle()
  fixture.delivery.progress({ partition: PARTITION, offset: offsetAt(2_000), isMilestone: true })
  fixture.delivery.boundary()
  await fixture.settle()
  assert.deepEqual(fixture.seen.slice(1), ['{"pos":2000}'])
  fixture.poll(1_000)
  await fixture.settle()
  fixture.poll(1)
  await fixture.delivery.finish()
  assert.equal(fixture.seen.at(-1), 'r2001 {"pos":2001}')
})

test('connector: whole transactions, and those that arrive during a commit together', async () => {
  const fixture = new Fixture({ boundary: 'connector' })
  fixture.producer.holdsCommits = true
  fixture.poll(1, true)
  assert.equal(fixture.producer.isCommitting, false)
  fixture.poll(1)
  fixture.poll(1)
  fixture.poll(1)
  fixture.producer.completeCommit()
  await fixture.settle()
  fixture.producer.completeCommit()
  await fixture.settle()
  assert.deepEqual(fixture.seen, ['r1 r2 {"pos":2}', 'r3 r4 {"pos":4}'])
})

test('connector: a transaction that takes too long is split, with a warning and a count', async () => {
  const fixture = new Fixture({ boundary: 'connector' })
  fixture.poll(1, true)
  await fixture.clock.advance(29_000)
  fixture.poll(1, true)
  assert.deepEqual(fixture.seen, [])
  await fixture.clock.advance(2_000)
  fixture.poll(1, true)
  await fixture.settle()
  assert.deepEqual(fixture.seen.length, 1)
  assert.equal(fixture.logger.matching(/is split.*transaction\.timeout\.ms/).length, 1)
  assert.equal(taskMeters(fixture.meter).transactionsSplit.value, 1)
})

test('connector: the limit counts from the first record, also when a timer has ended in the middle', async () => {
  const fixture = new Fixture({ boundary: 'connector' })
  fixture.delivery.progress({ partition: PARTITION, offset: offsetAt(7) })
  fixture.delivery.boundary()
  await fixture.clock.advance(5_000)
  fixture.poll(1, true)
  await fixture.clock.advance(29_999)
  await fixture.settle()
  assert.deepEqual(fixture.seen, [])
  await fixture.clock.advance(1)
  await fixture.settle()
  assert.deepEqual(fixture.seen, ['r1 {"pos":1}'])
})

test('connector: the time in which the poll of the first record was sent counts as well', async () => {
  const fixture = new Fixture({ boundary: 'connector' })
  fixture.send(1)
  await fixture.clock.advance(20_000)
  fixture.poll(1, true)
  await fixture.clock.advance(10_000)
  await fixture.settle()
  assert.equal(fixture.seen.length, 1)
})

test('interval: one transaction for the interval, also without a further poll', async () => {
  const fixture = new Fixture({ boundary: 'interval' })
  fixture.poll(1)
  fixture.poll(1)
  await fixture.clock.advance(9_999)
  assert.deepEqual(fixture.seen, [])
  await fixture.clock.advance(1)
  await fixture.settle()
  assert.deepEqual(fixture.seen, ['r1 r2 {"pos":2}'])
})

test('interval: never longer than half of the limit after which the broker aborts', async () => {
  const fixture = new Fixture({ boundary: 'interval', intervalMs: 600_000 })
  fixture.poll(1)
  await fixture.clock.advance(30_000)
  await fixture.settle()
  assert.deepEqual(fixture.seen, ['r1 {"pos":1}'])
})

test('an offset without records waits for the interval, a milestone for nothing', async () => {
  const fixture = new Fixture()
  fixture.delivery.progress({ partition: PARTITION, offset: offsetAt(7) })
  fixture.delivery.boundary()
  await fixture.settle()
  assert.deepEqual(fixture.seen, [])
  await fixture.clock.advance(10_000)
  await fixture.settle()
  assert.deepEqual(fixture.seen, ['{"pos":7}'])
  fixture.delivery.progress({ partition: PARTITION, offset: offsetAt(8), isMilestone: true })
  fixture.delivery.boundary()
  await fixture.settle()
  assert.deepEqual(fixture.seen, ['{"pos":7}', '{"pos":8}'])
})

test('what the brokers have acknowledged is not pending while its transaction is open, but while it is committed', async () => {
  const fixture = new Fixture({ boundary: 'interval' })
  const { delivery, producer } = fixture
  fixture.poll(2)
  await fixture.clock.advance(9_000)
  assert.deepEqual(delivery.delivered, { pending: 0, completed: 0, isCommitFailing: false })
  producer.acknowledgesAtOnce = false
  fixture.poll(1)
  assert.equal(delivery.delivered.pending, 3)
  producer.acknowledge()
  assert.equal(delivery.delivered.pending, 0)
  producer.acknowledgesAtOnce = producer.holdsCommits = true
  delivery.commitNow()
  assert.equal(delivery.delivered.pending, 3)
  producer.completeCommit()
  await fixture.settle()
  assert.deepEqual(delivery.delivered, { pending: 0, completed: 3, isCommitFailing: false })
})

test('the end of a task commits whole polls and aborts the part of one', async () => {
  const whole = new Fixture({ boundary: 'interval' })
  whole.poll(2)
  await whole.delivery.finish()
  assert.deepEqual(whole.seen, ['r1 r2 {"pos":2}'])
  assert.equal(whole.producer.isAborted, false)

  const part = new Fixture({ boundary: 'interval' })
  part.poll(2)
  part.send(1)
  await part.delivery.finish()
  assert.deepEqual(part.seen, [])
  assert.equal(part.producer.isAborted, true)

  const inside = new Fixture({ boundary: 'connector' })
  inside.poll(2, true)
  await inside.delivery.finish()
  assert.deepEqual(inside.seen, [])
  assert.equal(inside.producer.isAborted, true)
})

test('the end of a task waits for a commit no longer than its limit, and then aborts', async () => {
  const fixture = new Fixture()
  fixture.producer.holdsCommits = true
  fixture.poll(1)
  const finished = fixture.delivery.finish()
  await fixture.clock.advance(5_000)
  await finished
  assert.equal(fixture.producer.isAborted, true)
  assert.equal(fixture.logger.matching(/not confirmed as committed/).length, 1)
})

test('a fenced task fails with an error that is retriable, and commits nothing more', async () => {
  const fixture = new Fixture()
  fixture.producer.holdsCommits = true
  fixture.poll(1)
  fixture.poll(1)
  const fenced = new CodedError('PRODUCER_FENCED', { message: 'fenced', action: '' }, {})
  fixture.producer.failCommit(fenced)
  await fixture.settle()
  assert.throws(() => fixture.delivery.throwIfFailed(), { code: 'TRANSACTION_LOST', isRetriable: true })
  await fixture.delivery.finish()
  assert.deepEqual(fixture.seen, [])
  assert.equal(fixture.producer.isAborted, true)
})

test('a record that is offered as too large belongs to the open transaction: no commit begins before the answer', async () => {
  const fixture = new Fixture({ boundary: 'interval' })
  const { delivery, producer } = fixture
  fixture.poll(1)
  const answer = Promise.withResolvers<void>()
  producer.onOffer = () => answer.promise
  const offered = delivery.offer(recordAt(2), encoded('r2'), producer.knownTopic('t'), new AbortController().signal)
  delivery.commitNow()
  await fixture.settle()
  assert.deepEqual(fixture.seen, [])
  answer.resolve()
  await offered
  delivery.boundary()
  await fixture.settle()
  assert.deepEqual(fixture.seen, ['r1 r2 {"pos":2}'])
})

test('a transaction that has only a record that was refused is aborted as well', async () => {
  const fixture = new Fixture()
  const { delivery, producer } = fixture
  producer.onOffer = () => Promise.reject(new Error('refused'))
  const { signal } = new AbortController()
  await assert.rejects(delivery.offer(recordAt(1), encoded('r1'), producer.knownTopic('t'), signal), /refused/)
  await delivery.finish()
  assert.equal(producer.isAborted, true)
})

test('a commit whose offsets cannot be sent fails the task with the reason', async () => {
  const fixture = new Fixture()
  fixture.producer.onSend = ({ topic }) => {
    if (topic === 'offsets') throw new Error('the offset is too large')
  }
  fixture.poll(1)
  await fixture.settle()
  assert.throws(() => fixture.delivery.throwIfFailed(), { code: 'PRODUCER_FAILED', message: /the offset is too large/ })
  await fixture.delivery.finish()
  assert.deepEqual([fixture.seen, fixture.producer.isAborted], [[], true])
})

test('connector: the time of the commit before it does not count for a transaction, whose records wait', async () => {
  const fixture = new Fixture({ boundary: 'connector' })
  fixture.producer.holdsCommits = true
  fixture.poll(1)
  fixture.poll(1, true)
  await fixture.clock.advance(35_000)
  fixture.producer.holdsCommits = false
  fixture.producer.completeCommit()
  await fixture.settle()
  assert.deepEqual(fixture.seen, ['r1 {"pos":1}'])
  await fixture.clock.advance(29_000)
  fixture.poll(1)
  await fixture.settle()
  assert.deepEqual(fixture.seen, ['r1 {"pos":1}', 'r2 r3 {"pos":3}'])
  assert.equal(taskMeters(fixture.meter).transactionsSplit.value, 0)
})

test('a wall clock that is set back or ahead neither stops commits nor splits a transaction', async () => {
  for (const [boundary, stepMs] of [
    ['poll', -3_600_000],
    ['connector', 3_600_000],
  ] as const) {
    const fixture = new Fixture({ boundary })
    fixture.poll(2_000, boundary === 'connector')
    fixture.wallMs = stepMs
    fixture.delivery.commitNow()
    await fixture.clock.advance(100)
    fixture.poll(1)
    await fixture.clock.advance(100)
    await fixture.settle()
    assert.equal(fixture.seen.at(-1)?.split(' ').at(-1), '{"pos":2001}', boundary)
    assert.equal(taskMeters(fixture.meter).transactionsSplit.value, 0)
  }
})

test('connector: a transaction of the source without records is not reported as split', async () => {
  const fixture = new Fixture({ boundary: 'connector' })
  fixture.delivery.skip(PARTITION, offsetAt(3))
  fixture.delivery.isInTransaction = true
  fixture.delivery.boundary()
  await fixture.clock.advance(60_000)
  await fixture.settle()
  assert.deepEqual(fixture.seen, ['{"pos":3}'])
  assert.equal(taskMeters(fixture.meter).transactionsSplit.value, 0)
})

test('the end of a task commits nothing after a commit that has failed', async () => {
  const fixture = new Fixture()
  fixture.producer.onSend = ({ topic }) => {
    if (topic === 'offsets') throw new Error('the offset is too large')
  }
  fixture.poll(1)
  await fixture.settle()
  fixture.producer.onSend = () => undefined
  fixture.poll(1)
  await fixture.delivery.finish()
  assert.deepEqual([fixture.seen, fixture.producer.isAborted], [[], true])
})
