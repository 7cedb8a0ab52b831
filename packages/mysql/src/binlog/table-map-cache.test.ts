import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TableMapEvent } from './binlog-event.ts'
import { COLUMNS_MAX, TableMapCache, TABLES_MIN } from './table-map-cache.ts'

function mapOf(tableId: number, columns: number): TableMapEvent {
  const table = { tableId, columns: Array.from({ length: columns }) } as unknown as TableMapEvent['table']
  return { tag: 'tableMap', table }
}

for (const { columns, least, most } of [
  { columns: 5, least: COLUMNS_MAX / 5, most: (2 * COLUMNS_MAX) / 5 },
  { columns: 4096, least: TABLES_MIN, most: 2 * TABLES_MIN },
]) {
  test(`of tables with ${columns} columns the last ${least} maps are there, and no more than twice as many are kept`, () => {
    const cache = new TableMapCache()
    const used = mapOf(0, columns)
    cache.add(used)
    const ids = Array.from({ length: 5 * least }, (_, i) => i + 1)

    for (const id of ids) {
      cache.add(mapOf(id, columns))
      assert.ok(cache.get(Math.max(1, id - least / 4)) !== undefined, `a map that was used a moment ago, at ${id}`)
      assert.equal(cache.get(0), used, 'one that is used stays, and is the same object')
    }

    const kept = ids.filter((id) => cache.get(id) !== undefined)
    assert.ok(kept.length <= most, `${kept.length} are kept`)
  })
}

test('tables that come in turn, as many as there is room for, all stay', () => {
  const cache = new TableMapCache()
  const maps = Array.from({ length: COLUMNS_MAX / 5 }, (_, id) => mapOf(id, 5))
  for (const map of maps) cache.add(map)
  for (let round = 0; round < 5; round++) {
    for (const [id, map] of maps.entries()) assert.equal(cache.get(id), map)
  }
})

test('another file has numbers of its own', () => {
  const cache = new TableMapCache()
  cache.add(mapOf(7, 5))

  cache.clear()

  assert.equal(cache.get(7), undefined)
})
