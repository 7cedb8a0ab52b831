import { Decimal, type ConnectValue, EncodedText } from '@tributary/connect-api'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isSameValue } from './same-value.ts'

test('values of a column are equal when their contents are, whichever object holds them', () => {
  const table: readonly (readonly [a: ConnectValue, b: ConnectValue, isSame: boolean])[] = [
    [1, 1, true],
    [1, 2, false],
    [2n ** 63n, 2n ** 63n, true],
    ['a', 'a', true],
    ['a', 'A', false],
    [null, null, true],
    [null, 0, false],
    ['', null, false],
    [Buffer.from([1, 2]), Buffer.from([1, 2]), true],
    [Buffer.from([1, 2]), Buffer.from([1]), false],
    [Buffer.from([]), Buffer.from([0]), false],
    [new Decimal(150n, 2), new Decimal(150n, 2), true],
    [new Decimal(150n, 2), new Decimal(151n, 2), false],
  ]
  for (const [at, [a, b, isSame]] of table.entries()) {
    assert.equal(isSameValue(a, b), isSame, `line ${at}`)
    assert.equal(isSameValue(b, a), isSame, `line ${at}, the other way round`)
  }
})

test('texts with different bytes are equal only in a charset that spells a text in several ways', () => {
  const textOf = (bytes: readonly number[], isLossy: boolean): EncodedText =>
    new EncodedText(Buffer.from(bytes), 0, bytes.length, {
      isAsciiCompatible: true,
      isUtf8: false,
      isLossy,
      decode: (buffer, start, end) => buffer.toString('latin1', start, end).replaceAll(/[\x80-\xff]/g, '?'),
    })
  assert.equal(isSameValue(textOf([0x61, 0x80], true), textOf([0x61, 0x81], true)), true)
  assert.equal(isSameValue(textOf([0x61, 0x80], true), textOf([0x62, 0x80], true)), false)
  assert.equal(isSameValue(textOf([0x61, 0x80], false), textOf([0x61, 0x81], false)), false)
})
