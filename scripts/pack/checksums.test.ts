import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { crc32 as zlibCrc32 } from 'node:zlib'
import { crc32, crc32c, loadNative } from './checksums.ts'

// RFC 3720, B.4, and the check value of CRC catalogues for "123456789".
const KNOWN: readonly (readonly [name: string, bytes: Uint8Array, expected: number])[] = [
  ['32 bytes of zeroes', new Uint8Array(32), 0x8a9136aa],
  ['32 bytes of ones', new Uint8Array(32).fill(0xff), 0x62a8ab43],
  ['0 to 31', Uint8Array.from({ length: 32 }, (_, i) => i), 0x46dd794e],
  ['31 to 0', Uint8Array.from({ length: 32 }, (_, i) => 31 - i), 0x113fdb5c],
  ['the digits', Buffer.from('123456789'), 0xe3069283],
]

const INSTALLED = pathToFileURL(`${import.meta.dirname}/../../node_modules/@node-rs/crc32-linux-x64-gnu/`)

test('without an addon the checksums are computed by WebAssembly and zlib', () => {
  assert.equal(loadNative(new URL('./native/', import.meta.url)), null)
  for (const [name, bytes, expected] of KNOWN) assert.equal(crc32c(bytes), expected, name)
  for (const [name, bytes] of KNOWN) assert.equal(crc32(bytes), zlibCrc32(bytes), name)
})

test('the addon for this machine is loaded', () => {
  const native = loadNative(INSTALLED)
  assert.ok(native !== null)
  for (const [name, bytes, expected] of KNOWN) assert.equal(native.crc32c(bytes), expected, name)
  for (const [name, bytes] of KNOWN) assert.equal(native.crc32(bytes), zlibCrc32(bytes), name)
})
