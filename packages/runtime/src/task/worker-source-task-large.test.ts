/** Records that the producer refuses as too large: the limit that it knows may be old or a guess. */
import type { TransformationStage } from '@tributary/connect-api'
import { recordTooLarge } from '@tributary/kafka'
import { StoppedError } from '@tributary/support'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ErrorPolicy } from './tolerance/error-policy.ts'
import { fixture, recordsAt, type Fixture } from './testing/task-fixture.ts'

function tooLarge(): Error {
  const sizes = { keyBytes: 2, valueBytes: 2, bytes: 70, limit: 60, limitName: 'max.message.bytes of the topic' }
  return recordTooLarge({ topic: 'orders', ...sizes })
}

/** A task with three records, of which the second is refused until it is offered, and then by the brokers as well. */
function withLargeSecond(policy: ErrorPolicy['tooLarge'], brokersAccept: boolean): Fixture {
  const task = fixture([recordsAt(1, 2, 3)], [], undefined, { tooLarge: policy })
  let isRefused = true
  task.producer.onSend = ({ value }) => {
    if (value === 'v2' && isRefused) throw tooLarge()
  }
  task.producer.onOffer = () => {
    isRefused = !brokersAccept
    return Promise.resolve()
  }
  return task
}

async function runToEnd({ run, task, stop }: Fixture): Promise<void> {
  const running = run()
  await task.exhausted.promise
  stop.abort()
  await running
}

for (const policy of ['fail', 'skip', 'placeholder', null] as const) {
  test(`errors.record.too.large=${String(policy)}: a record that its topic accepts after all is sent, in its place`, async () => {
    const task = withLargeSecond(policy, true)
    await runToEnd(task)
    assert.deepEqual(task.values(), ['v1', 'v2', 'v3'])
    assert.equal(task.stored.at(-1)?.value, '{"pos":3}')
    const { counters } = task.meter.snapshot()
    assert.deepEqual([counters['records.sent'], counters['errors.skipped']], [3, 0])
  })
}

test('a record that the brokers refuse, too, is skipped, and its offset counts', async () => {
  const task = withLargeSecond('skip', false)
  await runToEnd(task)
  assert.deepEqual(task.values(), ['v1', 'v3'])
  assert.equal(task.stored.at(-1)?.value, '{"pos":3}')
  assert.equal(task.meter.snapshot().counters['records.tooLarge.skipped'], 1)
})

test('the log has the key of a skipped record as the transformations have left it', async () => {
  const hidden: TransformationStage = { apply: (record) => ({ ...record, key: 'hidden' }) }
  const task = fixture([recordsAt(1)], [hidden], undefined, { tooLarge: 'skip' })
  task.producer.onSend = () => {
    throw tooLarge()
  }
  await runToEnd(task)
  const [line] = task.logger.matching('was skipped')
  assert.match(line?.message ?? '', /key hidden, source position \{"pos":1\}/)
})

test('without that policy it fails the task, which will begin with it again', async () => {
  const task = withLargeSecond('fail', false)
  await assert.rejects(task.run(), { code: 'RECORD_FAILED' })
  assert.deepEqual(task.values(), ['v1'])
  assert.equal(task.stored.at(-1)?.value, '{"pos":1}')
})

test('a stop, or a failure of the producer, while the brokers are asked is not an answer: nothing is skipped', async () => {
  for (const act of ['stop', 'fail'] as const) {
    const task = withLargeSecond('skip', false)
    const asked = Promise.withResolvers<void>()
    const answer = Promise.withResolvers<void>()
    task.producer.onOffer = () => {
      asked.resolve()
      return answer.promise
    }
    const running = task.run()
    await asked.promise
    if (act === 'stop') task.stop.abort()
    else task.producer.fail(new Error('the producer broke'))
    answer.reject(act === 'stop' ? new StoppedError() : new Error('the producer broke'))
    if (act === 'stop') await running
    else await assert.rejects(running, { code: 'PRODUCER_FAILED' })
    assert.deepEqual(task.values(), ['v1'])
    assert.equal(task.stored.at(-1)?.value, '{"pos":1}')
  }
})
