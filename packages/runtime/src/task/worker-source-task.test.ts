import type { PollResult } from '@tributary/connect-api'
import { doneOr, StoppedError } from '@tributary/support'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fixture, FLUSH_TIMEOUT_MS, polled, recordsAt, testErrors } from './testing/task-fixture.ts'
import { offsetAt, PARTITION, recordAt } from './testing/test-record.ts'
import type { TransformationStage } from './transformation-chain.ts'

test('a milestone is stored as soon as what lies before it is safe, however far the next commit is', async () => {
  const milestone = { partition: PARTITION, offset: offsetAt(3), isMilestone: true }
  const { task, producer, run, stop, stored, clock } = fixture([recordsAt(1, 2), { records: [], progress: milestone }])
  producer.acknowledgesAtOnce = false
  const running = run()
  await task.exhausted.promise
  await clock.advance(0)
  assert.deepEqual(stored, [])

  producer.acknowledge()
  await clock.advance(0)
  assert.deepEqual(stored, [{ key: '["c",{"server":"dbserver1"}]', value: '{"pos":3}' }])
  stop.abort()
  await running
})

test('records are sent in the order of polling, of several topics; a stop stores their offset and ends the task', async () => {
  const { task, run, stop, values, stored, started, work } = fixture([
    recordsAt(1, 2),
    polled([recordAt(3, { topic: 'customers' }), recordAt(4)]),
    polled([], 9),
  ])
  const running = run()
  await task.exhausted.promise
  assert.deepEqual([values(), started, stored], [['v1', 'v2', 'v3', 'v4'], ['started'], []])
  // Three polls, and two waits for a topic.
  assert.deepEqual(work, ['begin', 'work', 'work', 'work', 'work', 'work'])

  stop.abort()
  await running
  assert.deepEqual(stored, [{ key: '["c",{"server":"dbserver1"}]', value: '{"pos":9}' }])
  assert.deepEqual(task.calls.slice(-2), ['commit', 'stop'])
})

test('the producer hears whether more records follow', async () => {
  const { task, producer, run, stop } = fixture([{ ...recordsAt(1), hasMore: true }, recordsAt(2), polled([])])
  const heard: boolean[] = []
  producer.onSend = () => void heard.push(producer.moreFollows)
  const running = run()
  await task.exhausted.promise
  assert.deepEqual(heard, [true, false])
  stop.abort()
  await running
})

test('a full producer holds up polling until it has room', async () => {
  const { task, producer, run, stop, values, clock } = fixture([recordsAt(1, 2, 3), recordsAt(4)])
  producer.onSend = ({ value }) => {
    if (value === 'v2') producer.fill()
  }
  const running = run()
  await clock.advance(0)
  assert.deepEqual(
    [values(), task.calls],
    [
      ['v1', 'v2'],
      ['start', 'poll'],
    ],
  )

  producer.drain()
  await task.exhausted.promise
  assert.deepEqual(values(), ['v1', 'v2', 'v3', 'v4'])
  stop.abort()
  await running
})

test('a producer that fails fails the task with its reason; what was acknowledged before is stored', async () => {
  const { producer, run, stored, task, clock } = fixture([recordsAt(1), polled([]), recordsAt(2, 3)])
  producer.acknowledgesAtOnce = false
  producer.onSend = ({ value }) => {
    if (value !== 'v2') return
    producer.acknowledge()
    producer.failure = new Error('OUT_OF_ORDER_SEQUENCE_NUMBER')
  }
  const failed = assert.rejects(run(), (error: Error & { code?: string }) => {
    assert.equal(error.code, 'PRODUCER_FAILED')
    assert.match(error.message, /^Unrecoverable exception from producer send callback: OUT_OF_ORDER_SEQUENCE_NUMBER\./)
    assert.equal(error.cause, producer.failure)
    return true
  })
  await clock.untilPending()
  await clock.advance(FLUSH_TIMEOUT_MS)
  await failed
  assert.deepEqual(
    stored.map(({ value }) => value),
    ['{"pos":1}'],
  )
  assert.equal(task.calls.at(-1), 'stop')
})

test('a producer that fails between two polls is noticed too', async () => {
  const { producer, run, task } = fixture([recordsAt(1), polled([]), polled([])])
  producer.onSend = () => {
    producer.failure = new Error('CLUSTER_AUTHORIZATION_FAILED')
  }
  await assert.rejects(run(), { code: 'PRODUCER_FAILED' })
  assert.deepEqual(
    task.calls.filter((call) => call === 'poll'),
    ['poll'],
  )
})

test('and one that fails while it is waited for', async () => {
  const { producer, run, clock } = fixture([recordsAt(1)])
  producer.fill()
  const failed = assert.rejects(run(), { code: 'PRODUCER_FAILED' })
  await clock.advance(0)
  producer.fail(new Error('lost'))
  await failed
})

test('a record that cannot be converted fails the task; the records before it are sent and their offset is stored', async () => {
  const { run, values, stored } = fixture([polled([recordAt(1), recordAt(2, { value: 'unfit' }), recordAt(3)])])
  await assert.rejects(run(), { code: 'RECORD_FAILED' })
  assert.deepEqual([values(), stored.map(({ value }) => value)], [['v1'], ['{"pos":1}']])
})

test('a source that fails keeps what it gave before', async () => {
  const { run, stored, task, started } = fixture([recordsAt(1, 2), new Error('the binlog is purged')])
  await assert.rejects(run(), /the binlog is purged/)
  assert.deepEqual([stored.map(({ value }) => value), started], [['{"pos":2}'], ['started']])
  assert.equal(task.calls.at(-1), 'stop')
})

test('a source that asks for patience is asked again, later each time', async () => {
  const away = testErrors.AWAY({})
  const { run, task, clock, logger, values, stop } = fixture([away, away, recordsAt(1)])
  const running = run()
  await clock.untilPending(2)
  assert.equal(task.calls.length, 2)
  await clock.advance(300)
  assert.equal(task.calls.length, 3)
  await clock.advance(200)
  assert.equal(task.calls.length, 3, 'the second pause is longer')
  await clock.advance(400)
  await task.exhausted.promise

  assert.deepEqual(values(), ['v1'])
  assert.equal(logger.matching('The source gave no records; it is asked again').length, 2)
  stop.abort()
  await running
})

test('after it gave something its patience begins anew', async () => {
  const away = testErrors.AWAY({})
  const { run, task, clock, logger, stop } = fixture([away, away, away, recordsAt(1), away])
  const running = run()
  await clock.untilPending(2)
  await clock.advance(10_000)
  await task.exhausted.promise
  const [first = 0, , third = 0, fourth = 0] = logger
    .matching('it is asked again')
    .map(({ message }) => Number(/in (\d+) ms/.exec(message)?.[1]))
  assert.ok(first <= 300 && third > 900 && fourth <= 300, `${first}, ${third}, ${fourth}`)
  stop.abort()
  await running
})

test('a task that does not start is stopped and never counts as started', async () => {
  const { task, run, started, stored } = fixture([])
  task.startError = new Error('no route to host')
  await assert.rejects(run(), /no route to host/)
  assert.deepEqual([task.calls, started, stored], [['start', 'stop'], [], []])
})

test('a stop while the source starts is no failure', async () => {
  const { task, run, stop } = fixture([])
  task.startError = new StoppedError()
  stop.abort()
  await run()
  assert.deepEqual(task.calls, ['start', 'stop'])
})

test('a stop waits for acknowledgements within its limit, then stores the offsets of what has come', async () => {
  const { producer, task, run, stop, clock, stored, logger } = fixture([recordsAt(1, 2, 3)])
  producer.acknowledgesAtOnce = false
  const running = run()
  await task.exhausted.promise
  stop.abort()
  await clock.advance(1_000)
  producer.acknowledge(2)
  assert.deepEqual(stored, [])
  await clock.advance(FLUSH_TIMEOUT_MS)
  await running

  assert.deepEqual(
    stored.map(({ value }) => value),
    ['{"pos":2}'],
  )
  assert.equal(logger.matching('1 records were not acknowledged in time; they are sent again').length, 1)
  assert.equal(task.calls.at(-1), 'stop')
})

test('a dropped record moves the offset as one that was sent does', async () => {
  const odd: TransformationStage = { apply: (record) => (record.value === 'v2' ? record : null) }
  const { task, run, stop, values, stored } = fixture([recordsAt(1, 2, 3)], [odd])
  const running = run()
  await task.exhausted.promise
  stop.abort()
  await running
  assert.deepEqual([values(), stored.map(({ value }) => value)], [['v2'], ['{"pos":3}']])
})

test('a source that cannot stop is logged; the stop succeeds', async () => {
  const { task, run, stop, logger } = fixture([])
  task.stopError = new Error('the socket is stuck')
  const running = run()
  await task.exhausted.promise
  stop.abort()
  await running
  assert.equal(logger.matching('The task did not stop cleanly').length, 1)
})

function toTopics(...topics: readonly string[]): PollResult {
  return polled(topics.map((topic, i) => recordAt(i, { topic })))
}

test('the topics of the polled records are opened beside one another; the records keep their order', async () => {
  const { task, producer, run, stop } = fixture([toTopics('a', 'b', 'a', 'c')])
  const lookedUp: string[] = []
  const answers = Promise.withResolvers<void>()
  const allAsked = Promise.withResolvers<void>()
  producer.onLookUp = (name) => {
    if (lookedUp.push(name) === 3) allAsked.resolve()
    return answers.promise
  }
  const running = run()
  await allAsked.promise
  assert.deepEqual([lookedUp, producer.sent], [['a', 'b', 'c'], []])
  answers.resolve()
  await task.exhausted.promise
  stop.abort()
  await running
  assert.deepEqual(
    producer.sent.map(({ topic, value }) => [topic, value]),
    [
      ['a', 'v0'],
      ['b', 'v1'],
      ['a', 'v2'],
      ['c', 'v3'],
    ],
  )
})

test('of the topics that cannot be opened the first in order fails the task; what comes before it is sent', async () => {
  const { producer, run, values } = fixture([toTopics('a', 'b', 'c')])
  producer.onLookUp = (name) => (name === 'a' ? Promise.resolve() : Promise.reject(new Error(`no ${name}`)))
  await assert.rejects(run(), { message: 'no b' })
  assert.deepEqual(values(), ['v0'])
})

test('records that a chain may change are not looked at before their turn', async () => {
  const seen: string[] = []
  const stage: TransformationStage = {
    apply: (record) => {
      seen.push(record.topic)
      return { ...record, topic: `new-${record.topic}` }
    },
  }
  const { task, producer, run, stop } = fixture([toTopics('a', 'b')], [stage])
  const running = run()
  await task.exhausted.promise
  stop.abort()
  await running
  assert.deepEqual(
    [seen, producer.sent.map(({ topic }) => topic)],
    [
      ['a', 'b'],
      ['new-a', 'new-b'],
    ],
  )
})

test('a stop while topics are being opened ends the task without sending', { timeout: 5_000 }, async () => {
  const { producer, run, stop, values } = fixture([toTopics('a', 'b')])
  const asked = Promise.withResolvers<void>()
  producer.onLookUp = () => {
    asked.resolve()
    return doneOr(new Promise<void>(() => undefined), stop.signal)
  }
  const running = run()
  await asked.promise
  stop.abort()
  await running
  assert.deepEqual(values(), [])
})
