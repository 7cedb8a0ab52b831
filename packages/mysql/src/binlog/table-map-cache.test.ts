import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TableMapEvent } from './binlog-event.ts'
import { TableMapCache, TABLES_MAX } from './table-map-cache.ts'

function mapOf(tableId: number): TableMapEvent {
  return { tag: 'tableMap', table: { tableId } as TableMapEvent['table'] }
}

test('the maps of the last tables are there, and no more than twice as many are kept', () => {
  const cache = new TableMapCache()
  const used = mapOf(0)
  cache.add(used)

  for (let id = 1; id <= 10 * TABLES_MAX; id++) {
    cache.add(mapOf(id))
    assert.ok(cache.get(Math.max(1, id - TABLES_MAX / 4)) !== undefined, `a map that was used a moment ago, at ${id}`)
    assert.equal(cache.get(0), used, 'one that is used stays, and is the same object')
  }

  const kept = Array.from({ length: 10 * TABLES_MAX }, (_, i) => i + 1).filter((id) => cache.get(id) !== undefined)
  assert.ok(kept.length <= 2 * TABLES_MAX, `${kept.length} are kept`)
})

test('another file has numbers of its own', () => {
  const cache = new TableMapCache()
  cache.add(mapOf(7))

  cache.clear()

  assert.equal(cache.get(7), undefined)
})
