import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BYTES_MAX, COUNT_MIN, TableMapCache } from './table-map-cache.ts'

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

test('a table that the server opens again has another id and the same map', () => {
  const cache = new TableMapCache()
  const high = 2 ** 40 + 7
  const first = read(cache, bodyOf(high, 't', [LONG, LONG]))
  assert.deepEqual(first.table, {
    database: 'shop',
    table: 't',
    columns: [
      { type: LONG, meta: 0 },
      { type: LONG, meta: 0 },
    ],
    tail: Buffer.of(0),
  })
  assert.equal(read(cache, bodyOf(8, 't', [LONG, LONG])), first)
  assert.deepEqual([cache.get(high), cache.get(8), cache.get(7)], [first, first, undefined])
})

test('a map of another size under the same number is another map: the server logs more or less about the table', () => {
  const cache = new TableMapCache()
  const first = read(cache, bodyOf(8, 't', [LONG]))
  const withSigns = read(cache, Buffer.concat([bodyOf(8, 't', [LONG]), Buffer.of(1, 1, 0x80)]))
  assert.deepEqual([first.table.tail, withSigns.table.tail], [Buffer.of(0), Buffer.of(0, 1, 1, 0x80)])
  assert.equal(cache.get(8), withSigns)
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

test('it reads only the bytes between its bounds', () => {
  const cache = new TableMapCache()
  const body = bodyOf(1, 't', [LONG])
  const inside = Buffer.concat([Buffer.from('before'), body, Buffer.from('behind')])
  const map = cache.read(inside, 6, 6 + body.length)
  assert.equal(read(cache, bodyOf(2, 't', [LONG])), map)
})

test('another file has its own ids for the same maps', () => {
  const cache = new TableMapCache()
  const map = read(cache, bodyOf(7, 't', [LONG]))

  cache.forgetNumbers()

  assert.equal(cache.get(7), undefined)
  assert.notEqual(read(cache, bodyOf(7, 'u', [LONG])), map)
  assert.equal(read(cache, bodyOf(8, 't', [LONG])), map)
})

test('a map that cannot be parsed leaves nothing in the cache', () => {
  const cache = new TableMapCache()
  const body = bodyOf(7, 't', [LONG, LONG])
  const damaged = body.subarray(0, body.length - 2)
  for (let time = 0; time < 2; time++) assert.throws(() => read(cache, damaged), RangeError)
  assert.equal(cache.get(7), undefined)
})

for (const columns of [5, 100, 250]) {
  test(`the cache bounds maps of ${columns} columns, by their id and by their content`, () => {
    const cache = new TableMapCache()
    const types = Array.from({ length: columns }, () => LONG)
    const least = Math.max(COUNT_MIN, Math.floor(BYTES_MAX / (columns * 200 + 300)))
    const most = 2 * Math.max(COUNT_MIN, Math.ceil(BYTES_MAX / (columns * 200)))
    const maps = Array.from({ length: 3 * most }, (_, i) => read(cache, bodyOf(i, `t${i}`, types)))
    const numbered = maps.filter((map, i) => cache.get(i) === map).length
    assert.ok(numbered >= least && numbered <= most, `${numbered} maps have a number`)

    cache.forgetNumbers()
    // Reads the latest maps first, so that no map is dropped before it is looked up.
    const isKept = (i: number): boolean => read(cache, bodyOf(maps.length + i, `t${i}`, types)) === maps[i]
    const kept = [...maps.keys()].toReversed().filter(isKept).length
    assert.ok(kept >= least && kept <= most, `${kept} maps are kept`)
  })
}

test('the other content of a map counts towards the limit, too', () => {
  const cache = new TableMapCache()
  const bodies = Array.from({ length: 1_000 }, (_, i) =>
    Buffer.concat([bodyOf(i, `t${i}`, [LONG]), Buffer.alloc(30_000, 'x')]),
  )
  const maps = bodies.map((body) => read(cache, body))
  cache.forgetNumbers()
  const kept = [...bodies.keys()].toReversed().filter((i) => read(cache, bodies[i] as Buffer) === maps[i]).length
  assert.ok(kept >= COUNT_MIN && kept <= 2 * (COUNT_MIN + 1), `${kept} maps are kept`)
})
