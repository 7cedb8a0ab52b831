import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { test } from 'node:test'
import { fakeClock } from '@tributary/testkit'
import { doneOr } from './done-or.ts'
import { StoppedError } from './errors.ts'
import { nextTurn } from './next-turn.ts'
import { withTimeout } from './timeout-signal.ts'

const never = new Promise<never>(() => undefined)

test('the result of the work is returned, and no timer or listener is left', async () => {
  const clock = fakeClock()
  const outer = new AbortController()

  assert.equal(await withTimeout(clock, 100, () => Promise.resolve(5), outer.signal), 5)
  assert.equal(clock.pending, 0)
  assert.equal(getEventListeners(outer.signal, 'abort').length, 0)
})

test('the signal of the work fires after the time', async () => {
  const clock = fakeClock()
  const result = withTimeout(clock, 100, (signal) => doneOr(never, signal))
  await clock.advance(99)
  assert.equal(clock.pending, 1)
  const rejected = assert.rejects(result, StoppedError)
  await clock.advance(1)

  await rejected
})

test('the signal of the work fires with the outer one, also when that is already aborted', async () => {
  const clock = fakeClock()
  const outer = new AbortController()
  const rejected = assert.rejects(
    withTimeout(clock, 100, (signal) => doneOr(never, signal), outer.signal),
    StoppedError,
  )
  outer.abort()
  await rejected

  await assert.rejects(
    withTimeout(clock, 100, (signal) => doneOr(never, signal), outer.signal),
    StoppedError,
  )
  assert.equal(clock.pending, 0)
})

test('the next turn is after timers and sockets', async () => {
  let hasRun = false
  setImmediate(() => (hasRun = true))
  await Promise.resolve()
  assert.equal(hasRun, false)
  await nextTurn()

  assert.equal(hasRun, true)
})
