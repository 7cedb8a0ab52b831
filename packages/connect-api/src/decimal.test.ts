import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Decimal } from './decimal.ts'

// Printed by java.math.BigInteger.toByteArray (Java 17).
const bytes = [
  ['0', '00'],
  ['1', '01'],
  ['-1', 'ff'],
  ['127', '7f'],
  ['128', '0080'],
  ['-128', '80'],
  ['-129', 'ff7f'],
  ['255', '00ff'],
  ['256', '0100'],
  ['32767', '7fff'],
  ['32768', '008000'],
  ['-32768', '8000'],
  ['-32769', 'ff7fff'],
  ['8388607', '7fffff'],
  ['8388608', '00800000'],
  ['2147483647', '7fffffff'],
  ['2147483648', '0080000000'],
  ['-2147483648', '80000000'],
  ['-2147483649', 'ff7fffffff'],
  ['549755813887', '7fffffffff'],
  ['549755813888', '008000000000'],
  ['-549755813888', '8000000000'],
  ['-549755813889', 'ff7fffffffff'],
  ['140737488355327', '7fffffffffff'],
  ['140737488355328', '00800000000000'],
  ['-140737488355328', '800000000000'],
  ['-140737488355329', 'ff7fffffffffff'],
  ['9007199254740991', '1fffffffffffff'],
  ['-9007199254740991', 'e0000000000001'],
  ['9007199254740992', '20000000000000'],
  ['9223372036854775807', '7fffffffffffffff'],
  ['9223372036854775808', '008000000000000000'],
  ['-9223372036854775808', '8000000000000000'],
  ['-9223372036854775809', 'ff7fffffffffffffff'],
  ['18446744073709551615', '00ffffffffffffffff'],
  [
    '12345678901234567890123456789012345678901234567890123456789012345',
    '1e02bc1e97858bdc6cb95058f342547ff7605ccc02bc74f1e2df79',
  ],
  [
    '-99999999999999999999999999999999999999999999999999999999999999999',
    'ff0ce9d8e3803c6f757410b9b1c6ba1085dac9f60000000000000001',
  ],
] as const

test('bytes are those of Java’s BigInteger, from a bigint and from a number', () => {
  for (const [digits, hex] of bytes) {
    assert.equal(Buffer.from(new Decimal(BigInt(digits), 2).toBytes()).toString('hex'), hex, digits)
    if (!Number.isSafeInteger(Number(digits))) continue
    assert.equal(Buffer.from(new Decimal(Number(digits), 2).toBytes()).toString('hex'), hex, digits)
  }
})

// Printed by java.math.BigDecimal.toPlainString (Java 17).
const texts = [
  [0n, 0, '0'],
  [0n, 2, '0.00'],
  [5n, 0, '5'],
  [-5n, 0, '-5'],
  [5n, 1, '0.5'],
  [-5n, 1, '-0.5'],
  [5n, 3, '0.005'],
  [-123n, 2, '-1.23'],
  [12345678901234567890n, 10, '1234567890.1234567890'],
  [-1n, 30, '-0.000000000000000000000000000001'],
  [12n, -3, '12000'],
  [0n, -3, '0'],
] as const

test('the text is plain, with all digits of the scale', () => {
  for (const [unscaled, scale, text] of texts) {
    assert.equal(new Decimal(unscaled, scale).toString(), text)
    if (unscaled < 2n ** 53n) assert.equal(new Decimal(Number(unscaled), scale).toString(), text)
  }
})
