import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TransactionPartition } from '../transaction/transaction-coordinator.ts'
import { Transaction } from './transaction.ts'

const P = { topic: 't', partition: 0 }

interface Request {
  readonly partitions: readonly TransactionPartition[]
  readonly answer: () => void
}

function fixture(): { readonly transaction: Transaction; readonly requests: readonly Request[] } {
  const requests: Request[] = []
  const transaction = new Transaction({
    id: 'id',
    add: (partitions) => new Promise((answer) => requests.push({ partitions, answer })),
    onAdmitted: () => undefined,
    onFailure: (error) => assert.fail(error),
  })
  return { transaction, requests }
}

async function settle(): Promise<void> {
  for (let i = 0; i < 10; i++) await Promise.resolve()
}

test('a partition is requested once per transaction, however often a batch for it waits', async () => {
  const { transaction, requests } = fixture()
  const partition = transaction.admission(P)
  assert.equal(partition.admits(0), false)
  await settle()
  // Each further batch asks again before the answer.
  assert.equal(partition.admits(0), false)
  requests[0]?.answer()
  await settle()
  assert.equal(partition.admits(0), true)
  assert.deepEqual(
    requests.map(({ partitions }) => partitions),
    [[P]],
  )
  assert.equal(transaction.isEmpty, false)

  transaction.next()
  assert.equal(transaction.isEmpty, true)
  assert.equal(partition.admits(1), false)
  await settle()
  assert.equal(requests.length, 2)
})

test('a partition that is wanted right after the answer to the last request is requested', async () => {
  const requests: (readonly TransactionPartition[])[] = []
  const transaction: Transaction = new Transaction({
    id: 'id',
    add: (partitions) => Promise.resolve(void requests.push(partitions)),
    // The other partition has its first batch at that moment.
    onAdmitted: () => queueMicrotask(() => other.admits(1)),
    onFailure: (error) => assert.fail(error),
  })
  const other = transaction.admission({ topic: 't', partition: 1 })
  transaction.admission(P).admits(0)
  await settle()
  assert.equal(requests.length, 2)
  assert.equal(other.admits(1), true)
})

test('a batch after the end waits for the next transaction, and is held back by nothing else', () => {
  const { transaction } = fixture()
  const partition = transaction.admission(P)
  transaction.close(5)
  assert.deepEqual([partition.holdsBack(4), partition.holdsBack(5), partition.admits(5)], [false, true, false])
  transaction.next()
  assert.equal(partition.holdsBack(5), false)
})
