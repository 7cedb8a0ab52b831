import {
  type Converter,
  type PollResult,
  Schema,
  type SourceRecord,
  type SourceTask,
  type SourceTaskContext,
} from '@tributary/connect-api'
import { defineErrors, doneOr, StoppedError } from '@tributary/support'
import { captureLogger, fakeClock, type CaptureLogger, type FakeClock } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TextRecord } from '../storage/topic-writer.ts'
import { OffsetCommitter } from './offset-committer.ts'
import { RecordSender } from './record-sender.ts'
import { SubmittedRecords } from './submitted-records.ts'
import { MemoryAdmin } from '../testing/memory-admin.ts'
import { MemoryProducer } from '../testing/memory-producer.ts'
import { offsetAt, PARTITION, recordAt } from './testing/test-record.ts'
import { RegisteringConverter } from './testing/registering-converter.ts'
import { TextConverter, textHeaders } from './testing/text-converter.ts'
import { TopicOpener } from './topic-opener.ts'
import { TransformationChain, type TransformationStage } from './transformation-chain.ts'
import { WorkerSourceTask } from './worker-source-task.ts'

const testErrors = defineErrors({
  AWAY: { message: 'the source is away', action: '', retriable: true },
  INCOMPATIBLE: { message: 'the schema is incompatible', action: '' },
})
const FLUSH_TIMEOUT_MS = 5_000

/** A source that does what the test says, poll by poll, and then waits to be stopped. */
class ScriptedTask implements SourceTask {
  readonly calls: string[] = []
  readonly #polls: (PollResult | Error)[]
  /** Resolves when everything in the script was polled. */
  readonly exhausted = Promise.withResolvers<void>()
  startError: Error | null = null
  stopError: Error | null = null

  constructor(polls: readonly (PollResult | Error)[]) {
    this.#polls = [...polls]
  }

  start(): Promise<void> {
    this.calls.push('start')
    return this.startError === null ? Promise.resolve() : Promise.reject(this.startError)
  }

  poll(signal: AbortSignal): Promise<PollResult> {
    this.calls.push('poll')
    const next = this.#polls.shift()
    if (next instanceof Error) return Promise.reject(next)
    if (next !== undefined) return Promise.resolve(next)
    this.exhausted.resolve()
    return doneOr(new Promise<PollResult>(() => undefined), signal)
  }

  commit(): Promise<void> {
    this.calls.push('commit')
    return Promise.resolve()
  }

  stop(): Promise<void> {
    this.calls.push('stop')
    return this.stopError === null ? Promise.resolve() : Promise.reject(this.stopError)
  }
}

function polled(records: readonly SourceRecord[], progressAt?: number): PollResult {
  const progress = progressAt === undefined ? null : { partition: PARTITION, offset: offsetAt(progressAt) }
  return { records, progress }
}

function recordsAt(...positions: readonly number[]): PollResult {
  return polled(positions.map((pos) => recordAt(pos)))
}

interface Fixture {
  readonly task: ScriptedTask
  readonly producer: MemoryProducer
  readonly clock: FakeClock
  readonly logger: CaptureLogger
  readonly stored: TextRecord[]
  readonly started: string[]
  readonly stop: AbortController
  /** Starts the worker task; gives what becomes of it. */
  readonly run: () => Promise<void>
  /** Values that the producer was given. */
  readonly values: () => readonly (string | null)[]
}

function fixture(
  polls: readonly (PollResult | Error)[],
  stages: readonly TransformationStage[] = [],
  valueConverter: Converter = new TextConverter(),
): Fixture {
  const task = new ScriptedTask(polls)
  const submitted = new SubmittedRecords()
  const producer = new MemoryProducer((tokens) => {
    for (const token of tokens) submitted.acknowledge(token)
  })
  const [clock, logger, stop] = [fakeClock(), captureLogger(), new AbortController()]
  const [stored, started]: [TextRecord[], string[]] = [[], []]
  const committer = new OffsetCommitter({
    connectorName: 'c',
    submitted,
    log: {
      write: (records) => {
        stored.push(...records)
        return Promise.resolve()
      },
    },
    onCommitted: () => task.commit(),
    intervalMs: 60_000,
    timeoutMs: FLUSH_TIMEOUT_MS,
    clock,
    logger,
  })
  const workerTask = new WorkerSourceTask({
    task,
    // The scripted task looks at nothing in it.
    context: {} as SourceTaskContext,
    chain: new TransformationChain(stages),
    sender: new RecordSender({
      keyConverter: new TextConverter(),
      valueConverter,
      headerConverter: textHeaders,
    }),
    topics: new TopicOpener({ producer, admin: new MemoryAdmin(), onOpened: () => undefined, logger }),
    producer,
    submitted,
    committer,
    onStarted: () => started.push('started'),
    flushTimeoutMs: FLUSH_TIMEOUT_MS,
    clock,
    logger,
  })
  return {
    task,
    producer,
    clock,
    logger,
    stored,
    started,
    stop,
    run: () => workerTask.run(stop.signal),
    values: () => producer.sent.map(({ value }) => value),
  }
}

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
  const { task, run, stop, values, stored, started } = fixture([
    recordsAt(1, 2),
    polled([recordAt(3, { topic: 'customers' }), recordAt(4)]),
    polled([], 9),
  ])
  const running = run()
  await task.exhausted.promise
  assert.deepEqual([values(), started, stored], [['v1', 'v2', 'v3', 'v4'], ['started'], []])

  stop.abort()
  await running
  assert.deepEqual(stored, [{ key: '["c",{"server":"dbserver1"}]', value: '{"pos":9}' }])
  assert.deepEqual(task.calls.slice(-2), ['commit', 'stop'])
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

function recordOf(schemaName: string, pos: number): SourceRecord {
  return recordAt(pos, { valueSchema: Schema.of('string', { name: schemaName }) })
}

test('a record whose schema has no id yet waits, with all behind it, until there is one', async () => {
  const converter = new RegisteringConverter()
  const known = Schema.of('string', { name: 'known' })
  const first = [1, 2].map((pos) => recordAt(pos, { valueSchema: known }))
  const polls = [polled(first), polled([recordOf('new', 3), recordAt(4, { valueSchema: known })])]
  const { run, task, clock, logger, values, stop, producer } = fixture(polls, [], converter)
  const running = run()
  await clock.untilPending(1)
  await task.exhausted.promise
  assert.deepEqual(values(), ['v1', 'v2', 'v3', 'v4'])
  assert.deepEqual(converter.attempts, ['orders known', 'orders new'])
  assert.deepEqual(producer.sent[0]?.headers, [['id', '7']])
  assert.equal(logger.matching('wait for their schema').length, 0)
  stop.abort()
  await running
})

test('a registry that is away is asked again; nothing is sent out of turn meanwhile', async () => {
  // The first attempt is made ahead, with those of all polled records.
  const converter = new RegisteringConverter((attempt) => (attempt < 3 ? testErrors.AWAY({}) : null))
  const { run, task, clock, logger, values, stop } = fixture([polled([recordOf('a', 1), recordAt(2)])], [], converter)
  const running = run()
  await clock.untilPending(2)
  assert.deepEqual(values(), [])
  await clock.advance(300)
  assert.deepEqual(values(), [])
  await clock.advance(600)
  await task.exhausted.promise
  assert.deepEqual(values(), ['v1', 'v2'])
  const lines = logger.matching('Records for orders wait for their schema; tried again in')
  assert.equal(lines.length, 2)
  assert.equal(lines[0]?.level, 'warn')
  stop.abort()
  await running
})

test('a schema that is refused fails the task; what came before is sent and its offset is stored', async () => {
  const converter = new RegisteringConverter(() => testErrors.INCOMPATIBLE({}))
  const { run, values, stored } = fixture([polled([recordAt(1), recordOf('a', 2), recordAt(3)])], [], converter)
  await assert.rejects(run(), {
    code: 'RECORD_FAILED',
    message: /topic orders from source position \{"pos":2\} could not be converted: the schema is incompatible/,
  })
  assert.deepEqual(values(), ['v1'])
  assert.equal(stored.at(-1)?.value, '{"pos":1}')
})

test('a stop while a record waits for its schema ends the task without sending it', async () => {
  const converter = new RegisteringConverter(() => testErrors.AWAY({}))
  const { run, clock, values, stop } = fixture([polled([recordAt(1), recordOf('a', 2)])], [], converter)
  const running = run()
  await clock.untilPending(2)
  stop.abort()
  await clock.advance(0)
  await running
  assert.deepEqual(values(), ['v1'])
})
