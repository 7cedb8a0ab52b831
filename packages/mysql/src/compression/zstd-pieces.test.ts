import assert from 'node:assert/strict'
import { test } from 'node:test'
import { constants, zstdCompressSync } from 'node:zlib'
import { ZstdPieces } from './zstd-pieces.ts'

const WINDOW_MAX = 2 ** 27
const limitedBy = 'a test'

/** Incompressible and repeated parts, so that there are blocks of all kinds. */
const TEXT = Buffer.concat([
  Buffer.from(Array.from({ length: 300_000 }, (_, i) => (i * i * 31 + (i >> 3) * 17) & 0xff)),
  Buffer.alloc(400_000, 'x'),
  Buffer.from('the end '.repeat(20_000)),
])

const { ZSTD_c_compressionLevel, ZSTD_c_checksumFlag, ZSTD_c_contentSizeFlag, ZSTD_c_windowLog } = constants
const FRAMES: Readonly<Record<string, Buffer>> = {
  'one byte': zstdCompressSync(Buffer.from('x')),
  nothing: zstdCompressSync(Buffer.alloc(0)),
  'a small value': zstdCompressSync(TEXT.subarray(0, 300)),
  'the fastest level': zstdCompressSync(TEXT, { params: { [ZSTD_c_compressionLevel]: -5 } }),
  'the highest level': zstdCompressSync(TEXT, { params: { [ZSTD_c_compressionLevel]: 22 } }),
  'a checksum': zstdCompressSync(TEXT, { params: { [ZSTD_c_checksumFlag]: 1 } }),
  'no size': zstdCompressSync(TEXT, { params: { [ZSTD_c_contentSizeFlag]: 0, [ZSTD_c_checksumFlag]: 1 } }),
  'several frames': Buffer.concat([
    zstdCompressSync(TEXT),
    zstdCompressSync(Buffer.from('more')),
    zstdCompressSync(TEXT),
  ]),
  // int<4> magic · int<4> size · that many bytes
  'a skippable frame': Buffer.concat([
    Buffer.from([0x53, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3]),
    zstdCompressSync(TEXT),
  ]),
}

function walk(bytes: Buffer, windowMax = WINDOW_MAX, end = bytes.length): number {
  const pieces = new ZstdPieces({ bytes, at: 0, end }, { windowBytesMax: windowMax, limitedBy })
  let count = 0
  for (; !pieces.isOver; count++) pieces.next()
  return count
}

for (const [what, bytes] of Object.entries(FRAMES)) {
  test(`data of libzstd is followed to its end: ${what}`, () => {
    // A block has at most 128 KiB.
    assert.ok(walk(bytes) >= 1)
    assert.equal(walk(Buffer.concat([Buffer.alloc(7), bytes]).subarray(7)), walk(bytes))
  })

  test(`data that ends early is an error: ${what}`, () => {
    const ends = Array.from({ length: 200 }, (_, i) => Math.floor((bytes.length * (i + 1)) / 201))
    const wholeFrames = new Set([
      0,
      zstdCompressSync(TEXT).length,
      zstdCompressSync(TEXT).length + zstdCompressSync(Buffer.from('more')).length,
      11,
    ])
    for (const end of ends) {
      if (wholeFrames.has(end)) continue
      assert.throws(() => walk(bytes, WINDOW_MAX, end), RangeError, `${end} of ${bytes.length}`)
    }
  })

  test(`bytes after the end are an error: ${what}`, () => {
    assert.throws(() => walk(Buffer.concat([bytes, Buffer.from([0])])), RangeError)
    assert.throws(() => walk(Buffer.concat([bytes, Buffer.from('trailing')])), RangeError)
  })
}

test('a window that needs more memory than permitted is an error that names both', () => {
  const bytes = zstdCompressSync(TEXT, { params: { [ZSTD_c_windowLog]: 19, [ZSTD_c_contentSizeFlag]: 0 } })
  assert.ok(walk(bytes, 2 ** 19) > 0)
  assert.throws(() => walk(bytes, 2 ** 19 - 1), {
    message: /window of 524288 bytes exceeds 524287, the limit of a test/,
  })
})

test('a frame of one segment cannot claim a size beyond the limit', () => {
  // int<4> magic · descriptor: size of eight bytes, single segment · size 2^60 · last block, raw, empty
  const bytes = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0xe0, 0, 0, 0, 0, 0, 0, 0, 0x10, 1, 0, 0])
  assert.throws(() => walk(bytes), { message: /its zstd window of 1152921504606847000 bytes exceeds/ })
})
