import { NO_HEADERS, type OffsetDocument, type SourceOffset, type SourceRecord, Struct } from '@tributary/connect-api'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TableId } from '../relational/table-id.ts'
import { TransactionCounter } from './transaction-counter.ts'

const a = TableId.of('shop', 'a')
const b = TableId.of('shop', 'b')

function offsetAt(pos: number): SourceOffset {
  return { toDocument: () => ({ pos }) }
}

/** A record with the offset that the counter makes of a position. */
function recordAt(counter: TransactionCounter, pos: number): SourceRecord {
  return {
    sourcePartition: {},
    sourceOffset: counter.offsetOf(offsetAt(pos)),
    topic: 't',
    partition: null,
    keySchema: null,
    key: null,
    valueSchema: null,
    value: null,
    timestamp: null,
    headers: NO_HEADERS,
  }
}

/** Counts an event and appends its record. Returns the order in the transaction and in the table. */
function event(counter: TransactionCounter, table: TableId, records: SourceRecord[]): unknown {
  counter.sync()
  const block = counter.countEvent(table)
  records.push(recordAt(counter, records.length))
  return block instanceof Struct ? [block.at(1), block.at(2)] : null
}

function begun(id: string): readonly [TransactionCounter, SourceRecord[]] {
  const counter = new TransactionCounter()
  const records: SourceRecord[] = []
  counter.beginPoll(records)
  assert.equal(counter.begin(id), true)
  records.push(recordAt(counter, 0))
  return [counter, records]
}

test('events are numbered in the transaction and in their table', () => {
  const [counter, records] = begun('x')
  assert.deepEqual(
    [a, a, b, a, b].map((table) => event(counter, table, records)),
    [
      [1, 1],
      [2, 2],
      [3, 1],
      [4, 3],
      [5, 2],
    ],
  )
  const ended = counter.end()
  assert.deepEqual(
    [ended?.id, ended?.total, Object.fromEntries(ended?.counts ?? [])],
    ['x', 5, { 'shop.a': 3, 'shop.b': 2 }],
  )
  records.push(recordAt(counter, 9))
  assert.equal(event(counter, a, records), null)
})

test('records that are dropped leave no trace in the numbers, also when the poll is over', () => {
  const [counter, records] = begun('x')
  event(counter, a, records)
  event(counter, b, records)
  event(counter, a, records)
  records.length = 2
  assert.deepEqual(event(counter, a, records), [2, 2])

  event(counter, a, records)
  records.length = 3
  const next: SourceRecord[] = []
  counter.beginPoll(next)
  event(counter, b, next)
  next.length = 0
  assert.deepEqual(event(counter, a, next), [3, 3])
})

test('a transaction whose begin is dropped has no end', () => {
  const [counter, records] = begun('x')
  event(counter, a, records)
  records.length = 0
  assert.equal(counter.end(), null)
})

test('the counts are part of offsets inside a transaction, under the names that Debezium reads', () => {
  const [counter, records] = begun('x')
  event(counter, a, records)
  event(counter, b, records)
  assert.deepEqual(records.at(-1)?.sourceOffset.toDocument(), {
    pos: 2,
    transaction_id: 'x',
    'transaction_data_collection_order_shop.a': 1,
    'transaction_data_collection_order_shop.b': 1,
  })
  counter.end()
  assert.deepEqual(counter.offsetOf(offsetAt(9)).toDocument(), { pos: 9 })
})

/** Recorded from Debezium 3.6.1: fixtures/golden/expected/16_transactions~metadata.jsonl.gz. */
const DEBEZIUM: OffsetDocument = {
  transaction_id: 'f23636f2-e599-11f1-a5fd-02fc00000001:39',
  ts_sec: 1795260353,
  file: 'binlog.000001',
  pos: 41347,
  gtids: 'f23636f2-e599-11f1-a5fd-02fc00000001:1-38',
  server_id: 3307,
  event: 3,
  'transaction_data_collection_order_g_tx.a': 1,
}

test('an offset of Debezium inside a transaction is continued; another transaction is begun', () => {
  const table = TableId.of('g_tx', 'a')
  const resumed = new TransactionCounter()
  resumed.resume(DEBEZIUM)
  const records: SourceRecord[] = []
  resumed.beginPoll(records)
  assert.equal(resumed.begin('f23636f2-e599-11f1-a5fd-02fc00000001:39'), false)
  assert.deepEqual(event(resumed, table, records), [2, 2])

  const other = new TransactionCounter()
  other.resume(DEBEZIUM)
  const others: SourceRecord[] = []
  other.beginPoll(others)
  assert.equal(other.begin('f23636f2-e599-11f1-a5fd-02fc00000001:40'), true)
  others.push(recordAt(other, 0))
  assert.deepEqual(event(other, table, others), [1, 1])
})

test('an interrupted transaction that another server sends after others is continued', () => {
  const [counter, records] = begun('x')
  event(counter, a, records)
  counter.begin('y')
  records.push(recordAt(counter, 0))
  assert.deepEqual(event(counter, a, records), [1, 1])
  counter.end()
  records.push(recordAt(counter, 0))

  assert.equal(counter.begin('x'), true)
  records.push(recordAt(counter, 0))
  assert.deepEqual(event(counter, a, records), [2, 2])
})
