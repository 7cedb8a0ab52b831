import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StoppedError } from '@tributary/support'
import { captureLogger } from './capture-logger.ts'
import { fakeClock } from './fake-clock.ts'
import { seededRandom } from './seeded-random.ts'

test('the fake clock does not move until it is advanced', async () => {
  const clock = fakeClock(1000)
  let isDone = false
  const sleeping = clock.sleep(10).then(() => (isDone = true))
  await clock.advance(9)
  assert.deepEqual([isDone, clock.now(), clock.nowMicros()], [false, 1009, 1_009_000])
  await clock.advance(1)
  assert.equal(isDone, true)
  await sleeping
})

test('timers run in order, each at its own time, also those that other timers have set', async () => {
  const clock = fakeClock(0)
  const seen: string[] = []
  clock.after(30, () => seen.push(`c ${clock.now()}`))
  clock.after(10, () => {
    seen.push(`a ${clock.now()}`)
    clock.after(10, () => seen.push(`b ${clock.now()}`))
  })
  const loop = (async (): Promise<void> => {
    for (let i = 0; i < 3; i++) {
      await clock.sleep(15)
      seen.push(`loop ${clock.now()}`)
    }
  })()
  await clock.advance(100)
  await loop
  assert.deepEqual(seen, ['a 10', 'loop 15', 'b 20', 'c 30', 'loop 30', 'loop 45'])
  assert.equal(clock.now(), 100)
})

test('a cancelled timer does not run; a signal ends a sleep with StoppedError', async () => {
  const clock = fakeClock()
  clock.after(5, () => assert.fail('a cancelled timer has run')).cancel()
  const stop = new AbortController()
  const sleeping = clock.sleep(5, stop.signal)
  await clock.untilPending(1)
  assert.equal(clock.pending, 1)
  stop.abort()
  await assert.rejects(sleeping, StoppedError)
  await assert.rejects(clock.sleep(5, stop.signal), StoppedError)
  assert.equal(clock.pending, 0)
  await clock.advance(10)
})

test('the capture logger records lines of children with all their fields, in order', () => {
  const log = captureLogger()
  const child = log.child({ task: 0 }).child({ context: 'snapshot' })
  log.info('starting')
  child.warn('step 3 of 7', { table: 'a.b' })
  child.error('failed')
  assert.deepEqual(log.lines, [
    { level: 'info', message: 'starting', fields: {} },
    { level: 'warn', message: 'step 3 of 7', fields: { task: 0, context: 'snapshot', table: 'a.b' } },
    { level: 'error', message: 'failed', fields: { task: 0, context: 'snapshot' } },
  ])
  assert.deepEqual(
    log.matching(/step \d/).map(({ message }) => message),
    ['step 3 of 7'],
  )
  assert.equal(log.matching('start').length, 1)
})

test('random numbers repeat with the same seed, differ with another, and are evenly distributed', () => {
  const draw = (seed: number): number[] => {
    const random = seededRandom(seed)
    return Array.from({ length: 20 }, random)
  }
  assert.deepEqual(draw(7), draw(7))
  assert.notDeepEqual(draw(7), draw(8))
  const random = seededRandom(1)
  assert.ok(seededRandom(3).pick(['a', 'b']).length === 1)
  assert.equal(seededRandom(3).bytes(16).length, 16)
  const drawn = Array.from({ length: 10_000 }, () => random.integer(0, 10))
  // The expected count of each value is 1000, with a standard deviation of 30.
  for (let value = 0; value < 10; value++) {
    const count = drawn.filter((one) => one === value).length
    assert.ok(Math.abs(count - 1000) < 150, `${value} was drawn ${count} times`)
  }
})
