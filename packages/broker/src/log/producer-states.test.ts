import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type BatchHeader, readBatchHeader } from '../batch/batch-header.ts'
import { testBatch } from '../testing/test-batch.ts'
import { ProducerStates } from './producer-states.ts'

function batch(producerId: number, sequence: number, isTransactional: boolean): BatchHeader {
  const identity = { producerId: BigInt(producerId), epoch: 0, sequence, isTransactional }
  return readBatchHeader(testBatch({ values: ['v'], hasKeys: true, timestamp: 0, ...identity }))
}

test('a producer may begin with any sequence number, but not beyond that of a batch that was refused', () => {
  const producers = new ProducerStates()
  assert.equal(producers.check(batch(1, 7, false)).tag, 'new')
  producers.awaitFirst(batch(1, 5, true))
  producers.awaitFirst(batch(1, 3, true))
  producers.awaitFirst(batch(1, 4, true))
  assert.deepEqual(
    [3, 4].map((sequence) => producers.check(batch(1, sequence, false)).tag),
    ['new', 'error'],
  )
  producers.record(batch(1, 3, true))
  assert.equal(producers.check(batch(1, 4, true)).tag, 'new')
})

test('of producers that are refused, a thousand are remembered', () => {
  const producers = new ProducerStates()
  for (let producerId = 1; producerId <= 1001; producerId++) producers.awaitFirst(batch(producerId, 0, true))
  assert.deepEqual(
    [1, 2, 1001].map((producerId) => producers.check(batch(producerId, 1, false)).tag),
    ['new', 'error', 'error'],
  )
})
