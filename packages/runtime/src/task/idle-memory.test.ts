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
  const memory = new IdleMemory({ clock, heap, logger })
  /** Polls that give nothing, two a second. */
  const idle = async (ms: number): Promise<void> => {
    for (let at = 0; at < ms; at += 500) {
      memory.onIdle()
      await clock.advance(Math.min(500, ms - at))
    }
  }
  return { clock, heap, logger, memory, idle }
}

test('what a start took is given back when nothing follows', async () => {
  const { clock, heap, memory, idle } = fixture()
  await clock.advance(60_000)
  assert.equal(heap.releases, 0)
  memory.begin()
  await idle(2_999)
  assert.equal(heap.releases, 0)
  await clock.advance(1)
  assert.equal(heap.releases, 1)
})

test('while a poll is under way nothing is collected', async () => {
  const { clock, heap, memory } = fixture()
  memory.begin()
  await clock.advance(60_000)
  assert.equal(heap.releases, 0)
  memory.onIdle()
  await clock.advance(1_500)
  assert.equal(heap.releases, 1)
})

test('while there is work nothing is collected', async () => {
  const { clock, heap, memory, idle } = fixture()
  memory.begin()
  for (let second = 0; second < 60; second++) {
    memory.onWork()
    memory.onIdle()
    await clock.advance(1_000)
  }
  assert.equal(heap.releases, 0)
  await idle(3_000)
  assert.equal(heap.releases, 1)
})

test('a young generation that is small already, or a heap that takes long, is left alone', async () => {
  for (const { young, used } of [
    { young: 2_000_000, used: 20_000_000 },
    { young: GROWN, used: 170_000_000 },
  ]) {
    const { heap, memory, idle } = fixture()
    Object.assign(heap, { young, used })
    memory.begin()
    await idle(60_000)
    assert.equal(heap.releases, 0)
  }
})

test('bursts that come again and again cost one collection a minute', async () => {
  const { heap, memory, idle } = fixture()
  memory.begin()
  for (let burst = 0; burst < 18; burst++) {
    memory.onWork()
    heap.young = GROWN
    await idle(10_000)
  }
  assert.ok(heap.releases >= 2 && heap.releases <= 3, `${heap.releases}`)
})

test('one that does not help is not repeated until there was work again, and one that fails ends nothing', async () => {
  const { heap, memory, logger, idle } = fixture()
  heap.onRelease = () => {
    throw new Error('no')
  }
  memory.begin()
  await idle(600_000)
  assert.equal(heap.releases, 1)
  assert.equal(logger.matching('could not be released').length, 1)
  memory.onWork()
  await idle(65_000)
  assert.equal(heap.releases, 2)
})

test('the end of the task ends it, before a look and after one', async () => {
  for (const beforeMs of [0, 1_500, 3_000]) {
    const { heap, memory, idle } = fixture()
    memory.begin()
    await idle(beforeMs)
    const { releases } = heap
    memory.onWork()
    memory[Symbol.dispose]()
    heap.young = GROWN
    await idle(200_000)
    assert.equal(heap.releases, releases, `${beforeMs}`)
  }
})

test('an end while a collection is under way leaves nothing behind', async () => {
  const { heap, memory, idle } = fixture()
  const { promise, resolve } = Promise.withResolvers<void>()
  heap.release = () => {
    heap.releases++
    return promise
  }
  memory.begin()
  await idle(3_000)
  memory.onWork()
  memory[Symbol.dispose]()
  resolve()
  await idle(200_000)
  assert.equal(heap.releases, 1)
})

test('a heap that was large is looked at again', async () => {
  const { heap, memory, idle } = fixture()
  heap.used = 170_000_000
  memory.begin()
  await idle(60_000)
  heap.used = 20_000_000
  await idle(1_500)
  assert.equal(heap.releases, 1)
})
