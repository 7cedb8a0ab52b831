import assert from 'node:assert/strict'
import { test } from 'node:test'
import { KEY, KeyMap } from './key-map.ts'

/** Pseudo-random numbers of 32 bits (xorshift). */
function numbers(seed: number): () => number {
  let state = seed
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return state >>> 0
  }
}

test('keeps what a Map keeps, while it grows and forgets', () => {
  const next = numbers(20261125)
  const map = new KeyMap()
  const expected = new Map<string, number>()
  const keys = Array.from({ length: 20_000 }, () => ({ low: next(), high: next() }))
  for (const [i, key] of [...keys, ...keys.slice(0, 5_000)].entries()) {
    map.add(key)
    const isLive = next() % 3 !== 0
    map.part.flags[map.slot] = ((map.part.flags[map.slot] ?? 0) & ~KEY.live) | (isLive ? KEY.live : 0)
    map.part.rowLow[map.slot] = i
    if (isLive) expected.set(`${key.low} ${key.high}`, i)
    else expected.delete(`${key.low} ${key.high}`)
  }
  map.retain((low) => low % 2 === 0)
  const found = new Map<string, number>()
  for (const key of keys) {
    if (!map.find(key) || ((map.part.flags[map.slot] ?? 0) & KEY.live) === 0) continue
    found.set(`${key.low} ${key.high}`, map.part.rowLow[map.slot] ?? -1)
  }
  const kept = [...expected].filter(([key]) => Number(key.split(' ')[0]) % 2 === 0)
  assert.ok(kept.length > 5_000)
  assert.deepEqual(found, new Map(kept))
})
