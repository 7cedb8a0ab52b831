import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { test } from 'node:test'
import { systemClock } from './clock.ts'
import { StoppedError } from './errors.ts'

/** The number of timers that keep the process alive. */
function liveTimers(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
}

test('the clock returns the wall time in milliseconds and microseconds', () => {
  // An independent reading of the same wall clock.
  const expected = performance.timeOrigin + performance.now()

  assert.ok(Math.abs(systemClock.now() - expected) < 1000)
  assert.ok(Math.abs(systemClock.nowMicros() / 1000 - expected) < 1000)
  assert.ok(Number.isSafeInteger(systemClock.now()))
  assert.ok(Number.isSafeInteger(systemClock.nowMicros()))
})

test('microseconds never decrease', () => {
  let last = 0
  for (let i = 0; i < 10_000; i++) {
    const reading = systemClock.nowMicros()
    assert.ok(reading >= last)
    last = reading
  }
})

test('a sleep ends after its time and leaves no listener on the signal', async () => {
  const { signal } = new AbortController()
  const start = performance.now()
  await systemClock.sleep(20, signal)

  assert.ok(performance.now() - start >= 19)
  assert.equal(getEventListeners(signal, 'abort').length, 0)
})

test('a signal ends the sleep and its timer', async () => {
  const controller = new AbortController()
  const before = liveTimers()
  const sleep = systemClock.sleep(100_000, controller.signal)
  assert.equal(liveTimers(), before + 1)
  controller.abort()

  await assert.rejects(sleep, StoppedError)
  assert.equal(liveTimers(), before)
})

test('with an aborted signal a sleep rejects at once', async () => {
  const before = liveTimers()

  await assert.rejects(systemClock.sleep(100_000, AbortSignal.abort()), StoppedError)
  assert.equal(liveTimers(), before)
})

test('a sleep longer than the longest timer of Node does not end at once', async () => {
  const controller = new AbortController()
  const sleep = systemClock.sleep(2 ** 40, controller.signal)
  await systemClock.sleep(20)
  controller.abort()

  await assert.rejects(sleep, StoppedError)
})

test('a scheduled call runs once after its time', async () => {
  let calls = 0
  const { promise, resolve } = Promise.withResolvers<void>()
  systemClock.after(1, () => {
    calls += 1
    resolve()
  })
  // A sleep keeps the process alive, a pending call does not.
  const stop = new AbortController()
  const sleep = assert.rejects(systemClock.sleep(60_000, stop.signal), StoppedError)
  await promise
  stop.abort()
  await sleep

  assert.equal(calls, 1)
})

test('a pending call does not keep the process alive, and a cancelled one does not run', async () => {
  let calls = 0
  const before = liveTimers()
  const timer = systemClock.after(1, () => (calls += 1))
  assert.equal(liveTimers(), before)
  timer.cancel()
  timer.cancel()
  await systemClock.sleep(20)

  assert.equal(calls, 0)
})
