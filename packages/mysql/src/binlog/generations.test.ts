import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Generations } from './generations.ts'

for (const { weight, least } of [
  { weight: 1, least: 1_000 },
  { weight: 5, least: 200 },
  { weight: 500, least: 20 },
]) {
  test(`of values of weight ${weight} the last ${least} are in the cache, and at most twice as many`, () => {
    const cache = new Generations<number, string>({ weightMax: 1_000, weightOf: () => weight, countMin: 20 })
    cache.add(0, 'used')
    const keys = Array.from({ length: 5 * least }, (_, i) => i + 1)

    for (const key of keys) {
      cache.add(key, String(key))
      assert.ok(
        cache.get(Math.max(1, key - least / 4)) !== undefined,
        `a recently used value is in the cache, at ${key}`,
      )
      assert.equal(cache.get(0), 'used', 'a value in use stays')
    }

    const kept = keys.filter((key) => cache.get(key) !== undefined)
    assert.ok(kept.length >= least && kept.length <= 2 * least, `${kept.length} are kept`)
  })
}

test('keys can have a weight, too', () => {
  const cache = new Generations<string, null>({ weightMax: 10, weightOf: (_, key) => key.length })
  for (const key of ['aaaaa', 'bbbbb', 'cccccccccc', 'd']) cache.add(key, null)
  assert.deepEqual(
    ['aaaaa', 'bbbbb', 'cccccccccc', 'd'].map((key) => cache.get(key)),
    [undefined, undefined, null, null],
  )
})

test('values used in turn all stay if there is room for them', () => {
  const cache = new Generations<number, number>({ weightMax: 1_000, weightOf: () => 5 })
  for (let key = 0; key < 200; key++) cache.add(key, key)
  for (let round = 0; round < 5; round++) {
    for (let key = 0; key < 200; key++) assert.equal(cache.get(key), key)
  }
})

test('after clear the cache is empty and has as much room as a new one', () => {
  const cache = new Generations<number, number>({ weightMax: 10, weightOf: () => 1 })
  for (let key = 0; key < 15; key++) cache.add(key, key)
  cache.clear()
  for (let key = 0; key < 15; key++) assert.equal(cache.get(key), undefined)
  for (let key = 0; key < 10; key++) cache.add(key, key)
  assert.equal(cache.get(0), 0)
})
