import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RowPlaces } from './row-places.ts'

test('rows of one poll never share places, also when the array grows', () => {
  const places = new RowPlaces()
  const taken: { readonly array: Int32Array; readonly first: number }[] = []
  for (let row = 0; row < 1000; row++) {
    const first = places.take(100)
    const { array } = places
    array.fill(row, first, first + 100)
    taken.push({ array, first })
  }
  for (const [row, { array, first }] of taken.entries()) {
    assert.deepEqual(new Set(array.subarray(first, first + 100)), new Set([row]))
  }
})

test('a row that needs more places than the array has gets them', () => {
  const places = new RowPlaces()
  const first = places.take(1_000_000)
  assert.ok(first + 1_000_000 <= places.array.length)
})

test('recycle reuses the array, but does not keep one that an unusually wide table needed', () => {
  const places = new RowPlaces()
  const usual = places.array.length
  assert.equal(places.take(10), 0)
  places.recycle()
  assert.equal(places.take(10), 0)
  places.take(10_000_000)
  places.recycle()
  assert.equal(places.array.length, usual)
})

test('a row that is kept after its poll throws when it is read, and its text is poisoned', () => {
  const places = new RowPlaces()
  const first = places.take(2)
  places.array.set([0, 2], first)
  places.texts.utf8('{"a":1}')
  const text = places.texts.bytes.subarray(0, 7)
  const cells = places.cells(Buffer.from('ab'), first)
  assert.equal(cells.places[first + 1], 2)
  places.recycle()
  for (const read of [() => cells.bytes, () => cells.places, () => cells.texts]) {
    assert.throws(read, { name: 'PoisonedError', message: /^A raw row is used after its poll is over/ })
  }
  assert.equal(text.toString('hex'), 'a5'.repeat(7))
})
