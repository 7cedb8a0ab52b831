import { StoppedError, systemClock } from '@tributary/support'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { together } from './together.ts'

const forEver = (signal: AbortSignal): Promise<void> => systemClock.sleep(2 ** 31 - 1, signal)

test('all work starts before any of it ends', async () => {
  const begun: number[] = []
  const all = Promise.withResolvers<void>()
  await together([1, 2, 3], async (item) => {
    if (begun.push(item) === 3) all.resolve()
    await all.promise
  })
  assert.deepEqual(begun, [1, 2, 3])
})

test('an error stops the other work, and is the one that is thrown', async () => {
  const work = (item: string, signal: AbortSignal): Promise<void> =>
    item === 'waits' ? forEver(signal) : Promise.reject(new Error(item))
  await assert.rejects(together(['waits', 'refused', 'waits'], work), { message: 'refused' })
  await assert.rejects(together(['first', 'second'], work), { message: 'first' })
})

test('the caller can stop all work', async () => {
  const stop = new AbortController()
  const running = together([1, 2], (_, signal) => forEver(signal), stop.signal)
  stop.abort()
  await assert.rejects(running, StoppedError)
})
