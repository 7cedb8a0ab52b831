import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectorFamilies, ConnectorNumbers } from '@tributary/connector-kit'
import { connectorTables } from './connector-tables.ts'

function reportOf(numbers: ConnectorNumbers): Parameters<typeof connectorTables>[1] {
  const source = { nowMs: 4_000, numbers, queue: null, queueSize: 0, count: () => 0 }
  const families = connectorFamilies(source, { plugin: 'mysql', name: 'p', connector: 'shop', task: 0 })
  const report = { counters: {}, gauges: {}, histograms: {}, families }
  return { taskInfos: () => [{ id: { connector: 'shop', task: 0 }, config: {} }], taskMetrics: () => report }
}

test('counts and the progress of a snapshot are those that the metrics of a connector have', () => {
  const numbers = new ConnectorNumbers()
  numbers.events.of('shop.a').u = 3
  numbers.snapshot.begin(1_000)
  numbers.snapshot.tableCount = 2
  numbers.snapshot.remainingTables = 1
  numbers.snapshot.tables.set('shop.a', { name: 'shop.a', rows: 5, estimatedRows: 6, isDone: true })
  numbers.snapshot.tables.set('shop.b', { name: 'shop.b', rows: 7, estimatedRows: null, isDone: false })
  const none = { read: 0, create: 0, update: 0, delete: 0, truncate: 0 }
  const herder = reportOf(numbers)
  assert.deepEqual(connectorTables('shop', herder), {
    name: 'shop',
    snapshot: {
      state: 'running',
      kind: 'initial',
      is_paused: false,
      tables: 2,
      tables_remaining: 1,
      rows: 12,
      seconds: 3,
      // Of the second table nothing is known.
      percent: null,
      rows_per_second: 4,
      seconds_left: null,
      is_waiting: false,
    },
    tables: [
      { table: 'shop.a', ...none, update: 3, snapshot: { rows: 5, estimated_rows: 6, is_done: true } },
      { table: 'shop.b', ...none, snapshot: { rows: 7, estimated_rows: null, is_done: false } },
    ],
  })
  assert.deepEqual(connectorTables('shop', { ...herder, taskMetrics: () => null }), {
    name: 'shop',
    snapshot: null,
    tables: [],
  })
})

test('the tables without numbers of their own are complete when the snapshot is', () => {
  const numbers = new ConnectorNumbers()
  numbers.snapshot.begin(1_000)
  for (let i = 0; i < 1_000; i += 1) {
    const name = `shop.t${i}`
    numbers.snapshot.tables.set(name, { name, rows: 1, estimatedRows: null, isDone: i < 201 })
  }
  const other = (): unknown =>
    connectorTables('shop', reportOf(numbers)).tables.find(({ table }) => table === 'other')?.snapshot
  assert.deepEqual(other(), { rows: 800, estimated_rows: null, is_done: false })
  numbers.snapshot.end('completed', 3_000)
  assert.deepEqual(other(), { rows: 800, estimated_rows: null, is_done: true })
})
