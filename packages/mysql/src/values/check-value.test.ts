import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkValue } from './check-value.ts'

function check(kind: 'geometry' | 'vector', hex: string): void {
  const bytes = Buffer.from(hex.replaceAll(' ', ''), 'hex')
  // The bytes of the next value follow.
  checkValue(kind, Buffer.concat([bytes, Buffer.alloc(30, 1)]), 0, bytes.length)
}

test('spatial values: SRID, byte order, type, and the 16 bytes of a point', () => {
  check('geometry', '')
  check('geometry', '00000000 01 01000000 000000000000f03f 00000000000004c0')
  check('geometry', 'e6100000 00 00000001 3ff0000000000000 c004000000000000')
  check('geometry', '00000000 01 07000000 00000000')
  for (const hex of [
    '00',
    '00000000 01 07000000 000000',
    '00000000 02 07000000 00000000',
    '00000000 01 01000000 000000000000f03f',
    '00000000 01 01000000 000000000000f03f 00000000000004c0 00',
  ]) {
    assert.throws(() => check('geometry', hex), RangeError, hex)
  }
})

test('vectors: four bytes for each dimension', () => {
  check('vector', '')
  check('vector', '0000803f 00002040')
  for (const hex of ['00', '0000803f 000020']) assert.throws(() => check('vector', hex), RangeError, hex)
})
