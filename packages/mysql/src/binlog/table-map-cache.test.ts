import assert from 'node:assert/strict'
import { test } from 'node:test'
import { COLUMNS_MAX, IDS_MAX, TableMapCache } from './table-map-cache.ts'

const LONG = 3
const LONGLONG = 8

/** Body of a TABLE_MAP_EVENT of a table of integers in `shop`. */
function bodyOf(id: number, table: string, types: readonly number[]): Buffer {
  const head = Buffer.alloc(8)
  head.writeUIntLE(id, 0, 6)
  const name = (text: string): number[] => [text.length, ...Buffer.from(text), 0]
  const nullable = Array.from({ length: (types.length + 7) >> 3 }, () => 0)
  return Buffer.concat([head, Buffer.from([...name('shop'), ...name(table), types.length, ...types, 0, ...nullable])])
}

function read(cache: TableMapCache, body: Buffer): ReturnType<TableMapCache['read']> {
  return cache.read(body, 0, body.length)
}

test('a table that is opened again has another number and the same map', () => {
  const cache = new TableMapCache()
  const first = read(cache, bodyOf(7, 't', [LONG, LONG]))
  assert.deepEqual(first.table, {
    database: 'shop',
    table: 't',
    columns: [
      { type: LONG, meta: 0 },
      { type: LONG, meta: 0 },
    ],
  })
  assert.equal(read(cache, bodyOf(8, 't', [LONG, LONG])), first)
  assert.deepEqual([cache.get(7), cache.get(8), cache.get(9)], [first, first, undefined])
})

test('another name or other columns are another map', () => {
  const cache = new TableMapCache()
  const maps = [
    bodyOf(1, 't', [LONG, LONG]),
    bodyOf(2, 'u', [LONG, LONG]),
    bodyOf(3, 't', [LONG, LONGLONG]),
    bodyOf(4, 't', [LONG]),
  ].map((body) => read(cache, body))
  assert.equal(new Set(maps).size, maps.length)
  for (const [i, map] of maps.entries()) assert.equal(cache.get(i + 1), map)
})

test('it reads what stands between its bounds only', () => {
  const cache = new TableMapCache()
  const body = bodyOf(1, 't', [LONG])
  const inside = Buffer.concat([Buffer.from('before'), body, Buffer.from('behind')])
  const map = cache.read(inside, 6, 6 + body.length)
  assert.equal(read(cache, bodyOf(2, 't', [LONG])), map)
})

test('another file has numbers of its own, for the same maps', () => {
  const cache = new TableMapCache()
  const map = read(cache, bodyOf(7, 't', [LONG]))

  cache.forgetNumbers()

  assert.equal(cache.get(7), undefined)
  assert.notEqual(read(cache, bodyOf(7, 'u', [LONG])), map)
  assert.equal(read(cache, bodyOf(8, 't', [LONG])), map)
})

test('of a map that cannot be read nothing stays', () => {
  const cache = new TableMapCache()
  const body = bodyOf(7, 't', [LONG, LONG])
  const damaged = body.subarray(0, body.length - 2)
  for (let time = 0; time < 2; time++) assert.throws(() => read(cache, damaged), RangeError)
  assert.equal(cache.get(7), undefined)
})

test('both are bounded: maps by their columns, numbers by their count', () => {
  const cache = new TableMapCache()
  const types = Array.from({ length: 100 }, () => LONG)
  const held = COLUMNS_MAX / types.length
  const maps = Array.from({ length: 3 * held }, (_, i) => read(cache, bodyOf(i, `t${i}`, types)))
  cache.forgetNumbers()
  // Those of last time first, so that nothing is pushed out before it is looked for.
  const isKept = (i: number): boolean => read(cache, bodyOf(10_000 + i, `t${i}`, types)) === maps[i]
  const kept = [...maps.keys()].toReversed().filter(isKept).length
  assert.ok(kept >= held && kept <= 2 * held, `${kept} maps are kept`)

  for (let id = 0; id < 3 * IDS_MAX; id++) read(cache, bodyOf(id, 't', [LONG]))
  const numbers = Array.from({ length: 3 * IDS_MAX }, (_, id) => cache.get(id)).filter((map) => map !== undefined)
  assert.ok(numbers.length >= IDS_MAX && numbers.length <= 2 * IDS_MAX, `${numbers.length} numbers are kept`)
})
