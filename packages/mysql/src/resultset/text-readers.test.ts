import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ColumnTarget } from '../values/column-target.ts'
import { textReader } from './text-readers.ts'

function read<T>(target: ColumnTarget<T>, text: string): T {
  const bytes = Buffer.from(`9${text}9`)
  return textReader(target)(bytes, 1, bytes.length - 1)
}

test('a double equals its text, to the last bit', () => {
  const texts = [
    '0',
    '-0',
    '0.1',
    '-0.5',
    '.5',
    '1.',
    '123456789012345',
    '12345678901234.5',
    '0.000000000000001',
    '-0.00000000001',
  ]
  texts.push(
    '1e3',
    '1.5e-10',
    '-2.5E+300',
    '1234567890.1234567',
    '0.30000000000000004',
    '5e-324',
    '1.7976931348623157e308',
  )
  // Numbers of up to 17 digits with the decimal point anywhere, from a fixed rule.
  for (let n = 1, i = 0; i < 20_000; i++) {
    n = (n * 48_271) % 2_147_483_647
    const digits = `${n}${(n * 31) % 10_000_019}`.slice(0, 1 + (n % 17))
    const point = n % (digits.length + 1)
    texts.push(`${n % 2 === 0 ? '-' : ''}${digits.slice(0, point)}.${digits.slice(point)}`)
  }
  for (const text of texts) {
    if (text.replace('-', '') === '.') continue
    assert.ok(Object.is(read({ kind: 'double', of: null }, text), Number(text)), text)
  }
})

test('a decimal is its digits and the number of them after the point', () => {
  const target: ColumnTarget<string> = { kind: 'decimal', of: (unscaled, scale) => `${unscaled} ${scale}` }
  for (const [text, expected] of [
    ['0', '0 0'],
    ['-0.00', '0 2'],
    ['-12.05', '-1205 2'],
    ['123456789012345', '123456789012345 0'],
    ['1234567890123.45', '123456789012345 2'],
    ['12345678901234567890.1234567890', '123456789012345678901234567890 10'],
    ['-99999999999999999999', '-99999999999999999999 0'],
  ] as const) {
    assert.equal(read(target, text), expected)
  }
})

test('fractions of times are microseconds, with any number of digits', () => {
  const time: ColumnTarget<number> = { kind: 'time', of: (micros) => micros }
  assert.equal(read(time, '-838:59:59'), -3_020_399_000_000)
  assert.equal(read(time, '00:00:00.1'), 100_000)
  assert.equal(read(time, '01:02:03.000045'), 3_723_000_045)
  const datetime: ColumnTarget<string> = { kind: 'datetime', of: (date, micros) => `${date} ${micros}` }
  assert.equal(read(datetime, '9999-12-31 23:59:59.987'), '99991231 86399987000')
  assert.equal(read(datetime, '0000-00-00 00:00:00'), '0 0')
})

test('texts that no server sends for a type are errors, and end', () => {
  assert.throws(() => read({ kind: 'time', of: String }, 'noon'), RangeError)
  assert.throws(
    () => read({ kind: 'integer', isUnsigned: false, of: String }, 'many more digits than that'),
    RangeError,
  )
  assert.throws(() => read({ kind: 'decimal', of: String }, 'many more digits.than that'), RangeError)
})
