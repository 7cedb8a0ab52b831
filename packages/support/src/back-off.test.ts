import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeClock } from '@tributary/testkit'
import { BackOff, retry } from './back-off.ts'
import { defineErrors, StoppedError } from './errors.ts'

const errors = defineErrors({
  BUSY: { message: 'busy', action: 'Wait.', retriable: true },
  BROKEN: { message: 'broken', action: 'Fix it.' },
})

test('pauses double up to the maximum', () => {
  const backOff = new BackOff({ initialMs: 100, maxMs: 1000, jitter: 0 })

  assert.deepEqual(
    [1, 2, 3, 4, 5, 6].map(() => backOff.next()),
    [100, 200, 400, 800, 1000, 1000],
  )
  assert.equal(backOff.failures, 6)
})

test('a success resets the pauses', () => {
  const backOff = new BackOff({ initialMs: 100, maxMs: 1000, jitter: 0 })
  backOff.next()
  backOff.next()
  backOff.reset()

  assert.equal(backOff.failures, 0)
  assert.equal(backOff.next(), 100)
})

test('after very many failures the pause is still the maximum', () => {
  const backOff = new BackOff({ initialMs: 1, maxMs: 5000, jitter: 0 })
  for (let i = 0; i < 5000; i++) backOff.next()

  assert.equal(backOff.next(), 5000)
})

test('jitter subtracts a random part, up to its share', () => {
  const options = { initialMs: 1000, maxMs: 1000, jitter: 0.5 }

  assert.equal(new BackOff({ ...options, random: () => 0 }).next(), 1000)
  assert.equal(new BackOff({ ...options, random: () => 0.5 }).next(), 750)
  assert.equal(new BackOff({ ...options, random: () => 1 }).next(), 500)
})

test('by default a fifth of the pause is random', () => {
  assert.equal(new BackOff({ initialMs: 1000, maxMs: 1000, random: () => 1 }).next(), 800)
})

test('the work is retried until it succeeds, and onRetry gets each pause', async () => {
  const clock = fakeClock()
  const retries: [string, number, number][] = []
  let calls = 0
  const work = (): Promise<string> => (++calls < 3 ? Promise.reject(errors.BUSY({})) : Promise.resolve('done'))
  const result = retry(work, {
    clock,
    initialMs: 100,
    maxMs: 1000,
    jitter: 0,
    onRetry: (error, pauseMs, failures) => retries.push([error.message, pauseMs, failures]),
  })
  await clock.advance(99)
  assert.equal(calls, 1)
  await clock.advance(1)
  assert.equal(calls, 2)
  await clock.advance(200)

  assert.equal(await result, 'done')
  assert.equal(calls, 3)
  assert.deepEqual(retries, [
    ['busy Wait.', 100, 1],
    ['busy Wait.', 200, 2],
  ])
})

test('an error that is not retriable is thrown at once', async () => {
  let calls = 0
  const work = (): Promise<never> => {
    calls += 1
    return Promise.reject(errors.BROKEN({}))
  }

  await assert.rejects(retry(work, { clock: fakeClock(), initialMs: 1, maxMs: 1 }), { code: 'BROKEN' })
  assert.equal(calls, 1)
})

test('the caller may choose which errors are retried', async () => {
  const clock = fakeClock()
  let calls = 0
  const work = (): Promise<number> => (++calls < 2 ? Promise.reject(new Error('odd')) : Promise.resolve(calls))
  const result = retry(work, { clock, initialMs: 10, maxMs: 10, when: (error) => error.message === 'odd' })
  await clock.advance(10)

  assert.equal(await result, 2)
})

test('StoppedError is never retried', async () => {
  const work = (): Promise<never> => Promise.reject(new StoppedError())

  await assert.rejects(retry(work, { clock: fakeClock(), initialMs: 1, maxMs: 1, when: () => true }), StoppedError)
})

test('at the time limit the last error is thrown, without a wait after it', async () => {
  const clock = fakeClock(0)
  const attempts: number[] = []
  const work = (): Promise<never> => {
    attempts.push(clock.now())
    return Promise.reject(errors.BUSY({}))
  }
  const result = assert.rejects(retry(work, { clock, initialMs: 400, maxMs: 10_000, jitter: 0, limitMs: 1000 }), {
    code: 'BUSY',
  })
  await clock.advance(1000)
  await result

  assert.deepEqual(attempts, [0, 400, 1000])
})

test('a signal ends the pause', async () => {
  const clock = fakeClock()
  const controller = new AbortController()
  const work = (): Promise<never> => Promise.reject(errors.BUSY({}))
  const result = assert.rejects(
    retry(work, { clock, initialMs: 100, maxMs: 100, signal: controller.signal }),
    StoppedError,
  )
  await clock.untilPending()
  controller.abort()

  await result
  assert.equal(clock.pending, 0)
})
