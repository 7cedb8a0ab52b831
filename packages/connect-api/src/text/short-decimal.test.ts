import { ByteWriter } from '@tributary/support'
import fc from 'fast-check'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { doubleText, floatText, writeDouble, writeFloat } from './java-number.ts'
import { writeShortDecimal } from './short-decimal.ts'

function written(write: (value: number, out: ByteWriter) => unknown, value: number): string {
  const out = new ByteWriter(0)
  write(value, out)
  return out.copy().toString()
}

/** Decimals as people type them: up to seventeen digits, the point anywhere. */
const typed = fc
  .tuple(fc.bigInt({ min: -(10n ** 17n), max: 10n ** 17n }), fc.nat(17), fc.nat(16))
  .map(([digits, places, fewer]) => Number(`${digits / 10n ** BigInt(fewer)}e-${places}`))

const doubles = fc.oneof(
  typed,
  fc.double({ min: -1e7, max: 1e7, noNaN: true }),
  fc.double({ noNaN: true }),
  fc.constantFrom(0, -0, 1e-3, 9.99e-4, 1e7, 9_999_999.75, 0.1 + 0.2, 1 / 3, 2 ** -10, 123456.7),
)

test('a double is written as Java prints it, short or not', () => {
  fc.assert(
    fc.property(doubles, (value) => assert.equal(written(writeDouble, value), doubleText(value))),
    { numRuns: 20_000 },
  )
})

test('a float is written as Java prints it, short or not', () => {
  fc.assert(
    fc.property(doubles.map(Math.fround), (value) => assert.equal(written(writeFloat, value), floatText(value))),
    { numRuns: 20_000 },
  )
})

test('a decimal of up to fifteen digits is written as JavaScript prints it; for a longer one nothing is written', () => {
  fc.assert(
    fc.property(doubles, (value) => {
      const size = Math.abs(value)
      const text = String(value)
      const digits = text.replace(/^-?0*\.?0*/, '').replace('.', '').length
      const isShort = size >= 1e-3 && size < 1e7 && digits <= 15
      const expected = isShort ? `${text}${text.includes('.') ? '' : '.0'}` : ''
      assert.equal(written(writeShortDecimal, value), expected)
    }),
    { numRuns: 20_000 },
  )
})
