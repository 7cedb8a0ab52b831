import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeClock } from '@tributary/testkit'
import { BufferPool } from '../protocol/buffer-pool.ts'
import { valueRecord } from '../testing/clients.ts'
import { BatchSealer } from './batch-sealer.ts'
import { Partition } from './partition.ts'
import { PartitionQueue } from './partition-queue.ts'

const clock = fakeClock()

function emptyPartition(): Partition {
  return new Partition({
    topic: 't',
    index: 0,
    compression: 'none',
    limits: { batchBytesMax: 10_000, wireBytesMax: 10_000, limitName: 'max.message.bytes' },
    pool: new BufferPool(0),
    queue: new PartitionQueue({ producerId: 1n, epoch: 0 }, 0),
    onEncoded: () => undefined,
    onFailure: (error) => assert.ifError(error),
  })
}

test('without linger: at the end of the turn when nothing is under way, else when all is acknowledged', async () => {
  const sealed: Partition[] = []
  const sealer = new BatchSealer({ clock, lingerMs: 0, onSealed: (partition) => sealed.push(partition) })
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

test('with linger: that long after the first record, whatever is under way', async () => {
  const sealed: Partition[] = []
  const sealer = new BatchSealer({ clock, lingerMs: 100, onSealed: (partition) => sealed.push(partition) })
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
