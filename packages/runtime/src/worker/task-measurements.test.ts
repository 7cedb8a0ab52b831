import { fakeClock } from '@tributary/testkit'
import { LiveMeter } from '@tributary/support'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TaskMeasurements } from './task-measurements.ts'

const NUMBERS = new LiveMeter().snapshot()

test('a refresh ends when each task has answered, failed or ended', async () => {
  const measurements = new TaskMeasurements(fakeClock())
  measurements.put('b', 0, NUMBERS)
  const asked: string[] = []
  const asks = new Map(['a-0', 'b-0', 'c-0'].map((id) => [id, () => void asked.push(id)] as const))
  const refreshed = measurements.refresh(asks, 250)
  measurements.put('a', 0, NUMBERS)
  measurements.freeze('b', 0)
  measurements.end('c', 0)
  await refreshed
  assert.deepEqual(asked, ['a-0', 'b-0', 'c-0'])
})

test('a blocked task delays a refresh by the limit, and is shown with its last numbers and their age', async () => {
  const clock = fakeClock()
  const measurements = new TaskMeasurements(clock)
  measurements.put('blocked', 0, NUMBERS)
  await clock.advance(7_000)
  let isOver = false
  const refreshed = measurements.refresh(new Map([['blocked-0', () => undefined]]), 250).then(() => (isOver = true))
  await clock.advance(249)
  assert.equal(isOver, false)
  await clock.advance(1)
  await refreshed
  assert.deepEqual(measurements.all(), [
    { connectorName: 'blocked', taskNumber: 0, metrics: NUMBERS, ageMs: 7_250, isRunning: true },
  ])
})

test('numbers of a failed task stay until it starts again or is stopped, those of a stopped task do not', () => {
  const measurements = new TaskMeasurements(fakeClock())
  for (const name of ['failed', 'stopped']) measurements.put(name, 0, NUMBERS)
  measurements.freeze('failed', 0)
  for (const name of ['failed', 'stopped']) measurements.end(name, 0)
  assert.deepEqual(
    measurements.all().map(({ connectorName, isRunning }) => [connectorName, isRunning]),
    [['failed', false]],
  )
  assert.equal(measurements.get('failed', 0), null)
  measurements.forget('failed', 0)
  assert.deepEqual(measurements.all(), [])
})
