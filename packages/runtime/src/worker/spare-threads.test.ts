import { eventually, fakeClock } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { SpareThreads } from './spare-threads.ts'

const RECEIVING_URL = new URL('./testing/receiving-thread.ts', import.meta.url)
const THREAD_URL = new URL('./testing/scripted-thread.ts', import.meta.url)

test('a prepared thread is given to its task, once; others get a new one', async () => {
  const threads = new SpareThreads({ threadUrl: THREAD_URL, clock: fakeClock() })
  threads.spawnFor('a-0')
  const ofAnother = threads.take('b-0')
  const prepared = threads.take('a-0')
  const second = threads.take('a-0')
  // Threads are numbered in the order in which they are made.
  assert.deepEqual(
    [prepared, ofAnother, second].map(({ threadId }) => threadId - prepared.threadId),
    [0, 1, 2],
  )
  await Promise.all([prepared, ofAnother, second].map((thread) => thread.terminate()))
})

test('one that nobody takes is ended after a while, or when the worker stops', async () => {
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
  // Each time one was made in between.
  assert.deepEqual(
    [first, second, third].map(({ threadId }) => threadId - first.threadId),
    [0, 2, 4],
  )
  await Promise.all([first, second, third].map((thread) => thread.terminate()))
})

test('one for whichever task comes first is kept until it is taken, and no other is prepared beside it', async () => {
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

test('one that breaks before it is needed is forgotten', async () => {
  const threads = new SpareThreads({
    threadUrl: new URL('./testing/not-there.ts', import.meta.url),
    clock: fakeClock(),
  })
  await eventually('the broken one is not given away', async () => {
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

test('the more threads run, the less room has a new one; those that have ended count no more', async () => {
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

test('the heap of a thread is not gone through for what sockets give', async () => {
  const threads = new SpareThreads({ threadUrl: RECEIVING_URL, clock: fakeClock() })
  // With the engine's own size it is in four of five threads.
  for (const id of ['1', '2', '3']) {
    const [told] = (await once(threads.take(id), 'message')) as [unknown]
    assert.deepEqual(told, { collections: 0, kept: 2 })
  }
})
