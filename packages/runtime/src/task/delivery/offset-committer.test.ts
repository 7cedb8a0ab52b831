import { LiveMeter, StoppedError } from '@tributary/support'
import { captureLogger, fakeClock, type CaptureLogger, type FakeClock } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TextRecord } from '../../storage/topic-writer.ts'
import { OffsetCommitter } from './offset-committer.ts'
import { taskMeters } from '../task-meters.ts'
import { SubmittedRecords } from './submitted-records.ts'
import { offsetAt, PARTITION } from '../testing/test-record.ts'

const INTERVAL_MS = 60_000
const TIMEOUT_MS = 5_000
/** After this time in a commit, the send window follows the acknowledged records. */
const LATE_AFTER_MS = 1_000

/** The offsets topic: a test answers each write. */
class ScriptedLog {
  readonly writes: { readonly records: readonly TextRecord[]; readonly signal: AbortSignal }[] = []
  readonly #answers: PromiseWithResolvers<void>[] = []
  answersAtOnce = true

  write(records: readonly TextRecord[], signal: AbortSignal): Promise<void> {
    this.writes.push({ records, signal })
    if (this.answersAtOnce) return Promise.resolve()
    const answer = Promise.withResolvers<void>()
    this.#answers.push(answer)
    signal.addEventListener('abort', () => answer.reject(new StoppedError()), { once: true })
    return answer.promise
  }

  succeed(): void {
    this.#answers.shift()?.resolve()
  }

  fail(error: Error): void {
    this.#answers.shift()?.reject(error)
  }

  /** Values written so far. */
  get values(): readonly (string | null)[] {
    return this.writes.flatMap(({ records }) => records.map(({ value }) => value))
  }
}

interface Fixture {
  readonly submitted: SubmittedRecords
  readonly log: ScriptedLog
  readonly clock: FakeClock
  readonly logger: CaptureLogger
  readonly committer: OffsetCommitter
  readonly committed: string[]
  /** The starts of the send window, in the order of the calls. */
  readonly starts: number[]
  readonly meter: LiveMeter
}

function fixture(onCommitted: () => Promise<void> = () => Promise.resolve()): Fixture {
  const [submitted, log, clock, logger] = [new SubmittedRecords(), new ScriptedLog(), fakeClock(), captureLogger()]
  const meter = new LiveMeter()
  const committed: string[] = []
  const starts: number[] = []
  const committer = new OffsetCommitter({
    connectorName: 'inventory-connector',
    submitted,
    log,
    window: { moveWindow: (start) => starts.push(start) },
    onCommitting: () => committed.push(`before ${log.writes.length + 1}`),
    onCommitted: () => {
      committed.push(`after ${log.writes.length}`)
      return onCommitted()
    },
    recordsBetweenCommits: 1000,
    intervalMs: INTERVAL_MS,
    timeoutMs: TIMEOUT_MS,
    meters: taskMeters(meter),
    clock,
    logger,
  })
  return { submitted, log, clock, logger, committer, committed, starts, meter }
}

test('offsets are stored at the interval, as records of the offsets topic, and the source is notified', async () => {
  const { submitted, log, clock, committer, committed } = fixture()
  const stop = new AbortController()
  const running = committer.run(stop.signal)
  submitted.submitProgress(PARTITION, offsetAt(154))

  await clock.advance(INTERVAL_MS - 1)
  assert.equal(log.writes.length, 0)
  await clock.advance(1)
  assert.deepEqual(
    log.writes.map(({ records }) => records),
    [[{ key: '["inventory-connector",{"server":"dbserver1"}]', value: '{"pos":154}' }]],
  )
  assert.deepEqual(committed, ['before 1', 'after 1'])
  await clock.advance(3 * INTERVAL_MS)
  assert.equal(log.writes.length, 1, 'without a new offset there is no write')

  submitted.submitProgress(PARTITION, offsetAt(200))
  await clock.advance(INTERVAL_MS)
  assert.deepEqual(log.values, ['{"pos":154}', '{"pos":200}'])
  stop.abort()
  await running
})

/** Submits and acknowledges that many records, as a producer does for one batch. */
function deliver({ submitted, committer }: Fixture, from: number, count: number): void {
  for (let pos = from; pos < from + count; pos++) submitted.acknowledge(submitted.submit(PARTITION, offsetAt(pos)))
  committer.onAcknowledged()
}

test('a thousand acknowledged records make a commit due before the interval is over', async () => {
  const it = fixture()
  const { log, clock, committer } = it
  const stop = new AbortController()
  const running = committer.run(stop.signal)
  deliver(it, 1, 999)
  await clock.advance(0)
  assert.equal(log.writes.length, 0)

  deliver(it, 1000, 1)
  await clock.advance(0)
  assert.deepEqual(log.values, ['{"pos":1000}'])

  deliver(it, 1001, 999)
  await clock.advance(INTERVAL_MS - 1)
  assert.equal(log.writes.length, 1, 'the interval starts with the last commit')
  await clock.advance(1)
  assert.deepEqual(log.values, ['{"pos":1000}', '{"pos":1999}'])
  stop.abort()
  await running
})

test('records that are acknowledged during a commit make the next one due when it ends', async () => {
  const it = fixture()
  const { log, clock, committer } = it
  log.answersAtOnce = false
  const stop = new AbortController()
  const running = committer.run(stop.signal)
  deliver(it, 1, 1000)
  await clock.advance(0)
  deliver(it, 1001, 5000)
  await clock.advance(0)
  assert.deepEqual(log.values, ['{"pos":1000}'])

  log.succeed()
  await clock.advance(0)
  assert.deepEqual(log.values, ['{"pos":1000}', '{"pos":6000}'])
  stop.abort()
  await running
})

test('a failed commit is retried after one second, two, four, up to the interval; acknowledged records do not make it earlier', async () => {
  const it = fixture()
  const { log, clock, committer } = it
  log.answersAtOnce = false
  const stop = new AbortController()
  const running = committer.run(stop.signal)
  deliver(it, 1, 1000)
  await clock.advance(0)
  for (const [tries, seconds] of [1, 2, 4, 8, 16, 32, 60, 60].entries()) {
    log.fail(new Error('NOT_ENOUGH_REPLICAS'))
    await clock.advance(0)
    deliver(it, 1001 + tries * 1000, 1000)
    // A fifth of a pause is random.
    await clock.advance(seconds * 800 - 1)
    assert.equal(log.writes.length, tries + 1)
    for (let step = 0; step <= 10 && log.writes.length === tries + 1; step++) await clock.advance(seconds * 20)
    assert.equal(log.writes.length, tries + 2)
  }

  log.succeed()
  await clock.advance(0)
  deliver(it, 9001, 1000)
  await clock.advance(0)
  assert.equal(log.values.at(-1), '{"pos":10000}', 'after a success, records make a commit due again')
  stop.abort()
  await running
})

test('a failed commit from outside is retried soon; after a successful one, records make a commit due again', async () => {
  const it = fixture()
  const { log, clock, committer } = it
  log.answersAtOnce = false
  const stop = new AbortController()
  const running = committer.run(stop.signal)
  deliver(it, 1, 10)
  const milestone = committer.commit()
  await clock.untilPending()
  log.fail(new Error('NOT_ENOUGH_REPLICAS'))
  assert.equal(await milestone, false)
  await clock.advance(1000)
  assert.deepEqual(log.values, ['{"pos":10}', '{"pos":10}'])
  log.succeed()
  await clock.advance(0)

  deliver(it, 11, 10)
  const second = committer.commit()
  await clock.untilPending()
  deliver(it, 21, 1000)
  await clock.advance(LATE_AFTER_MS)
  log.succeed()
  assert.equal(await second, true)
  await clock.advance(0)
  assert.deepEqual(log.values.at(-1), '{"pos":1020}')
  stop.abort()
  await running
})

test('the send window starts after the records whose offsets the last successful commit stored', async () => {
  const it = fixture()
  const { log, clock, committer, starts } = it
  log.answersAtOnce = false
  const stop = new AbortController()
  const running = committer.run(stop.signal)
  deliver(it, 1, 1200)
  await clock.advance(0)
  deliver(it, 1201, 300)
  await clock.advance(LATE_AFTER_MS - 1)
  assert.deepEqual(starts, [], 'the offsets of acknowledged records are not stored yet')

  log.succeed()
  await clock.advance(0)
  assert.deepEqual(starts, [1200])
  stop.abort()
  await running
})

test('while a commit is late or has failed, the send window follows the acknowledged records', async () => {
  const it = fixture()
  const { log, clock, committer, starts } = it
  log.answersAtOnce = false
  const stop = new AbortController()
  const running = committer.run(stop.signal)
  deliver(it, 1, 1000)
  await clock.advance(0)
  deliver(it, 1001, 1500)
  await clock.advance(LATE_AFTER_MS)
  assert.deepEqual(starts, [2500])
  deliver(it, 2501, 10)
  assert.deepEqual(starts, [2500, 2510])

  log.fail(new Error('NOT_ENOUGH_REPLICAS'))
  await clock.advance(0)
  deliver(it, 2511, 5)
  assert.deepEqual(starts, [2500, 2510, 2510, 2515])

  await clock.advance(1000)
  deliver(it, 2516, 5)
  assert.deepEqual(starts.slice(4), [2520], 'a retry in progress is not a success')
  log.succeed()
  await clock.advance(0)
  assert.deepEqual(starts.slice(5), [2515])
  deliver(it, 2521, 5)
  assert.equal(starts.length, 6)
  stop.abort()
  await running
})

test('a failed commit is logged, and the next one stores the newest offsets', async () => {
  const { submitted, log, clock, logger, committer, committed } = fixture()
  log.answersAtOnce = false
  submitted.submitProgress(PARTITION, offsetAt(1))
  submitted.submitProgress({ server: 'other' }, offsetAt(7))
  const first = committer.commit()
  await clock.untilPending()
  submitted.submitProgress(PARTITION, offsetAt(2))
  log.fail(new Error('NOT_ENOUGH_REPLICAS'))

  assert.equal(await first, false)
  assert.deepEqual(committed, ['before 1'])
  const [line] = logger.lines
  assert.deepEqual([line?.level, String(line?.fields['error'])], ['warn', 'Error: NOT_ENOUGH_REPLICAS'])

  log.answersAtOnce = true
  assert.equal(await committer.commit(), true)
  assert.deepEqual(new Set(log.writes.at(-1)?.records.map(({ value }) => value)), new Set(['{"pos":2}', '{"pos":7}']))
})

test('a commit that exceeds its limit is abandoned, and the next one stores its offsets', async () => {
  const { submitted, log, clock, logger, committer } = fixture()
  log.answersAtOnce = false
  submitted.submitProgress(PARTITION, offsetAt(1))
  const late = committer.commit()
  await clock.untilPending()
  await clock.advance(TIMEOUT_MS)

  assert.equal(await late, false)
  assert.equal(log.writes[0]?.signal.aborted, true)
  assert.equal(logger.matching('the brokers did not acknowledge them within 5000 ms').length, 1)
  log.answersAtOnce = true
  await committer.commit()
  assert.deepEqual(log.values, ['{"pos":1}', '{"pos":1}'])
})

test('commits do not overlap: the second one writes the offsets since the first', async () => {
  const { submitted, log, clock, committer } = fixture()
  log.answersAtOnce = false
  submitted.submitProgress(PARTITION, offsetAt(1))
  const first = committer.commit()
  await clock.untilPending()
  submitted.submitProgress(PARTITION, offsetAt(2))
  const second = committer.commit()
  await clock.advance(0)
  assert.deepEqual(log.values, ['{"pos":1}'])

  log.succeed()
  assert.equal(await first, true)
  await clock.untilPending()
  assert.deepEqual(log.values, ['{"pos":1}', '{"pos":2}'])
  log.succeed()
  assert.equal(await second, true)
})

test('a stop abandons the commit in progress without a warning, and the last commit stores its offsets', async () => {
  const { submitted, log, clock, logger, committer } = fixture()
  log.answersAtOnce = false
  const stop = new AbortController()
  const running = committer.run(stop.signal)
  submitted.submitProgress(PARTITION, offsetAt(1))
  await clock.advance(INTERVAL_MS)
  assert.equal(log.writes.length, 1)
  stop.abort()
  await running

  assert.deepEqual(logger.lines, [])
  log.answersAtOnce = true
  assert.equal(await committer.commit(), true)
  assert.deepEqual(log.values, ['{"pos":1}', '{"pos":1}'])
})

test('offsets count as stored when the source fails to handle their commit', async () => {
  const { submitted, log, logger, committer } = fixture(() => Promise.reject(new Error('upstream is gone')))
  submitted.submitProgress(PARTITION, offsetAt(1))
  assert.equal(await committer.commit(), true)
  assert.equal(logger.matching('The source failed to handle the commit of its offsets').length, 1)
  await committer.commit()
  assert.equal(log.writes.length, 1)
})
