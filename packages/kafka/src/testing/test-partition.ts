import assert from 'node:assert/strict'
import { Partition } from '../producer/partition.ts'
import { PartitionQueue } from '../producer/partition-queue.ts'
import type { SendWindow } from '../producer/send-window.ts'
import { BufferPool } from '../protocol/buffer-pool.ts'

/** An empty partition of the topic `t`, of a producer without compression. */
export function testPartition(window: SendWindow, index = 0): Partition {
  return new Partition({
    topic: 't',
    index,
    compression: 'none',
    limits: {
      batchBytesMax: 10_000,
      wireBytesMax: 10_000,
      limitName: 'max.message.bytes',
      isKnown: true,
      refusedBytes: Infinity,
      checkedAtMs: -Infinity,
    },
    pool: new BufferPool(0),
    queue: new PartitionQueue({ producerId: 1n, epoch: 0 }, 0, window),
    window,
    onEncoded: () => undefined,
    onFailure: (error) => assert.ifError(error),
  })
}
