import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inHashOrder } from './hash-order.ts'

test('entries are in the order of a java.util.HashMap', () => {
  const names = (keys: readonly string[]): readonly string[] =>
    inHashOrder(new Map(keys.map((key) => [key, 1]))).map(([key]) => key)
  // Lists that Debezium 3.6.1 wrote: fixtures/golden/expected/16_transactions~metadata.jsonl.gz.
  assert.deepEqual(names(['g_tx.a', 'g_tx.b', 'g_tx.bn']), ['g_tx.b', 'g_tx.bn', 'g_tx.a'])
  // Printed by Java 17: 13 entries do not fit into a table of 16.
  const many = Array.from({ length: 13 }, (_, i) => `shop.orders_${i}`)
  assert.deepEqual(
    names(many),
    [2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 10, 0, 1].map((i) => `shop.orders_${i}`),
  )
})
