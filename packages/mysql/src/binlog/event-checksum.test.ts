import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crc32 } from 'node:zlib'
import { eventChecksum } from './event-checksum.ts'

test('the checksum is that of zlib for every length and place in the buffer', () => {
  const bytes = Buffer.from(Array.from({ length: 2000 }, (_, i) => (i * 167 + (i >> 3)) & 0xff))

  for (let length = 0; length < 600; length++) {
    const start = length % 5
    assert.equal(eventChecksum(bytes, start, start + length), crc32(bytes.subarray(start, start + length)))
  }
})
