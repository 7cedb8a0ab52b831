/** Records that fail: skipped or not, logged, counted, repeated (errors.… of a connector). */
import { Schema, type SourceRecord, type TransformationStage } from '@tributary/connect-api'
import { describeError } from '@tributary/support'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { failureKind } from './task-failure.ts'
import { RegisteringConverter } from './testing/registering-converter.ts'
import { fixture, polled, recordsAt, testErrors, type Fixture } from './testing/task-fixture.ts'
import { recordAt } from './testing/test-record.ts'

const all = { isTolerant: true }

/** Runs the task until it has polled everything, and stops it. */
async function runToEnd({ run, task, stop, clock }: Fixture): Promise<void> {
  const running = run()
  await task.exhausted.promise
  await clock.advance(0)
  stop.abort()
  await running
}

function countsOf({ meter }: Fixture): Readonly<Record<string, number>> {
  const { counters } = meter.snapshot()
  const errors = Object.entries(counters).filter(([name]) => name.startsWith('errors.'))
  return Object.fromEntries(errors.map(([name, count]) => [name.slice('errors.'.length), count]))
}

const failingSecond: TransformationStage = {
  apply: (record) => {
    if (record.value === 'v2') throw new TypeError('v2 is not a number')
    return record
  },
}

test('a tolerant task skips records that a stage, a converter or the producer refuses, and stores their offsets', async () => {
  const records = [1, 2, 3, 4, 5].map((pos) => recordAt(pos, pos === 3 ? { value: 'unfit' } : {}))
  const task = fixture([polled(records)], [failingSecond], undefined, all)
  task.producer.onSend = ({ value }) => {
    if (value === 'v5') throw new Error('the record is too large')
  }
  await runToEnd(task)
  assert.deepEqual(task.values(), ['v1', 'v4'])
  assert.equal(task.stored.at(-1)?.value, '{"pos":5}')
  assert.deepEqual(countsOf(task), { records: 3, failures: 3, skipped: 3, retries: 0, logged: 0, producer: 1 })
  assert.equal(task.meter.snapshot().gauges['errors.last.ms'], task.clock.now())
  assert.equal(task.meter.snapshot().counters['records.sent'], 2)
})

test('without errors.tolerance=all the first failure fails the task with the text of Connect', async () => {
  const task = fixture([polled([recordAt(1), recordAt(2), recordAt(3)])], [failingSecond])
  await assert.rejects(task.run(), { message: /^Tolerance exceeded in error handler: .*"pos":2.*v2 is not a number/ })
  assert.deepEqual(task.values(), ['v1'])
  assert.deepEqual(countsOf(task), { records: 1, failures: 1, skipped: 0, retries: 0, logged: 0, producer: 0 })
})

test('a line names stage, class, topic and position; values only where the connector includes messages', async () => {
  const schema = Schema.of('string', { name: 's' })
  const records = [recordAt(1, { value: 'unfit', valueSchema: schema }), recordAt(2)]
  const lines = async (includesMessages: boolean): Promise<Fixture> => {
    const policy = { ...all, isLogged: true, includesMessages }
    const task = fixture([polled(records)], [failingSecond], undefined, policy)
    await runToEnd(task)
    assert.equal(countsOf(task)['logged'], 2)
    return task
  }
  const { logger: brief } = await lines(false)
  const errors = brief.lines.filter(({ level }) => level === 'error')
  assert.deepEqual(
    errors.map(({ message, fields }) => [message, fields]),
    [
      [
        `Error encountered in task c-0. Executing stage 'TRANSFORMATION' with class 'org.example.Stage'. The record for topic orders from source position {"pos":2} failed with TypeError.`,
        {},
      ],
      [
        `Error encountered in task c-0. Executing stage 'VALUE_CONVERTER' with class 'org.example.ValueConverter'. The record for topic orders from source position {"pos":1} failed with Error.`,
        {},
      ],
    ],
  )
  const { logger: full } = await lines(true)
  const [, line] = full.lines.filter(({ level }) => level === 'error')
  assert.equal(
    line?.message,
    `Error encountered in task c-0. Executing stage 'VALUE_CONVERTER' with class 'org.example.ValueConverter', where source record is = SourceRecord{sourcePartition={"server":"dbserver1"}, sourceOffset={"pos":1}} ConnectRecord{topic='orders', kafkaPartition=null, key=k1, keySchema=null, value=unfit, valueSchema=Schema{s:STRING}, timestamp=null, headers=[]}.`,
  )
  assert.match(String(line?.fields['error']), /the value does not fit/)
})

test('skipped records that are not logged one by one are reported at once, then with their number', async () => {
  const unfit = (pos: number): SourceRecord => recordAt(pos, { value: 'unfit' })
  const task = fixture([polled([unfit(1), unfit(2)]), new Error('stop')], [], undefined, all)
  await assert.rejects(task.run())
  assert.deepEqual(
    task.logger.matching('was skipped').map(({ message }) => message),
    [
      'The record for topic orders from source position {"pos":1} failed and was skipped (errors.tolerance=all); 1 skipped since the last such line. errors.log.enable=true logs each of them with its error',
    ],
  )
})

function recordOf(schemaName: string, pos: number): SourceRecord {
  return recordAt(pos, { valueSchema: Schema.of('string', { name: schemaName }) })
}

test('records with a schema that the registry refuses are skipped together, with one request', async () => {
  const schema = Schema.of('string', { name: 'bad' })
  const bad = [1, 2, 3].map((pos) => recordAt(pos, { valueSchema: schema }))
  const converter = new RegisteringConverter((_, name) => (name === 'bad' ? testErrors.INCOMPATIBLE({}) : null))
  const task = fixture([polled([...bad, recordOf('good', 4)])], [], converter, all)
  await runToEnd(task)
  assert.deepEqual(task.values(), ['v4'])
  assert.deepEqual(countsOf(task), { records: 3, failures: 3, skipped: 3, retries: 0, logged: 0, producer: 0 })
  // One ahead for the poll, one for the first record.
  assert.equal(converter.attempts.filter((attempt) => attempt === 'orders bad').length, 2)
})

test('a registry that is down is waited for without limit, or as long as errors.retry.timeout allows', async () => {
  const down = (): RegisteringConverter => new RegisteringConverter(() => testErrors.DOWN({}))
  const task = fixture([polled([recordOf('a', 1)])], [], down(), { ...all, retryLimitMs: 1_000 })
  const running = task.run()
  for (let i = 0; i < 10; i++) await task.clock.advance(300)
  await task.task.exhausted.promise
  task.stop.abort()
  await running
  assert.deepEqual(task.values(), [])
  assert.equal(countsOf(task)['skipped'], 1)
  assert.ok((countsOf(task)['retries'] ?? 0) >= 2)

  const patient = fixture([polled([recordOf('a', 1)])], [], down(), all)
  const waiting = patient.run()
  for (let i = 0; i < 20; i++) await patient.clock.advance(30_000)
  assert.equal(countsOf(patient)['skipped'], 0)
  patient.stop.abort()
  await waiting
})

test('errors that are not of one record are never tolerated', async () => {
  const task = fixture([polled([recordAt(1)])], [], undefined, all)
  task.producer.topics = new Set()
  await assert.rejects(task.run(), { message: 'no such topic' })
  assert.deepEqual(countsOf(task), { records: 0, failures: 0, skipped: 0, retries: 0, logged: 0, producer: 0 })
})

test('a task whose start would leave out changes fails for good, also with an error that may pass', async () => {
  for (const [leavesOut, kind] of [
    [true, 'fail'],
    [false, 'restart'],
  ] as const) {
    const task = fixture([recordsAt(1), testErrors.DENIED({})])
    task.task.leavesOutAtStart = leavesOut
    await assert.rejects(task.run(), (error) => {
      assert.equal(failureKind(error), kind)
      assert.match(describeError(error), /no permission/)
      return true
    })
  }
})
