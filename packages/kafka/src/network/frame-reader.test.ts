import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FrameReader } from './frame-reader.ts'

/** The size in four bytes, then that many bytes of the digit. */
function frame(size: number, digit: string): Buffer {
  const bytes = Buffer.alloc(4 + size, digit)
  bytes.writeInt32BE(size, 0)
  return bytes
}

test('the frames do not depend on how the bytes are chunked', () => {
  const sizes = [4, 5, 300, 4, 70_000, 9]
  const stream = Buffer.concat(sizes.map((size, i) => frame(size, String(i))))
  for (const step of [1, 2, 3, 7, 1000, 65_536, stream.length]) {
    const reader = new FrameReader(() => 100_000)
    const frames: Buffer[] = []
    for (let at = 0; at < stream.length; at += step) frames.push(...reader.push(stream.subarray(at, at + step)))

    assert.deepEqual(
      frames,
      sizes.map((size, i) => Buffer.alloc(size, String(i))),
      `step ${step}`,
    )
  }
})

test('a size that no response has is an error', () => {
  for (const start of [
    'HTTP/1.1 400',
    '\u0015\u0003\u0003\u0000\u0002',
    '\u0000\u0000\u0000\u0003abc',
    '\u00ff\u00ff\u00ff\u00ff',
  ]) {
    const reader = new FrameReader(() => 2 ** 28)
    assert.throws(() => reader.push(Buffer.from(start, 'latin1')), RangeError, start)
  }
})
