import assert from 'node:assert/strict'
import { test } from 'node:test'
import { textTarget } from '../testing/text-targets.ts'
import { BinaryRowCodec } from './binary-row-codec.ts'
import { FIELD_TYPE, type ResultColumn } from './column-definition.ts'

// column-values.server.test.ts compares values of every type with the server's; this file tests the form of rows.

function column(type: number): ResultColumn {
  return { name: 'c', type, collation: 63, isUnsigned: false, isEnum: false, isSet: false, decimals: 0 }
}

/** An INT into the second value, a VARCHAR that is skipped, a DATE that is skipped, and a VARCHAR into the first. */
const codec = new BinaryRowCodec(
  [
    { column: column(FIELD_TYPE.long), into: { index: 1, target: textTarget('integer'), labels: null } },
    { column: column(253), into: null },
    { column: column(FIELD_TYPE.date), into: null },
    { column: column(253), into: { index: 0, target: textTarget('text'), labels: null } },
  ],
  3,
)

/** Header · NULL bits · -7 · "xy" · 2024-02-29 · "é". */
const ROW = Buffer.from('00' + '00' + 'f9ffffff' + '027879' + '04e807021d' + '02c3a9', 'hex')

test('values have the places of their columns; others are skipped, and a place without a column is null', () => {
  const bytes = Buffer.concat([Buffer.from('before'), ROW, Buffer.from('after')])
  assert.deepEqual(codec.read(bytes, 6, 6 + ROW.length), ['é', '-7', null])
})

test('NULL has a bit and no value', () => {
  // Bits 2, 4 and 5: the first, third and fourth column.
  const row = Buffer.from('00' + '34' + '027879', 'hex')
  assert.deepEqual(codec.read(row, 0, row.length), [null, null, null])
})

test('a row that is cut at any byte, or longer than its values, is refused', () => {
  for (let length = 0; length < ROW.length; length++) {
    const cut = ROW.subarray(0, length)
    assert.throws(() => codec.read(cut, 0, cut.length), RangeError, `${length} bytes`)
    // The bytes of the next packet follow in the same buffer.
    assert.throws(() => codec.read(ROW, 0, length), RangeError, `${length} bytes of a longer buffer`)
  }
  const longer = Buffer.concat([ROW, Buffer.from([0])])
  assert.throws(() => codec.read(longer, 0, longer.length), RangeError)
})

test('a column of NULL without a bit is refused', () => {
  const none = new BinaryRowCodec([{ column: column(FIELD_TYPE.null), into: null }], 1)
  assert.deepEqual(none.read(Buffer.from([0, 4]), 0, 2), [null])
  assert.throws(() => none.read(Buffer.from([0, 0]), 0, 2), RangeError)
})

test('a text that is longer than all bytes is refused before it is read', () => {
  const codecOfText = new BinaryRowCodec(
    [{ column: column(253), into: { index: 0, target: textTarget('json'), labels: null } }],
    1,
  )
  // Header · NULL bits · int<lenenc> 2^40
  const row = Buffer.from('00' + '00' + 'fe0000000000010000', 'hex')
  assert.throws(() => codecOfText.read(row, 0, row.length), RangeError)
})
