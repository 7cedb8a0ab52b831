import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeClock } from '@tributary/testkit'
import { valueRecord } from '../testing/clients.ts'
import { testPartition } from '../testing/test-partition.ts'
import { BatchSealer } from './batch-sealer.ts'
import type { Partition } from './partition.ts'
import { SendWindow } from './send-window.ts'

const clock = fakeClock()

const emptyPartition = (): Partition => testPartition(new SendWindow())

function sealing(lingerMs: number): { readonly sealer: BatchSealer; readonly sealed: readonly Partition[] } {
  const sealed: Partition[] = []
  return { sealer: new BatchSealer({ clock, lingerMs, onSealed: (partition) => sealed.push(partition) }), sealed }
}

test('without linger a batch is sealed at the end of the turn when none is in flight, else when all are acknowledged', async () => {
  const { sealer, sealed } = sealing(0)
  const partition = emptyPartition()
  partition.append(valueRecord('1'), 0, 0)
  partition.append(valueRecord('2'), 0, 0)
  sealer.watch(partition)
  assert.deepEqual(sealed, [])
  await new Promise(setImmediate)
  assert.deepEqual(sealed, [partition])
  const first = partition.queue.take(0)
  assert.equal(first.content.recordCount, 2)

  partition.append(valueRecord('3'), 0, 0)
  sealer.watch(partition)
  await new Promise(setImmediate)
  assert.equal(sealed.length, 1)
  partition.queue.acknowledge(first, 0)
  sealer.onIdle(partition)
  assert.equal(sealed.length, 2)
  assert.equal(partition.queue.take(0).content.recordCount, 1)
})

test('with linger a batch is sealed that long after its first record, whatever is in flight', async () => {
  const { sealer, sealed } = sealing(100)
  const [early, late] = [emptyPartition(), emptyPartition()]
  early.append(valueRecord('1'), 0, clock.now())
  sealer.watch(early)
  await clock.advance(60)
  late.append(valueRecord('1'), 0, clock.now())
  sealer.watch(late)

  await clock.advance(40)
  assert.deepEqual(sealed, [early])
  sealer.onIdle(late)
  await clock.advance(59)
  assert.deepEqual(sealed, [early])
  await clock.advance(1)
  assert.deepEqual(sealed, [early, late])
})

test('with moreFollows a batch waits some milliseconds, and is sealed at once when moreFollows is set to false', async () => {
  const { sealer, sealed } = sealing(0)
  const [early, late] = [emptyPartition(), emptyPartition()]
  sealer.moreFollows = true
  early.append(valueRecord('1'), 0, clock.now())
  sealer.watch(early)
  await clock.advance(4)
  await new Promise(setImmediate)
  late.append(valueRecord('1'), 0, clock.now())
  sealer.watch(late)
  assert.deepEqual(sealed, [])
  await clock.advance(1)
  assert.deepEqual(sealed, [early])

  sealer.moreFollows = false
  assert.deepEqual(sealed, [early])
  await new Promise(setImmediate)
  assert.deepEqual(sealed, [early, late])
})

test('with moreFollows and a batch in flight, a batch of that age waits for the acknowledgement, a younger one for its age', async () => {
  const { sealer, sealed } = sealing(0)
  sealer.moreFollows = true
  const [old, young] = [partitionInFlight(), partitionInFlight()]
  old.append(valueRecord('2'), 0, clock.now())
  sealer.watch(old)
  await clock.advance(3)
  young.append(valueRecord('2'), 0, clock.now())
  sealer.watch(young)
  await clock.advance(2)
  // As the producer does for a record that is appended now.
  old.append(valueRecord('3'), 0, clock.now())
  sealer.watch(old)
  assert.deepEqual(sealed, [])

  for (const partition of [old, young]) {
    for (const batch of partition.queue.batches()) partition.queue.acknowledge(batch, clock.now())
    sealer.onIdle(partition)
  }
  assert.deepEqual(sealed, [old])
  await clock.advance(3)
  assert.deepEqual(sealed, [old, young])
})

test('a clock that is set back does not extend the wait', async () => {
  const { sealer, sealed } = sealing(0)
  const partition = emptyPartition()
  sealer.moreFollows = true
  partition.append(valueRecord('1'), 0, clock.now() + 3_600_000)
  sealer.watch(partition)
  await clock.advance(5)
  assert.deepEqual(sealed, [partition])
})

test('a batch that is no longer watched when moreFollows is set again is sealed nevertheless', async () => {
  const { sealer, sealed } = sealing(0)
  const partition = partitionInFlight()
  partition.append(valueRecord('2'), 0, clock.now())
  sealer.watch(partition)
  await new Promise(setImmediate)
  sealer.moreFollows = true
  for (const batch of partition.queue.batches()) partition.queue.acknowledge(batch, clock.now())
  sealer.onIdle(partition)
  assert.deepEqual(sealed, [])
  await clock.advance(5)
  assert.deepEqual(sealed, [partition])
})

/** A partition with a batch in flight. */
function partitionInFlight(): Partition {
  const partition = emptyPartition()
  partition.append(valueRecord('1'), 0, clock.now())
  partition.seal()
  partition.queue.take(clock.now())
  return partition
}
