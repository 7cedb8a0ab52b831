import fc from 'fast-check'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { valueRecord } from '../testing/clients.ts'
import { testPartition } from '../testing/test-partition.ts'
import type { Batch } from './batch.ts'
import type { Partition } from './partition.ts'
import { SendWindow } from './send-window.ts'

const RECORDS = 100
/** Of 100 records, batches span 45 and start in the first 55. */
const AHEAD = 55
const LIMITS = { records: RECORDS, recordsPerPartition: 20 }

function append(partition: Partition, token: number): void {
  partition.append(valueRecord('v', { token }), 0, 0)
}

test('a batch is sealed at the end of its span, however small it is, and the next record starts another batch', () => {
  const partition = testPartition(new SendWindow(LIMITS))
  for (const token of [5, 6, 49, 50, 95]) append(partition, token)
  partition.seal()
  const spans = [...partition.queue.batches()].map(({ content }) => content.tokens)
  assert.deepEqual(spans, [[5, 6, 49], [50], [95]])
})

test('a batch that starts after the window is held back until the window advances', () => {
  const window = new SendWindow(LIMITS)
  window.start = 100
  const partition = testPartition(window)
  append(partition, 100 + AHEAD - 1)
  partition.seal()
  assert.equal(partition.queue.canProduce(0), true)
  partition.queue.acknowledge(partition.queue.take(0), 0)
  append(partition, 100 + AHEAD)
  partition.seal()
  assert.equal(window.hasHeldBack, false)

  assert.equal(partition.queue.canProduce(0), false)
  assert.equal(window.hasHeldBack, true)
  window.start = 101
  assert.equal(partition.queue.canProduce(0), true)
})

test('the limit of batches in flight is not counted as held back by the window', () => {
  const window = new SendWindow(LIMITS)
  const partition = testPartition(window)
  for (const token of [0, 500]) {
    append(partition, token)
    partition.seal()
  }
  partition.queue.take(0)
  assert.equal(partition.queue.canProduce(0), false)
  assert.equal(window.hasHeldBack, false)
})

test('with many partitions the window has twenty records of each, if that is more', () => {
  const window = new SendWindow(LIMITS)
  for (const [partitions, ahead, span] of [
    [5, 55, 45],
    [6, 66, 54],
    [500, 5500, 4500],
    [1, 55, 45],
  ] as const) {
    window.setPartitions(partitions)
    assert.deepEqual([window.admits(ahead - 1), window.admits(ahead)], [true, false])
    assert.deepEqual([window.spans(7, 7 + span - 1), window.spans(7, 7 + span)], [true, false])
  }
})

test('without limits no batch is held back or sealed early', () => {
  const window = new SendWindow()
  assert.deepEqual([window.admits(1e15), window.spans(0, 1e15), window.hasHeldBack], [true, true, false])
})

/** A caller, and brokers that respond late and in any order: tracks batches in flight and acknowledged records. */
class Traffic {
  readonly window = new SendWindow(LIMITS)
  readonly #partitions: readonly Partition[]
  readonly #inFlight: { readonly partition: Partition; readonly batch: Batch }[] = []
  readonly #isAcked: boolean[] = []
  #produced = 0
  /** The greatest distance of a produced record from the start of the window. */
  farthest = 0

  constructor(partitions: number) {
    this.window.setPartitions(partitions)
    this.#partitions = Array.from({ length: partitions }, (_, index) => testPartition(this.window, index))
  }

  get hasAll(): boolean {
    return this.#isAcked.every(Boolean)
  }

  append(partition: number): void {
    const token = this.#isAcked.push(false) - 1
    append(this.#at(partition), token)
  }

  produce(partition: number): void {
    const to = this.#at(partition)
    // As BatchSealer: the open batch is sealed when no sealed one is left.
    if (to.queue.isEmpty) to.seal()
    while (to.queue.canProduce(0)) {
      const batch = to.queue.take(0)
      this.#inFlight.push({ partition: to, batch })
      this.#produced += batch.content.recordCount
      for (const token of batch.content.tokens) this.farthest = Math.max(this.farthest, token - this.window.start)
    }
  }

  answer(which: number): void {
    const [answered] = this.#inFlight.splice(which % Math.max(1, this.#inFlight.length), 1)
    if (answered === undefined) return
    answered.partition.queue.acknowledge(answered.batch, 0)
    for (const token of answered.batch.content.tokens) this.#isAcked[token] = true
  }

  /** Advances the window as late as a caller may. */
  store(): void {
    const firstMissing = this.#isAcked.indexOf(false)
    const completed = firstMissing < 0 ? this.#isAcked.length : firstMissing
    if (completed - this.window.start >= RECORDS * 0.4) this.window.start = completed
  }

  /** Does each step once; false when nothing has changed. */
  advance(): boolean {
    const before = `${this.#produced} ${this.#inFlight.length} ${this.window.start}`
    for (let index = 0; index < this.#partitions.length; index++) this.produce(index)
    this.answer(0)
    this.store()
    return before !== `${this.#produced} ${this.#inFlight.length} ${this.window.start}`
  }

  #at(index: number): Partition {
    const partition = this.#partitions[index % this.#partitions.length]
    assert(partition !== undefined)
    return partition
  }
}

test('in any order of events no record after the window is produced, and all records are produced in the end', () => {
  const step = fc.oneof(
    { weight: 20, arbitrary: fc.record({ act: fc.constant('append' as const), at: fc.nat(7) }) },
    { weight: 2, arbitrary: fc.record({ act: fc.constant('burst' as const), at: fc.nat(7) }) },
    { weight: 3, arbitrary: fc.record({ act: fc.constant('produce' as const), at: fc.nat(7) }) },
    { weight: 3, arbitrary: fc.record({ act: fc.constant('answer' as const), at: fc.nat(20) }) },
    { weight: 1, arbitrary: fc.record({ act: fc.constant('store' as const), at: fc.constant(0) }) },
  )
  let farthest = 0
  const run = (steps: readonly { readonly act: string; readonly at: number }[], partitions: number): void => {
    const traffic = new Traffic(partitions)
    for (const { act, at } of steps) {
      if (act === 'append') traffic.append(at)
      else if (act === 'burst') for (let i = 0; i < 40; i++) traffic.append(at)
      else if (act === 'produce') traffic.produce(at)
      else if (act === 'answer') traffic.answer(at)
      else traffic.store()
    }
    while (traffic.advance());
    assert.ok(traffic.hasAll, 'records are left that would never be produced')
    const size = Math.max(RECORDS, 20 * partitions)
    assert.ok(traffic.farthest < size, `a record ${traffic.farthest} after the start of the window was produced`)
    farthest = Math.max(farthest, traffic.farthest)
  }
  const lists = fc.array(step, { minLength: 50, maxLength: 400, size: 'max' })
  fc.assert(fc.property(lists, fc.integer({ min: 1, max: 8 }), run), { numRuns: 300 })
  assert.ok(farthest > AHEAD, 'no run has used more of the window than the part in which batches start')
})
