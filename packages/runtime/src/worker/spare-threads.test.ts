import { eventually, fakeClock, fullTest } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { SpareThreads } from './spare-threads.ts'

const RECEIVING_URL = new URL('./testing/receiving-thread.ts', import.meta.url)
const THREAD_URL = new URL('./testing/scripted-thread.ts', import.meta.url)

test('a spare thread goes to its task, once; other tasks get a new one', async () => {
  const threads = new SpareThreads({ threadUrl: THREAD_URL, clock: fakeClock() })
  threads.spawnFor('a-0')
  const ofAnother = threads.take('b-0')
  const spare = threads.take('a-0')
  const second = threads.take('a-0')
  // Threads are numbered in the order of their creation.
  assert.deepEqual(
    [spare, ofAnother, second].map(({ threadId }) => threadId - spare.threadId),
    [0, 1, 2],
  )
  await Promise.all([spare, ofAnother, second].map((thread) => thread.terminate()))
})

test('a spare thread that is not taken is terminated after a while, or when the worker stops', async () => {
  const clock = fakeClock()
  const threads = new SpareThreads({ threadUrl: THREAD_URL, clock })
  threads.spawnFor('a-0')
  const first = threads.take('a-0')
  threads.spawnFor('a-0')
  await clock.advance(10_000)
  const second = threads.take('a-0')
  threads.spawnFor('a-0')
  await threads.discard()
  const third = threads.take('a-0')
  // Each time, one was created in between.
  assert.deepEqual(
    [first, second, third].map(({ threadId }) => threadId - first.threadId),
    [0, 2, 4],
  )
  await Promise.all([first, second, third].map((thread) => thread.terminate()))
})

test('a spare thread for the first task of any connector is kept until it is taken, and is the only one', async () => {
  const clock = fakeClock()
  const threads = new SpareThreads({ threadUrl: THREAD_URL, clock })
  threads.spawnForAny()
  await clock.advance(60_000)
  threads.spawnFor('a-0')
  const first = threads.take('b-0')
  const second = threads.take('a-0')
  const third = threads.take('c-0')
  assert.deepEqual(
    [first, second, third].map(({ threadId }) => threadId - first.threadId),
    [0, 1, 2],
  )
  await Promise.all([first, second, third].map((thread) => thread.terminate()))
})

test('a spare thread that breaks before it is taken is dropped', async () => {
  const threads = new SpareThreads({
    threadUrl: new URL('./testing/not-there.ts', import.meta.url),
    clock: fakeClock(),
  })
  await eventually('the broken thread is not taken', async () => {
    threads.spawnFor('a-0')
    const later = threads.take('b-0')
    const laterId = later.threadId
    await assert.rejects(once(later, 'exit'), { code: /MODULE_NOT_FOUND$/ })
    const taken = threads.take('a-0')
    const isNew = taken.threadId > laterId
    await assert.rejects(once(taken, 'exit'), { code: /MODULE_NOT_FOUND$/ })
    return isNew
  })
})

test('the more threads run, the smaller the heap of a new one; ended threads no longer count', async () => {
  const threads = new SpareThreads({ threadUrl: THREAD_URL, clock: fakeClock() })
  threads.spawnFor('0')
  const running = Array.from({ length: 8 }, (_, n) => threads.take(String(n)))
  assert.deepEqual(
    running.map(({ resourceLimits }) => resourceLimits?.maxYoungGenerationSizeMb),
    [32, 32, 32, 32, 26, 21, 18, 16],
  )
  await Promise.all(running.map((thread) => thread.terminate()))
  const next = threads.take('next')
  assert.equal(next.resourceLimits?.maxYoungGenerationSizeMb, 32)
  await next.terminate()
})

/** What receiving-thread.ts posts. */
interface ReceivingReport {
  readonly collections: number
  readonly kept: number
}

fullTest('buffers that sockets allocate cause no collection of the old generation', async () => {
  const threads = new SpareThreads({ threadUrl: RECEIVING_URL, clock: fakeClock() })
  // With the engine's own initial size, four threads of five collect it. With ours, one in hundreds does.
  let collecting = 0
  for (const id of ['1', '2', '3', '4', '5']) {
    const [{ collections, kept }] = (await once(threads.take(id), 'message')) as [ReceivingReport]
    assert.equal(kept, 2)
    if (collections > 0) collecting += 1
  }
  assert.ok(collecting <= 1, `${collecting} threads collected their old generation`)
})
