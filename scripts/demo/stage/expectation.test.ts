import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Change, TopicEvent } from './change-event.ts'
import { differences, expectedEvents, type ExpectedEvent } from './expectation.ts'

const key = { id: 1 }
const before = { id: 1, name: 'old' }
const after = { id: 1, name: 'new' }

/** The events of a topic that meet the expectation. */
function asExpected(expected: readonly ExpectedEvent[]): TopicEvent[] {
  return expected.map((one, index) => ({
    topic: one.topic,
    offset: BigInt(index),
    key: one.key,
    payload: null,
    change:
      one.op === null
        ? null
        : { op: one.op, before: one.before, after: one.after, source: { snapshot: one.op === 'r' ? true : null } },
  }))
}

test('a changed row causes one event, a deleted row an event and a tombstone', () => {
  const ops = (was: typeof before | null, is: typeof after | null): unknown[] =>
    expectedEvents({ topic: 't', key, before: was, after: is }).map(({ op }) => op)
  assert.deepEqual(ops(null, after), ['c'])
  assert.deepEqual(ops(before, after), ['u'])
  assert.deepEqual(ops(before, null), ['d', null])
})

test('a missing, repeated, reordered or changed event is a difference', () => {
  const expected = [
    { topic: 't', key, before: null, after: before, op: 'r' as const },
    ...expectedEvents({ topic: 't', key, before, after }),
    ...expectedEvents({ topic: 't', key, before: after, after: null }),
  ]
  const good = asExpected(expected)
  assert.deepEqual(differences(good, expected), [])

  const [first, second, third, tombstone] = good as [TopicEvent, TopicEvent, TopicEvent, TopicEvent]
  const changed = (event: TopicEvent, changes: Partial<Change>): TopicEvent => {
    assert.ok(event.change)
    return { ...event, change: { ...event.change, ...changes } }
  }
  const wrong: Readonly<Record<string, readonly TopicEvent[]>> = {
    missing: [first, second, third],
    repeated: [first, second, second, third, tombstone],
    reordered: [first, third, second, tombstone],
    'of another topic': [{ ...first, topic: 'u' }, second, third, tombstone],
    'with another key': [{ ...first, key: { id: 2 } }, second, third, tombstone],
    'with another op': [changed(first, { op: 'c' }), second, third, tombstone],
    'with another row before': [first, changed(second, { before: { id: 1 } }), third, tombstone],
    'with another row after': [first, changed(second, { after: { id: 1, name: null } }), third, tombstone],
    'streamed and marked as snapshot': [first, changed(second, { source: { snapshot: true } }), third, tombstone],
    'of a snapshot and not marked': [changed(first, { source: { snapshot: null } }), second, third, tombstone],
    'a tombstone too early': [first, second, tombstone, third],
  }
  for (const [name, events] of Object.entries(wrong)) assert.notDeepEqual(differences(events, expected), [], name)
})
