import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lengthExtensionBytes, writeLengthExtension } from './lz4-length.ts'

// Values of lz4_Block_format.md: 48 literals are 15 and a byte of 33; 280 are 15, 255 and 10; 15 are 15 and a zero.
const LENGTHS: readonly (readonly [length: number, bytes: readonly number[]])[] = [
  [0, []],
  [14, []],
  [15, [0]],
  [48, [33]],
  [269, [254]],
  [270, [255, 0]],
  [280, [255, 10]],
  [525, [255, 255, 0]],
]

for (const [length, bytes] of LENGTHS) {
  test(`a length of ${length} takes ${bytes.length} bytes after the token`, () => {
    const target = Buffer.alloc(8, 0xee)

    assert.equal(lengthExtensionBytes(length), bytes.length)
    assert.equal(writeLengthExtension(target, 2, length), 2 + bytes.length)
    assert.deepEqual([...target], [0xee, 0xee, ...bytes, ...Buffer.alloc(6 - bytes.length, 0xee)])
  })
}
