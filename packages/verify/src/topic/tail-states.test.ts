import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LogRecord } from '@tributary/kafka'
import { type Found, TailStates } from './tail-states.ts'

function found(offset: number, valueBytes = 1): Found {
  const value = Buffer.alloc(valueBytes)
  const record = { partition: 0, offset: BigInt(offset), key: null, value, headers: [], timestamp: 0n } as unknown
  return { read: { tag: 'tombstone', key: {} } as unknown as Found['read'], record: record as LogRecord }
}

const offsets = (states: readonly (Found | null)[] | undefined): unknown =>
  states?.map((state) => (state === null ? null : Number(state.record.offset)))

test('changes of which it is unknown whether the view contains them leave several possible states, in order', () => {
  const tail = new TailStates(['a'])
  tail.add('a', found(1), 'contained')
  tail.add('a', found(2), 'unknown')
  tail.add('b', found(3), 'unknown')
  tail.truncate('unknown')
  tail.add('a', found(4), 'unknown')
  assert.equal(tail.last.get('a')?.record.offset, 1n)
  assert.deepEqual(offsets(tail.possible.get('a')), [2, null, 4])
  assert.equal(tail.possible.has('b'), false, 'a key that nobody asked for')
  assert.equal(tail.isTruncated, false)
})

test('a later record that the view contains makes the earlier ones certain', () => {
  const tail = new TailStates(['a', 'b'])
  tail.add('a', found(1), 'unknown')
  tail.add('b', found(2), 'unknown')
  tail.add('a', found(3), 'contained')
  assert.equal(tail.possible.has('a'), false)
  assert.equal(tail.last.get('a')?.record.offset, 3n)
  tail.truncate('contained')
  assert.deepEqual([tail.last.size, tail.possible.size, tail.isTruncated], [0, 0, true])
})

test('a key with too many possible states, or too large ones, is crowded until a state is certain', () => {
  const tail = new TailStates(['a', 'b'])
  for (let i = 0; i < 101; i++) tail.add('a', found(i), 'unknown')
  assert.deepEqual([...tail.crowded], ['a'])
  tail.add('a', found(200), 'contained')
  assert.deepEqual([...tail.crowded], [])
  for (let i = 0; i < 3; i++) tail.add('b', found(i, 2 ** 25), 'unknown')
  assert.deepEqual([...tail.crowded], ['b'])
  assert.equal(tail.possible.get('b')?.length, 1)
})
