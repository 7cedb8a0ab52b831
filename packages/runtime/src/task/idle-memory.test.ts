import { captureLogger, fakeClock } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { IdleMemory } from './idle-memory.ts'

const GROWN = 16_000_000

class FakeHeap {
  young = GROWN
  used = 20_000_000
  releases = 0
  onRelease = (): void => {
    this.young = 1_000_000
  }

  youngBytes(): number {
    return this.young
  }

  usedBytes(): number {
    return this.used
  }

  release(): Promise<void> {
    this.releases++
    this.onRelease()
    return Promise.resolve()
  }
}

function fixture() {
  const [clock, heap, logger] = [fakeClock(), new FakeHeap(), captureLogger()]
  const group = new IdleMemory({ clock, heap, logger })
  const memory = group.enter()
  /** Empty polls, two a second. */
  const idle = async (ms: number): Promise<void> => {
    for (let at = 0; at < ms; at += 500) {
      memory.onIdle()
      await clock.advance(Math.min(500, ms - at))
    }
  }
  return { clock, heap, logger, group, memory, idle }
}

test('the memory of a start is released when no work follows', async () => {
  const { clock, heap, memory, idle } = fixture()
  await clock.advance(60_000)
  assert.equal(heap.releases, 0)
  memory.start()
  await idle(2_999)
  assert.equal(heap.releases, 0)
  await clock.advance(1)
  assert.equal(heap.releases, 1)
})

test('nothing is collected while a poll has not returned', async () => {
  const { clock, heap, memory } = fixture()
  memory.start()
  await clock.advance(60_000)
  assert.equal(heap.releases, 0)
  memory.onIdle()
  await clock.advance(1_500)
  assert.equal(heap.releases, 1)
})

test('nothing is collected while there is work', async () => {
  const { clock, heap, memory, idle } = fixture()
  memory.start()
  for (let second = 0; second < 60; second++) {
    memory.onWork()
    memory.onIdle()
    await clock.advance(1_000)
  }
  assert.equal(heap.releases, 0)
  await idle(3_000)
  assert.equal(heap.releases, 1)
})

test('a small young generation and a large heap are not collected', async () => {
  for (const { young, used } of [
    { young: 2_000_000, used: 20_000_000 },
    { young: GROWN, used: 170_000_000 },
  ]) {
    const { heap, memory, idle } = fixture()
    Object.assign(heap, { young, used })
    memory.start()
    await idle(60_000)
    assert.equal(heap.releases, 0)
  }
})

test('repeated bursts of work cost at most one collection per minute', async () => {
  const { heap, memory, idle } = fixture()
  memory.start()
  for (let burst = 0; burst < 18; burst++) {
    memory.onWork()
    heap.young = GROWN
    await idle(10_000)
  }
  assert.ok(heap.releases >= 2 && heap.releases <= 3, `${heap.releases}`)
})

test('a collection that fails is logged, and not repeated before there was work again', async () => {
  const { heap, memory, logger, idle } = fixture()
  heap.onRelease = () => {
    throw new Error('no')
  }
  memory.start()
  await idle(600_000)
  assert.equal(heap.releases, 1)
  assert.equal(logger.matching('could not be released').length, 1)
  memory.onWork()
  await idle(65_000)
  assert.equal(heap.releases, 2)
})

test('dispose ends the checks, at any time', async () => {
  for (const beforeMs of [0, 1_500, 3_000]) {
    const { heap, memory, idle } = fixture()
    memory.start()
    await idle(beforeMs)
    const { releases } = heap
    memory.onWork()
    memory[Symbol.dispose]()
    heap.young = GROWN
    await idle(200_000)
    assert.equal(heap.releases, releases, `${beforeMs}`)
  }
})

test('dispose during a collection leaves no timer', async () => {
  const { heap, memory, idle } = fixture()
  const { promise, resolve } = Promise.withResolvers<void>()
  heap.release = () => {
    heap.releases++
    return promise
  }
  memory.start()
  await idle(3_000)
  memory.onWork()
  memory[Symbol.dispose]()
  resolve()
  await idle(200_000)
  assert.equal(heap.releases, 1)
})

test('a heap that was too large is checked again', async () => {
  const { heap, memory, idle } = fixture()
  heap.used = 170_000_000
  memory.start()
  await idle(60_000)
  heap.used = 20_000_000
  await idle(1_500)
  assert.equal(heap.releases, 1)
})

test('the heap of tasks that share a thread is collected when all of them are idle, once', async () => {
  const { clock, heap, group, memory, idle } = fixture()
  const other = group.enter()
  memory.start()
  other.start()
  for (let second = 0; second < 30; second++) {
    other.onWork()
    await idle(1_000)
  }
  // The poll of the other one has not returned.
  await idle(30_000)
  assert.equal(heap.releases, 0)
  other.onIdle()
  await idle(1_500)
  assert.equal(heap.releases, 1)

  other.onWork()
  other[Symbol.dispose]()
  heap.young = GROWN
  await idle(70_000)
  assert.equal(heap.releases, 2, 'the work of a task that has ended is forgotten')
  memory[Symbol.dispose]()
  await clock.advance(200_000)
  assert.equal(heap.releases, 2)
})
