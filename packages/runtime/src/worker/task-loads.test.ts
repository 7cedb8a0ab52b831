import { fakeClock } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TaskLoads } from './task-loads.ts'

test('the load of a task is what it sent in its last whole minute; it has none before, and none when it has ended', async () => {
  const clock = fakeClock()
  const loads = new TaskLoads(clock)
  loads.note('c', 0, 1_000_000)
  await clock.advance(59_000)
  loads.note('c', 0, 7_000_000)
  assert.deepEqual(loads.all(), [])
  await clock.advance(1_000)
  loads.note('c', 0, 7_000_000)
  assert.deepEqual(loads.all(), [{ connector: 'c', task: 0, bytesPerSecond: 100_000 }])
  await clock.advance(30_000)
  loads.note('c', 0, 9_000_000)
  assert.equal(loads.all()[0]?.bytesPerSecond, 100_000)
  await clock.advance(90_000)
  loads.note('c', 0, 9_000_000)
  // 2,000,000 bytes in 120 s
  assert.equal(Math.round(loads.all()[0]?.bytesPerSecond ?? 0), 16_667)
  loads.forget('c', 0)
  assert.deepEqual(loads.all(), [])
})
