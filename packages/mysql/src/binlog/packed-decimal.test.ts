import { ByteWriter } from '@tributary/support'
import fc from 'fast-check'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PackedDecimal } from './packed-decimal.ts'

/** Encodes a DECIMAL from its digits as text, as the comment of decimal2bin describes. */
function packed(unscaled: bigint, precision: number, scale: number): Buffer {
  const digits = String(unscaled < 0n ? -unscaled : unscaled).padStart(precision, '0')
  const whole = digits.slice(0, precision - scale)
  const fraction = digits.slice(precision - scale)
  const runs = [
    whole.slice(0, whole.length % 9),
    ...(whole.slice(whole.length % 9).match(/.{9}/g) ?? []),
    ...(fraction.match(/.{1,9}/g) ?? []),
  ].filter((run) => run !== '')
  const bytes = Buffer.concat(
    runs.map((run) => {
      // Manual, "Precision Math", DECIMAL characteristics: two digits per byte, but nine in four bytes.
      const length = run.length === 9 ? 4 : Math.ceil(run.length / 2)
      const group = Buffer.alloc(length)
      group.writeUIntBE(Number(run), 0, length)
      return group
    }),
  )
  bytes[0] = (bytes[0] as number) ^ 0x80
  return unscaled < 0n ? Buffer.from(bytes.map((byte) => byte ^ 0xff)) : bytes
}

function twosComplement(value: bigint): string {
  let length = 1
  while (BigInt.asIntN(8 * length, value) !== value) length += 1
  return BigInt.asUintN(8 * length, value)
    .toString(16)
    .padStart(2 * length, '0')
}

/** Converts in a buffer with other bytes before the value, which must not matter, nor must the target's old content. */
function unscaledHex(decimal: PackedDecimal, bytes: Buffer): string {
  const target = new Uint8Array(28).fill(0xaa)
  const length = decimal.putUnscaled(Buffer.concat([Buffer.of(0xff), bytes, Buffer.of(0xff)]), 1, target)
  return Buffer.from(target.subarray(0, length)).toString('hex')
}

function printed(decimal: PackedDecimal, bytes: Buffer): string {
  const out = new ByteWriter(0)
  out.byte(0x3d)
  decimal.print(Buffer.concat([Buffer.of(0xff), bytes, Buffer.of(0xff)]), 1, out)
  return out.copy(1).toString()
}

const decimals = fc
  .tuple(fc.integer({ min: 1, max: 65 }), fc.nat(30))
  .map(([precision, scale]) => ({ precision, scale: Math.min(precision, scale) }))
  .chain(({ precision, scale }) =>
    fc.record({
      precision: fc.constant(precision),
      scale: fc.constant(scale),
      unscaled: fc.oneof(
        fc.bigInt({ min: -(10n ** BigInt(precision)) + 1n, max: 10n ** BigInt(precision) - 1n }),
        // Values around those where the result needs one more byte or limb.
        fc
          .tuple(fc.nat(215), fc.integer({ min: -2, max: 2 }), fc.constantFrom(1n, -1n))
          .map(([bits, more, sign]) => (sign * ((1n << BigInt(bits)) + BigInt(more))) % 10n ** BigInt(precision)),
      ),
    }),
  )

test('the bytes equal the example in the comment of decimal2bin', () => {
  // strings/decimal.cc: 1234567890.1234 as DECIMAL(14,4).
  const decimal = new PackedDecimal(14, 4)
  assert.equal(printed(decimal, Buffer.from('810dfb38d204d2', 'hex')), '1234567890.1234')
  assert.equal(printed(decimal, Buffer.from('7ef204c72dfb2d', 'hex')), '-1234567890.1234')
  assert.equal(unscaledHex(decimal, Buffer.from('810dfb38d204d2', 'hex')), '0b3a73ce2ff2')
  assert.equal(unscaledHex(decimal, Buffer.from('7ef204c72dfb2d', 'hex')), 'f4c58c31d00e')
})

test('the unscaled value equals that of the digits, in the fewest bytes', () => {
  fc.assert(
    fc.property(decimals, ({ precision, scale, unscaled }) => {
      const bytes = packed(unscaled, precision, scale)
      assert.equal(unscaledHex(new PackedDecimal(precision, scale), bytes), twosComplement(unscaled))
    }),
    { numRuns: 2000 },
  )
})

test('the text has all digits after the point and no leading zeros', () => {
  fc.assert(
    fc.property(decimals, ({ precision, scale, unscaled }) => {
      const digits = String(unscaled < 0n ? -unscaled : unscaled).padStart(scale + 1, '0')
      const point = digits.length - scale
      const expected = `${unscaled < 0n ? '-' : ''}${digits.slice(0, point)}${scale > 0 ? '.' : ''}${digits.slice(point)}`
      assert.equal(printed(new PackedDecimal(precision, scale), packed(unscaled, precision, scale)), expected)
    }),
    { numRuns: 2000 },
  )
})

test('a zero with the sign of a negative number is zero', () => {
  for (const [precision, scale, text] of [
    [5, 0, '0'],
    [5, 2, '0.00'],
    [5, 5, '0.00000'],
    [30, 10, '0.0000000000'],
  ] as const) {
    const negative = Buffer.from(packed(0n, precision, scale).map((byte) => byte ^ 0xff))
    const decimal = new PackedDecimal(precision, scale)
    assert.equal(printed(decimal, negative), text)
    assert.equal(unscaledHex(decimal, negative), '00')
  }
})
