/** How the task handles schemas that have to be registered. */
import { Schema, type RecordSchemas, type SourceRecord } from '@tributary/connect-api'
import { doneOr, nextTurn } from '@tributary/support'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RegisteringConverter } from './testing/registering-converter.ts'
import { fixture, polled, testErrors } from './testing/task-fixture.ts'
import { recordAt } from './testing/test-record.ts'

function recordOf(schemaName: string, pos: number): SourceRecord {
  return recordAt(pos, { valueSchema: Schema.of('string', { name: schemaName }) })
}

test('a record whose schema is not registered waits, with all records after it, until it is', async () => {
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

test('an unreachable registry is retried; nothing is sent out of order meanwhile', async () => {
  // The first attempt is made ahead, for all records of the poll.
  const converter = new RegisteringConverter((attempt) => (attempt < 3 ? testErrors.DOWN({}) : null))
  const { run, task, clock, logger, values, stop } = fixture([polled([recordOf('a', 1), recordAt(2)])], [], converter)
  const running = run()
  // Timers of the commits, of the pause, and of the log about silence.
  await clock.untilPending(3)
  assert.deepEqual(values(), [])
  await clock.advance(300)
  assert.deepEqual(values(), [])
  await clock.advance(600)
  await task.exhausted.promise
  assert.deepEqual(values(), ['v1', 'v2'])
  const lines = logger.matching('Records for orders wait for their schema: ')
  assert.deepEqual(
    lines.map(({ level, message }) => [level, message.replace(/^.*?: /, '').replace(/0\.\d s$/, '0.x s')]),
    [
      ['warn', 'the server is down. Retrying until it succeeds.'],
      ['debug', 'failed again: the server is down'],
      ['info', 'works again after 0.x s'],
    ],
  )
  stop.abort()
  await running
})

test('a refused schema fails the task after the records before it are sent and their offset is stored', async () => {
  const converter = new RegisteringConverter(() => testErrors.INCOMPATIBLE({}))
  const { run, values, stored } = fixture([polled([recordAt(1), recordOf('a', 2), recordAt(3)])], [], converter)
  await assert.rejects(run(), {
    code: 'RECORD_FAILED',
    message: /topic orders from source position \{"pos":2\} could not be converted: the schema is incompatible/,
  })
  assert.deepEqual(values(), ['v1'])
  assert.equal(stored.at(-1)?.value, '{"pos":1}')
})

test('a stop while a record waits for its schema ends the task and does not send the record', async () => {
  const converter = new RegisteringConverter(() => testErrors.DOWN({}))
  const { run, clock, values, stop } = fixture([polled([recordAt(1), recordOf('a', 2)])], [], converter)
  const running = run()
  await clock.untilPending(3)
  stop.abort()
  await clock.advance(0)
  await running
  assert.deepEqual(values(), ['v1'])
})

test('a producer that fails while a record waits for its schema fails the task at once', async () => {
  const converter = new RegisteringConverter()
  const isRequested = Promise.withResolvers<void>()
  converter.answer = (signal) => {
    isRequested.resolve()
    return doneOr(new Promise<void>(() => undefined), signal)
  }
  const { run, producer, values } = fixture([polled([recordAt(1), recordOf('a', 2)])], [], converter)
  producer.acknowledgesAtOnce = false
  const running = run()
  await isRequested.promise
  producer.fail(new Error('fenced'))
  await assert.rejects(running, { code: 'PRODUCER_FAILED', message: /fenced/ })
  assert.deepEqual(values(), ['v1'])
})

test('the check of a changed table’s schema is logged before its first record fails the task', async () => {
  const converter = new RegisteringConverter(() => testErrors.INCOMPATIBLE({}))
  const schema = Schema.of('string', { name: 'changed' })
  let attempts: readonly string[] = []
  const refusing = Object.assign(converter, {
    checkCompatibility: async () => {
      // Enough time for the record if it did not wait for the check.
      await nextTurn()
      attempts = [...converter.attempts]
      return { isAccepted: false, text: 'subject s: a field has no default' }
    },
  })
  const schemas = (): RecordSchemas => ({ topic: 'orders', keySchema: null, valueSchema: schema })
  const announced = [{ source: 'db.orders', schemas }]
  const poll = { ...polled([recordAt(1), recordAt(2, { valueSchema: schema })]), announced }
  const { run, logger, values } = fixture([poll], [], refusing)
  await assert.rejects(run(), { code: 'RECORD_FAILED' })
  assert.deepEqual(attempts, [])
  assert.notEqual(converter.attempts.length, 0)
  const [line] = logger.matching('The next record for orders would fail the task')
  assert.match(line?.message ?? '', /since its table has changed\. subject s: a field has no default$/)
  assert.deepEqual(values(), ['v1'])
})
