import type { PollResult } from '@tributary/connect-api'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exactlyOnceFixture, polled, recordsAt, testErrors, type ExactlyOnceFixture } from './testing/task-fixture.ts'
import { recordAt } from './testing/test-record.ts'

function within(poll: PollResult, isInTransaction: boolean): PollResult {
  return { ...poll, isInTransaction }
}

/** The values of each committed transaction, with its offset. */
function committed({ producer }: ExactlyOnceFixture): readonly string[] {
  return producer.committed.map((records) => records.map(({ value }) => value ?? '').join(' '))
}

test('a commit while the rest of a transaction waits to be sent leaves its first half open', async () => {
  const polls = [within(recordsAt(1), false), within(recordsAt(2), true), within(recordsAt(3), false)]
  const fixture = exactlyOnceFixture(polls, 'connector')
  const { producer, run, stop, task, clock } = fixture
  producer.holdsCommits = true
  producer.onSend = ({ value }) => {
    if (value === 'v2') producer.fill()
  }
  const running = run()
  await clock.advance(0)
  assert.deepEqual(task.calls, ['start', 'poll', 'poll', 'poll'])
  producer.holdsCommits = false
  producer.completeCommit()
  await clock.advance(0)
  assert.deepEqual(committed(fixture), ['v1 {"pos":1}'])

  producer.drain()
  await task.exhausted.promise
  await clock.advance(0)
  stop.abort()
  await running
  assert.deepEqual(committed(fixture), ['v1 {"pos":1}', 'v2 v3 {"pos":3}'])
})

test('no record of a poll is sent before the topics of all are open, so that no open transaction waits for one', async () => {
  const toTopics = [recordAt(1, { topic: 'a' }), recordAt(2, { topic: 'b' })]
  const { producer, run, stop, task, clock, values } = exactlyOnceFixture([polled(toTopics)], 'poll')
  const opened = Promise.withResolvers<void>()
  producer.onLookUp = (name) => (name === 'b' ? opened.promise : Promise.resolve())
  const running = run()
  await clock.advance(60_000)
  assert.deepEqual(values(), [])
  opened.resolve()
  await task.exhausted.promise
  await clock.advance(0)
  assert.deepEqual(values(), ['v1', 'v2', '{"pos":2}'])
  stop.abort()
  await running
})

test('a topic that cannot be opened fails the task, and nothing of the poll is committed', async () => {
  const toTopics = [recordAt(1, { topic: 'a' }), recordAt(2, { topic: 'b' })]
  const fixture = exactlyOnceFixture([polled(toTopics)], 'poll')
  const { producer, run } = fixture
  producer.onLookUp = (name) => (name === 'b' ? Promise.reject(testErrors.DENIED({})) : Promise.resolve())
  await assert.rejects(run(), { message: /no permission/ })
  assert.deepEqual(committed(fixture), [])
  assert.equal(producer.isAborted, true)
})
