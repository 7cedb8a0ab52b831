import type { PollResult, TransformationStage } from '@tributary/connect-api'
import type { OutgoingRecord } from '@tributary/kafka'
import { doneOr, isPoisonOn, StoppedError, systemClock } from '@tributary/support'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { momentOf } from '../lease/lease.ts'
import { fixture, FLUSH_TIMEOUT_MS, polled, recordsAt, testErrors } from './testing/task-fixture.ts'
import { offsetAt, PARTITION, recordAt } from './testing/test-record.ts'

test('a milestone is stored as soon as all records before it are acknowledged, long before the next commit', async () => {
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

test('records of several topics are sent in the order of polling; a stop stores their offset', async () => {
  const { task, run, stop, values, stored, started, work } = fixture([
    recordsAt(1, 2),
    polled([recordAt(3, { topic: 'customers' }), recordAt(4)]),
    polled([], 9),
  ])
  const running = run()
  await task.exhausted.promise
  assert.deepEqual([values(), started, stored], [['v1', 'v2', 'v3', 'v4'], ['started'], []])
  // Three polls, and two waits for a topic.
  assert.deepEqual(work, ['start', 'work', 'work', 'work', 'work', 'work'])

  stop.abort()
  await running
  assert.deepEqual(stored, [{ key: '["c",{"server":"dbserver1"}]', value: '{"pos":9}' }])
  assert.deepEqual(task.calls.slice(-2), ['commit', 'stop'])
})

test('the producer knows whether more records follow', async () => {
  const { task, producer, run, stop } = fixture([{ ...recordsAt(1), hasMore: true }, recordsAt(2), polled([])])
  const seen: boolean[] = []
  producer.onSend = () => void seen.push(producer.moreFollows)
  const running = run()
  await task.exhausted.promise
  assert.deepEqual(seen, [true, false])
  stop.abort()
  await running
})

test('a full producer stops sending and polling until it has room', async () => {
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

test('a failing producer fails the task with its reason; acknowledged offsets are stored', async () => {
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

test('a producer that fails between two polls fails the task before the next poll', async () => {
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

test('a producer that fails while the task waits for room fails the task', async () => {
  const { producer, run, clock } = fixture([recordsAt(1)])
  producer.fill()
  const failed = assert.rejects(run(), { code: 'PRODUCER_FAILED' })
  await clock.advance(0)
  producer.fail(new Error('lost'))
  await failed
})

test('a record that cannot be converted fails the task after the records before it are sent and their offset is stored', async () => {
  const { run, values, stored } = fixture([polled([recordAt(1), recordAt(2, { value: 'unfit' }), recordAt(3)])])
  await assert.rejects(run(), { code: 'RECORD_FAILED' })
  assert.deepEqual([values(), stored.map(({ value }) => value)], [['v1'], ['{"pos":1}']])
})

test('the records before the failure of a source are sent and their offset is stored', async () => {
  const { run, stored, task, started } = fixture([recordsAt(1, 2), new Error('the binlog is purged')])
  await assert.rejects(run(), /the binlog is purged/)
  assert.deepEqual([stored.map(({ value }) => value), started], [['{"pos":2}'], ['started']])
  assert.equal(task.calls.at(-1), 'stop')
})

test('after a retriable error the source is polled again, with growing pauses', async () => {
  const down = testErrors.DOWN({})
  const { run, task, clock, logger, values, stop } = fixture([down, down, recordsAt(1)])
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
  assert.equal(logger.matching('The source could not be polled. The task polls it again').length, 2)
  stop.abort()
  await running
})

test('a successful poll resets the pause', async () => {
  const down = testErrors.DOWN({})
  const { run, task, clock, logger, stop } = fixture([down, down, down, recordsAt(1), down])
  const running = run()
  await clock.untilPending(2)
  await clock.advance(10_000)
  await task.exhausted.promise
  const [first = 0, , third = 0, fourth = 0] = logger
    .matching('The task polls it again')
    .map(({ message }) => Number(/in (\d+) ms/.exec(message)?.[1]))
  assert.ok(first <= 300 && third > 900 && fourth <= 300, `${first}, ${third}, ${fourth}`)
  stop.abort()
  await running
})

test('a task that does not start is stopped and never reported as started', async () => {
  const { task, run, started, stored } = fixture([])
  task.startError = new Error('no route to host')
  await assert.rejects(run(), /no route to host/)
  assert.deepEqual([task.calls, started, stored], [['start', 'stop'], [], []])
})

test('a source starts only with the lease: another worker may read it', async () => {
  const { task, run, lease, stop } = fixture([])
  lease.revoke()
  const running = run()
  assert.deepEqual(task.calls, [])
  lease.renew(momentOf(systemClock), 86_400_000)
  await task.exhausted.promise
  assert.equal(task.calls[0], 'start')
  stop.abort()
  await running
})

test('a stop while the source starts is not a failure', async () => {
  const { task, run, stop } = fixture([])
  task.startError = new StoppedError()
  stop.abort()
  await run()
  assert.deepEqual(task.calls, ['start', 'stop'])
})

test('a stop waits for acknowledgements up to its limit, then stores the acknowledged offsets', async () => {
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

test('a dropped record moves the offset like a sent one', async () => {
  const odd: TransformationStage = { apply: (record) => (record.value === 'v2' ? record : null) }
  const { task, run, stop, values, stored } = fixture([recordsAt(1, 2, 3)], [odd])
  const running = run()
  await task.exhausted.promise
  stop.abort()
  await running
  assert.deepEqual([values(), stored.map(({ value }) => value)], [['v2'], ['{"pos":3}']])
})

test('a source that fails to stop is logged, and the stop succeeds', async () => {
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

test('the topics of a poll are opened side by side; the records keep their order', async () => {
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

test('the first topic that cannot be opened fails the task; the records before it are sent', async () => {
  const { producer, run, values } = fixture([toTopics('a', 'b', 'c')])
  producer.onLookUp = (name) => (name === 'a' ? Promise.resolve() : Promise.reject(new Error(`no ${name}`)))
  await assert.rejects(run(), { message: 'no b' })
  assert.deepEqual(values(), ['v0'])
})

test('the chain runs over the whole poll before the first record is sent; its topics are opened side by side', async () => {
  const steps: string[] = []
  const rename: TransformationStage = {
    apply: (record) => {
      steps.push(`transform ${record.topic}`)
      return { ...record, topic: `new-${record.topic}` }
    },
  }
  const { task, producer, run, stop } = fixture([toTopics('a', 'b')], [rename])
  const answers = Promise.withResolvers<void>()
  producer.onLookUp = (name) => {
    steps.push(`open ${name}`)
    if (name === 'new-b') answers.resolve()
    // Resolves only when both topics are requested.
    return answers.promise
  }
  producer.onSend = ({ topic }) => void steps.push(`send ${topic}`)
  const running = run()
  await task.exhausted.promise
  stop.abort()
  await running
  assert.deepEqual(steps, ['transform a', 'transform b', 'open new-a', 'open new-b', 'send new-a', 'send new-b'])
})

test('a failing stage fails the task with topic and position, after the records before it are sent and stored', async () => {
  const failing: TransformationStage = {
    apply: (record) => {
      if (record.value === 'v2') throw new Error('no field named id')
      return record
    },
  }
  const { run, values, stored } = fixture([recordsAt(1, 2, 3)], [failing])
  await assert.rejects(run(), {
    code: 'RECORD_FAILED',
    message: /topic orders from source position \{"pos":2\} could not be transformed: no field named id/,
  })
  assert.deepEqual([values(), stored.map(({ value }) => value)], [['v1'], ['{"pos":1}']])
})

test('a topic that is forgotten while the producer is full is opened again for the rest of the poll', async () => {
  const { producer, run, stop, values, task, gate, clock } = fixture([recordsAt(1, 2)])
  producer.onSend = ({ value }) => {
    if (value === 'v1') producer.fill()
  }
  let lookUps = 0
  producer.onLookUp = () => {
    lookUps += 1
    return Promise.resolve()
  }
  const running = run()
  await clock.advance(0)
  gate.forgetTopics()
  producer.drain()
  await task.exhausted.promise
  assert.deepEqual([values(), lookUps], [['v1', 'v2'], 2])
  stop.abort()
  await running
})

test('the task counts its records, bytes and commits, and measures its lag', async () => {
  const dropFirst: TransformationStage = { apply: (record) => (record.value === 'v1' ? null : record) }
  const lateOffset = { ...offsetAt(3), changedAtMs: 1_699_999_997_500 }
  const { task, producer, run, stop, meter } = fixture(
    [polled([recordAt(1), recordAt(2), recordAt(3, { sourceOffset: lateOffset })])],
    [dropFirst],
  )
  producer.acknowledgesAtOnce = false
  const running = run()
  await task.exhausted.promise
  assert.deepEqual(meter.snapshot().gauges, { 'records.inFlight': 2, 'queue.bytes': 2, 'lag.ms': 2_500 })
  producer.acknowledge()
  stop.abort()
  await running
  assert.deepEqual(meter.snapshot().counters, {
    'records.polled': 3,
    'records.dropped': 1,
    'records.sent': 2,
    'bytes.sent': 'k2v2k3v3'.length,
    'records.acknowledged': 2,
    commits: 1,
    'commits.failed': 0,
    'polls.retried': 0,
    'transactions.aborted': 0,
    'transactions.split': 0,
    'errors.records': 0,
    'errors.failures': 0,
    'errors.skipped': 0,
    'errors.retries': 0,
    'errors.logged': 0,
    'errors.producer': 0,
    'records.tooLarge.skipped': 0,
    'records.tooLarge.replaced': 0,
  })
})

test('a record that the producer refuses is not counted as sent', async () => {
  const { producer, run, meter } = fixture([recordsAt(1, 2, 3)])
  producer.onSend = ({ value }) => {
    if (value === 'v2') throw new Error('the record is too large')
  }
  await assert.rejects(run(), { code: 'RECORD_FAILED' })
  const { counters } = meter.snapshot()
  assert.deepEqual(
    [counters['records.polled'], counters['records.sent'], counters['bytes.sent']],
    [3, 1, 'k1v1'.length],
  )
})

test('bytes that a producer keeps after the poll, instead of copying them, are poisoned', async () => {
  assert.ok(isPoisonOn, 'npm test switches poison on')
  const { task, producer, run, stop } = fixture([recordsAt(1), recordsAt(2)])
  const kept: Buffer[] = []
  const find = producer.knownTopic.bind(producer)
  producer.knownTopic = (name) => {
    const topic = find(name)
    const send = (record: OutgoingRecord): void => {
      if (record.value !== null) kept.push(record.value.buffer.subarray(record.value.start, record.value.end))
      topic.send(record)
    }
    return { ...topic, send }
  }
  const running = run()
  await task.exhausted.promise
  assert.deepEqual(
    kept.map((bytes) => bytes.toString('hex')),
    ['a5a5', 'a5a5'],
  )
  stop.abort()
  await running
})

test('a stop while topics are being opened ends the task and sends nothing', { timeout: 5_000 }, async () => {
  const { producer, run, stop, values } = fixture([toTopics('a', 'b')])
  const isRequested = Promise.withResolvers<void>()
  producer.onLookUp = () => {
    isRequested.resolve()
    return doneOr(new Promise<void>(() => undefined), stop.signal)
  }
  const running = run()
  await isRequested.promise
  stop.abort()
  await running
  assert.deepEqual(values(), [])
})
