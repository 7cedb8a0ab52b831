import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { murmur2, partitionForKey, partitionForPart } from './murmur2.ts'

/** Made by fixtures/Murmur2Vectors.java with kafka-clients 4.3.1. */
const vectors = JSON.parse(
  readFileSync(new URL('../../fixtures/murmur2.json', import.meta.url), 'utf8'),
) as readonly (readonly [string, number])[]

test('gives the hash of the Java client for keys of all lengths', () => {
  for (const [base64, expected] of vectors) {
    const key = Buffer.from(base64, 'base64')
    assert.equal(murmur2(Buffer.alloc(0), key, 0, key.length), expected, base64)
  }
})

test('gives the same hash wherever the key is cut into prefix and rest, and wherever the rest stands in its buffer', () => {
  for (const [base64, expected] of vectors.slice(0, 40)) {
    const key = Buffer.from(base64, 'base64')
    for (let cut = 0; cut <= key.length; cut++) {
      const buffer = Buffer.concat([Buffer.from('xyz'), key.subarray(cut), Buffer.from('behind')])
      assert.equal(murmur2(key.subarray(0, cut), buffer, 3, 3 + key.length - cut), expected, `${base64} cut at ${cut}`)
    }
  }
})

test('chooses the partition from the positive part of the hash', () => {
  for (const [base64, hash] of vectors) {
    const key = Buffer.from(base64, 'base64')
    // Java: Utils.toPositive(hash) % count, toPositive(n) = n & 0x7fffffff.
    const expected = Number(BigInt.asUintN(31, BigInt(hash))) % 6
    assert.equal(partitionForKey(key, 6), expected)
    assert.equal(
      partitionForPart({ prefix: key.subarray(0, 1), buffer: key, start: Math.min(1, key.length), end: key.length }, 6),
      expected,
    )
  }
})
