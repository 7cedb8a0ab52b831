import assert from 'node:assert/strict'
import { test } from 'node:test'
import { varintBytes, writeVarint } from './varint.ts'

/** Values and their bytes by the Protocol Buffers rule for sint64, from a Python one-liner over unlimited integers. */
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

test('writes zigzag varints and says their length', () => {
  for (const [value, hex] of table) {
    const bytes = Buffer.alloc(10)
    const end = writeVarint(bytes, 0, value)
    assert.equal(bytes.subarray(0, end).toString('hex'), hex, String(value))
    assert.equal(varintBytes(value), end, String(value))
  }
})
