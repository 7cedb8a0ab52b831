import { present } from '@tributary/support'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BufferPool } from '../protocol/buffer-pool.ts'
import { PlainBatchBuilder } from '../protocol/plain-batch-builder.ts'
import { valueRecord } from '../testing/clients.ts'
import { Batch } from './batch.ts'
import { PartitionQueue } from './partition-queue.ts'
import { SendWindow } from './send-window.ts'

const HOUR_MS = 3_600_000
const producer = { producerId: 7n, epoch: 0 }

/** An encoded batch of this many records. */
function batch(recordCount: number, times: { createdAtMs?: number; maxTimestamp?: number } = {}): Batch {
  const { createdAtMs = 0, maxTimestamp = createdAtMs } = times
  const made = new Batch({ recordCount, recordBytes: 10, maxTimestamp, tokens: [0], createdAtMs })
  const builder = new PlainBatchBuilder(new BufferPool(0), { batchBytesMax: 1000, wireBytesMax: 1000 }, 1)
  for (let i = 0; i < recordCount; i++) builder.append(valueRecord('v'), maxTimestamp)
  made.encoded = builder.finish()
  return made
}

/** A queue of these batches, of which the first is acknowledged, so that five may be in flight. */
function provenQueue(batches: readonly Batch[], nowMs = 0): PartitionQueue {
  const queue = new PartitionQueue(producer, 0, new SendWindow())
  for (const each of batches) queue.enqueue(each)
  queue.acknowledge(queue.take(nowMs), nowMs)
  return queue
}

function takeAll(queue: PartitionQueue, nowMs = 0): Batch[] {
  const taken: Batch[] = []
  while (queue.canProduce(nowMs)) taken.push(queue.take(nowMs))
  return taken
}

function at(batches: readonly Batch[], index: number): Batch {
  return present(batches[index], `batch ${index}`)
}

/** Takes the two batches that may be in flight. */
function takePair(queue: PartitionQueue): readonly [Batch, Batch] {
  const taken = takeAll(queue)
  return [at(taken, 0), at(taken, 1)]
}

function stamp({ bytes }: Batch): unknown {
  return { producerId: bytes.readBigInt64BE(43), epoch: bytes.readInt16BE(51), sequence: bytes.readInt32BE(53) }
}

test('one batch is in flight until it is acknowledged, then five, with ascending sequence numbers', () => {
  const batches = [3, 2, 1, 1, 1, 1, 1, 1].map((count) => batch(count))
  const queue = new PartitionQueue(producer, 0, new SendWindow())
  for (const each of batches) queue.enqueue(each)

  assert.deepEqual(takeAll(queue), batches.slice(0, 1))
  queue.acknowledge(at(batches, 0), 0)
  assert.deepEqual(takeAll(queue), batches.slice(1, 6))

  assert.deepEqual(
    batches.slice(0, 6).map(stamp),
    [0, 3, 5, 6, 7, 8].map((sequence) => ({ producerId: 7n, epoch: 0, sequence })),
  )
})

test('an outage of twelve hours changes neither epoch nor sequence numbers, so the broker can detect duplicates', () => {
  const batches = [1, 1, 1, 1, 1, 1].map((count) => batch(count))
  const queue = provenQueue(batches)
  const inFlight = takeAll(queue)
  const before = inFlight.map(stamp)

  for (let nowMs = 0; nowMs <= 12 * HOUR_MS; nowMs += 2000) {
    for (const each of nowMs === 0 ? inFlight : takeAll(queue, nowMs)) queue.fail(each, 'inDoubt')
    assert.deepEqual(queue.settle(), { tag: 'retry' })
  }
  const nowMs = 12 * HOUR_MS
  const again: Batch[] = []
  while (!queue.isEmpty) {
    const taken = takeAll(queue, nowMs)
    again.push(...taken)
    for (const each of taken) queue.acknowledge(each, nowMs)
  }

  assert.deepEqual(again, inFlight)
  assert.deepEqual(again.map(stamp), before)
})

test('after a failure the queue waits for all batches in flight; a batch in doubt after a lost sequence is fatal', () => {
  const batches = [1, 1, 1, 1, 1, 1].map((count) => batch(count))
  const queue = provenQueue(batches)
  takeAll(queue)
  const [a, b, c, d, e] = [at(batches, 1), at(batches, 2), at(batches, 3), at(batches, 4), at(batches, 5)]

  queue.fail(b, 'sequence')
  queue.acknowledge(a, 0)
  assert.equal(queue.settle(), null)
  queue.fail(d, 'sequence')
  queue.fail(c, 'inDoubt')
  assert.equal(queue.settle(), null)
  assert.equal(queue.canProduce(0), false)
  queue.fail(e, 'sequence')
  // b failed by its sequence number although a was acknowledged, and c may or may not have been written.
  assert.deepEqual(queue.settle(), { tag: 'sequenceLost', batch: b })
})

test('the failure of the oldest batch in flight decides the settlement', () => {
  const cut = provenQueue([batch(1), batch(2), batch(3)])
  const [a, b] = takePair(cut)
  cut.fail(a, 'inDoubt')
  cut.fail(b, 'inDoubt')
  assert.deepEqual(cut.settle(), { tag: 'retry' })
  assert.deepEqual(takeAll(cut), [a])
  assert.deepEqual(stamp(a), { producerId: 7n, epoch: 0, sequence: 1 })

  const short = provenQueue([batch(1), batch(2), batch(3)])
  const [c, d] = takePair(short)
  short.fail(c, 'notWritten')
  short.fail(d, 'sequence')
  assert.deepEqual(short.settle(), { tag: 'retry' })
  assert.deepEqual(takeAll(short), [c])

  const forgotten = provenQueue([batch(1), batch(2), batch(3)])
  const [e, f] = takePair(forgotten)
  forgotten.fail(e, 'sequence')
  forgotten.fail(f, 'sequence')
  assert.deepEqual(forgotten.settle(), { tag: 'epochBumped', batch: e })
  assert.deepEqual(takeAll(forgotten), [e])
  assert.deepEqual(stamp(e), { producerId: 7n, epoch: 1, sequence: 0 })
  forgotten.acknowledge(e, 0)
  assert.deepEqual(takeAll(forgotten), [f])
  assert.deepEqual(stamp(f), { producerId: 7n, epoch: 1, sequence: 2 })

  const large = provenQueue([batch(1), batch(2), batch(3)])
  const [g, h] = takePair(large)
  large.fail(g, 'tooLarge')
  large.fail(h, 'sequence')
  assert.deepEqual(large.settle(), { tag: 'split', batch: g })
  const [half, otherHalf] = [batch(1), batch(1)]
  half.sequence = 1
  otherHalf.sequence = 2
  large.putFirst([half, otherHalf])
  for (const expected of [half, otherHalf, h]) {
    assert.equal(large.take(0), expected)
    large.acknowledge(expected, 0)
  }
  assert.equal(large.isEmpty, true)
})

test('a lost sequence is fatal after an earlier attempt in doubt', () => {
  const queue = provenQueue([batch(1), batch(2)])
  const a = at(takeAll(queue), 0)
  queue.fail(a, 'inDoubt')
  queue.settle()
  takeAll(queue)
  queue.fail(a, 'sequence')

  assert.deepEqual(queue.settle(), { tag: 'sequenceLost', batch: a })
})

test('one batch is in flight when the broker may have forgotten the producer: after an idle hour, and with old timestamps', () => {
  const idle = provenQueue([batch(1), batch(1), batch(1)])
  assert.equal(takeAll(idle, HOUR_MS + 1).length, 1)

  const old = provenQueue([batch(1), ...[1, 1, 1].map((n) => batch(n, { createdAtMs: 2 * HOUR_MS, maxTimestamp: 5 }))])
  assert.equal(takeAll(old).length, 1)
})

test('a batch that is being compressed holds back those after it', () => {
  const slow = batch(1)
  const { encoded } = slow
  slow.encoded = null
  const queue = provenQueue([batch(1), slow, batch(1)])

  assert.equal(queue.canProduce(0), false)
  slow.encoded = encoded
  assert.equal(takeAll(queue).length, 2)
})

test('the batch after a refused one that is given up has its sequence number: the broker has counted nothing', () => {
  const [large, next] = [batch(1), batch(2)]
  const queue = provenQueue([batch(3), large])
  queue.fail(queue.take(0), 'tooLarge')
  assert.deepEqual(queue.settle(), { tag: 'split', batch: large })
  queue.forget(large)
  assert.ok(queue.isEmpty)
  queue.enqueue(next)
  queue.take(0)
  assert.deepEqual(
    [stamp(large), stamp(next)],
    [
      { producerId: 7n, epoch: 0, sequence: 3 },
      { producerId: 7n, epoch: 0, sequence: 3 },
    ],
  )
})
