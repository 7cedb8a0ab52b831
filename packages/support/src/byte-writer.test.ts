import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ByteRun, ByteWriter } from './byte-writer.ts'

/** The bytes that `write` appends: at the start of a large writer, and after other bytes in one that must grow. */
function written(write: (out: ByteWriter) => void): Buffer {
  const roomy = new ByteWriter()
  write(roomy)
  const tight = new ByteWriter(1)
  tight.byte(0x21)
  write(tight)
  assert.deepEqual(tight.copy(1), roomy.copy())
  assert.equal(tight.copy()[0], 0x21)
  return roomy.copy()
}

const lengths = [0, 1, 3, 4, 5, 39, 40, 41, 1000]
function bytesOf(length: number): Buffer {
  return Buffer.from(Array.from({ length }, (_, index) => (index * 7 + 1) % 256))
}

test('bytes of any length are appended', () => {
  for (const length of lengths) {
    const bytes = bytesOf(length)
    assert.deepEqual(
      written((out) => out.write(bytes)),
      bytes,
    )
  }
})

test('a range of bytes is appended', () => {
  const source = bytesOf(2000)
  for (const length of lengths) {
    assert.deepEqual(
      written((out) => out.writeRange(source, 10, 10 + length)),
      source.subarray(10, 10 + length),
    )
  }
})

test('a run is appended, and the next write overwrites the excess of its last word', () => {
  for (const text of ['', 'a', 'ab', 'abc', 'abcd', 'abcde', ',"file":"mysql-bin.000003"', 'é€😀']) {
    const run = new ByteRun(text)
    assert.equal(run.length, Buffer.byteLength(text))
    const twice = written((out) => {
      out.run(run)
      out.byte(0x7c)
      out.run(run)
    })
    assert.equal(twice.toString(), `${text}|${text}`)
  }
})

test('text is appended as ASCII and as UTF-8', () => {
  assert.equal(written((out) => out.ascii('plain text')).toString(), 'plain text')
  for (const text of ['', 'plain', 'é', '世界', '😀', 'x'.repeat(5000), '世'.repeat(5000)]) {
    assert.deepEqual(
      written((out) => out.utf8(text)),
      Buffer.from(text),
    )
  }
})

// For the first two a multiplication by 10^-9 is one too large.
const integers = [
  9_007_198_999_999_999,
  9_007_000_999_999_999,
  0,
  1,
  9,
  42,
  2 ** 31 - 1,
  2 ** 31,
  2 ** 32,
  2 ** 53 - 1,
  1_724_500_000_123_456,
]
for (let power = 1; power <= 15; power++) integers.push(10 ** power - 1, 10 ** power, 10 ** power + 1)
test('whole numbers are appended in decimal digits, up to ±2^53', () => {
  for (const value of integers) {
    assert.equal(written((out) => out.integer(value)).toString(), String(value))
    assert.equal(written((out) => out.integer(-value)).toString(), value === 0 ? '0' : String(-value))
  }
  fc.assert(fc.property(fc.maxSafeInteger(), (value) => written((out) => out.integer(value)).toString() === `${value}`))
})

test('64-bit whole numbers are appended in decimal digits', () => {
  const values = [
    0n,
    2n ** 53n,
    2n ** 63n - 1n,
    -(2n ** 63n),
    999_999_999n,
    -1_000_000_000n,
    1_724_500_000_123_456_789n,
  ]
  for (let power = 0n; power < 63n; power++) values.push(1n << power, -(1n << power), (1n << power) - 1n)
  for (let power = 0n; power < 19n; power++) values.push(10n ** power, -(10n ** power), 10n ** power - 1n)
  for (const value of values) assert.equal(written((out) => out.integer64(value)).toString(), String(value))
  const any = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
  fc.assert(fc.property(any, (value) => written((out) => out.integer64(value)).toString() === `${value}`))
  // The quotient is corrected at multiples of 10^9 and their neighbours.
  const quotients = fc.tuple(fc.bigInt({ min: 0n, max: 9_223_372_035n }), fc.constantFrom(-1n, 0n, 1n))
  fc.assert(
    fc.property(quotients, ([quotient, step]) => {
      const value = quotient * 1_000_000_000n + step
      return written((out) => out.integer64(value)).toString() === `${value}`
    }),
  )
})

test('padded numbers have exactly their width', () => {
  for (const width of [1, 2, 3, 4, 5, 6, 7, 8, 9]) {
    for (const value of [0, 7, 10 ** width - 1]) {
      assert.equal(written((out) => out.paddedInteger(value, width)).toString(), String(value).padStart(width, '0'))
    }
  }
})

test('binary integers are big-endian two’s complement', () => {
  const bytes = written((out) => {
    out.int8(-2)
    out.int16(-2)
    out.int32(-2)
    out.int64(-2n)
    out.int64(0x0102_0304_0506_0708n)
  })
  assert.equal(bytes.toString('hex'), `fe${'fffe'}${'fffffffe'}${'fffffffffffffffe'}0102030405060708`)
})

test('a copy does not change when the writer is reused', () => {
  const out = new ByteWriter()
  out.ascii('first')
  const copy = out.copy()
  out.reset()
  out.ascii('other')

  assert.equal(copy.toString(), 'first')
  assert.equal(out.copy().toString(), 'other')
  assert.equal(out.copy(2).toString(), 'her')
})

test('a writer without initial room grows', () => {
  const out = new ByteWriter(0)
  out.ascii('text')

  assert.equal(out.copy().toString(), 'text')
})

test('growing keeps the content and makes at least the requested room', () => {
  const out = new ByteWriter(8)
  out.ascii('kept')
  out.reserve(100_000)

  assert.ok(out.bytes.length >= 100_004)
  assert.equal(out.view.byteLength, out.bytes.length)
  assert.equal(out.copy().toString(), 'kept')
})

test('reserving available room does not replace the buffer', () => {
  const out = new ByteWriter(100)
  const { bytes } = out
  out.reserve(100)

  assert.equal(out.bytes, bytes)
})

test('a writer that has outgrown its initial buffer returns to it when the content has room there', () => {
  const room = Buffer.alloc(100)
  const out = new ByteWriter(room)
  out.ascii('x'.repeat(150))
  out.reset()
  assert.notEqual(out.bytes, room)
  out.ascii('short')
  out.reset()
  assert.equal(out.bytes, room)
  out.integer(-12_345)
  assert.equal(out.copy().toString(), '-12345')
  assert.equal(room.toString('latin1', 0, 6), '-12345')
})
