import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deflateRawSync, deflateSync } from 'node:zlib'
import { ByteWriter } from '@tributary/support'
import { seededRandom } from '@tributary/testkit'
import { ColumnTypeCode, type WireColumn } from './column-type.ts'
import { writeUncompressed } from './compressed-value.ts'

// tests/conformance/all-types.server.test.ts compares values that a server wrote; these are of both forms of its streams.

const TEXT: WireColumn = { type: ColumnTypeCode.compressedBlob, meta: 2 }
const VARCHAR: WireColumn = { type: ColumnTypeCode.compressedVarchar, meta: 501 }

function valueOf(hex: string | Buffer, column: WireColumn = TEXT): Buffer {
  const bytes = Buffer.isBuffer(hex) ? hex : Buffer.from(hex.replaceAll(' ', ''), 'hex')
  const out = new ByteWriter()
  writeUncompressed(bytes, { start: 0, end: bytes.length }, column, out)
  return out.copy()
}

test('values without compression, with a whole zlib stream, and with a raw one', () => {
  assert.equal(valueOf('').length, 0)
  assert.equal(valueOf('00 6162').toString(), 'ab')
  const long = Buffer.alloc(300, 'a')
  assert.deepEqual(valueOf(Buffer.concat([Buffer.from('82012c', 'hex'), deflateSync(long)])), long)
  assert.deepEqual(valueOf(Buffer.concat([Buffer.from('8a012c', 'hex'), deflateRawSync(long)])), long)
})

test('impossible values are errors', () => {
  const stream = deflateSync(Buffer.alloc(300, 'a'))
  const cases: readonly (readonly [bytes: Buffer, reason: RegExp, column?: WireColumn])[] = [
    [Buffer.from('10aa', 'hex'), /method 1, which is not known/],
    [Buffer.from('80aa', 'hex'), /has no length/],
    [Buffer.from('85aabbccddee00', 'hex'), /has no length/],
    [Buffer.from('82', 'hex'), /has no length/],
    [Buffer.concat([Buffer.from('840fffffff', 'hex'), stream]), /declares 268435455 bytes, more than its column/],
    [Buffer.concat([Buffer.from('8201f5', 'hex'), stream]), /declares 501 bytes, more than its column/, VARCHAR],
    [Buffer.concat([Buffer.from('82012b', 'hex'), stream]), /cannot be decompressed/],
    [Buffer.concat([Buffer.from('82012d', 'hex'), stream]), /declares 301 bytes and has 300/],
    [Buffer.concat([Buffer.from('82012c', 'hex'), stream.subarray(0, -3)]), /cannot be decompressed/],
    [Buffer.concat([Buffer.from('8a012c', 'hex'), stream]), /cannot be decompressed/],
  ]
  for (const [bytes, reason, column] of cases) {
    assert.throws(
      () => valueOf(bytes, column),
      (error) => error instanceof RangeError && reason.test(error.message),
      bytes.toString('hex'),
    )
  }
})

test('a small stream of a large value needs no more memory than the column allows', () => {
  const bomb = Buffer.concat([Buffer.from('83ffffff', 'hex'), deflateSync(Buffer.alloc(0xff_ffff))])
  assert.throws(() => valueOf(bomb), /declares 16777215 bytes, more than its column can have/)
})

test('random bytes are a value or an error', () => {
  const random = seededRandom()
  const whole = Buffer.concat([Buffer.from('82012c', 'hex'), deflateSync(Buffer.alloc(300, 'ab'))])
  for (let i = 0; i < 20_000; i++) {
    const bytes = i % 2 === 0 ? random.bytes(random.integer(1, 40)) : Buffer.from(whole)
    bytes[random.integer(0, bytes.length)] = random.integer(0, 256)
    try {
      assert.ok(valueOf(bytes).length <= 65_535)
    } catch (error) {
      assert.ok(error instanceof RangeError, String(error))
    }
  }
})
