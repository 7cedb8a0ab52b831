import { CodedError, present } from '@tributary/support'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StreamPosition } from '../../offset/stream-position.ts'
import { OpenTransaction } from './open-transaction.ts'
import type { UndonePart } from './undone-parts.ts'

const BEFORE = present(StreamPosition.parse({ file: 'f.1', pos: 100 }), 'a position')
const { signal } = new AbortController()

/** A transaction that begins at position 100 of f.1, after two records of the poll. */
function begun(parts: readonly UndonePart[] | null): {
  readonly subject: OpenTransaction
  readonly header: { file: string; position: number; readonly order: number }
  readonly records: { length: number }
} {
  const header = {
    file: 'f.1',
    position: 100,
    get order() {
      return this.position
    },
  }
  const finder = parts === null ? null : { find: () => Promise.resolve(parts) }
  const subject = new OpenTransaction({ header, finder })
  const records = { length: 2 }
  subject.begin(BEFORE, records)
  return { subject, header, records }
}

test('a transaction that the next one cuts off, or the next file, was never committed', () => {
  const { subject, header, records } = begun([])
  records.length = 5
  header.position = 300
  subject.begin(BEFORE, records)
  assert.equal(records.length, 2)
  records.length = 4
  subject.cut(records)
  assert.equal(records.length, 2)
})

test('records that a poll yields are settled: a later part that is undone is skipped, an open one is dropped', async () => {
  const { subject, header, records } = begun([
    { from: 200, until: 400 },
    { from: 500, until: 600 },
  ])
  records.length = 4
  header.position = 200
  subject.takeStatement('SAVEPOINT `s`', records)
  header.position = 300
  records.length = 9
  assert.equal(subject.isUnsettled(records), true)

  await subject.settle(null, records, signal)

  assert.equal(records.length, 4)
  assert.equal(subject.isUnsettled(records), false)
  assert.equal(subject.isUndone, true)
  subject.endPoll(records)
  header.position = 450
  assert.equal(subject.isUndone, false)
  header.position = 500
  assert.equal(subject.isUndone, true)
})

test('records of an unsettled transaction are dropped when they cannot be settled', () => {
  const { subject, records } = begun([])
  records.length = 7
  assert.equal(subject.abandon(records), BEFORE)
  assert.equal(records.length, 2)
})

test('a rollback after records were sent is an error, also to a savepoint; without records it is not', () => {
  const isUnclear = (error: unknown): boolean => error instanceof CodedError && error.code === 'ROLLBACK_UNCLEAR'
  const sent = begun(null)
  sent.header.position = 200
  sent.subject.takeStatement('SAVEPOINT `s`', sent.records)
  sent.records.length = 3
  sent.subject.endPoll(sent.records)
  sent.header.position = 300
  const records = { length: 0 }
  assert.throws(() => sent.subject.takeStatement('ROLLBACK TO `s`', records), isUnclear)
  assert.throws(() => sent.subject.rollBack(records), isUnclear)

  const unsent = begun(null)
  unsent.subject.endPoll(unsent.records)
  records.length = 1
  unsent.subject.rollBack(records)
  assert.equal(records.length, 0)
})

test('a savepoint of a compressed transaction, whose events share their position', () => {
  const header = { file: 'f.1', position: 100, order: 100 }
  const subject = new OpenTransaction({ header, finder: null })
  const records = { length: 2 }
  subject.begin(BEFORE, records)
  for (const [order, length, sql] of [
    [150, 3, 'SAVEPOINT `s`'],
    [160, 5, 'SAVEPOINT `t`'],
    [170, 6, 'ROLLBACK TO `s`'],
  ] as const) {
    header.order = order
    records.length = length
    subject.takeStatement(sql, records)
  }
  assert.equal(records.length, 3)
})
