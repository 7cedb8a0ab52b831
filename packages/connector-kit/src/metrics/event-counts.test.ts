import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EventCounts } from './event-counts.ts'

test('200 tables are counted by name, all others together, and none is lost from the total', () => {
  const counts = new EventCounts()
  for (let i = 0; i < 1_000; i++) {
    counts.of(`shop.t${i}`).c += 1
    counts.of(`shop.t${i}`).d += 2
  }
  const entries = [...counts.entries()]
  assert.equal(entries.length, 201)
  assert.deepEqual(entries.at(0), ['shop.t0', { r: 0, c: 1, u: 0, d: 2, t: 0 }])
  assert.deepEqual(entries.at(-1), ['other', { r: 0, c: 800, u: 0, d: 1_600, t: 0 }])
  assert.deepEqual(counts.total, { r: 0, c: 1_000, u: 0, d: 2_000, t: 0 })
})

test('without further tables there is no other', () => {
  const counts = new EventCounts()
  counts.of('shop.t').u += 1
  assert.deepEqual([...counts.entries()], [['shop.t', { r: 0, c: 0, u: 1, d: 0, t: 0 }]])
})
