import assert from 'node:assert/strict'
import { test } from 'node:test'
import { varintBytes, writeVarint } from './varint.ts'

/** Values and their bytes as sint64 of Protocol Buffers, computed by a Python one-liner with unlimited integers. */
const table: readonly (readonly [number, string])[] = [
  [0, '00'],
  [-1, '01'],
  [1, '02'],
  [63, '7e'],
  [-64, '7f'],
  [64, '8001'],
  [-65, '8101'],
  [300, 'd804'],
  [0x3fff_ffff, 'feffffff07'],
  [0x4000_0000, '8080808008'],
  [-0x4000_0000, 'ffffffff07'],
  [1_763_718_000_000, '80b6c7dcd466'],
  [-1_763_718_000_000, 'ffb5c7dcd466'],
]

test('zigzag varints are written, and their size is computed', () => {
  for (const [value, hex] of table) {
    const bytes = Buffer.alloc(10)
    const end = writeVarint(bytes, 0, value)
    assert.equal(bytes.subarray(0, end).toString('hex'), hex, String(value))
    assert.equal(varintBytes(value), end, String(value))
  }
})
