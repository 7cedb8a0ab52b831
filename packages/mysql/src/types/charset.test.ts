import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CodedError } from '@tributary/support'
import { charsetNamed, requireCharset } from './charset.ts'

test('a charset is found by any spelling of its name', () => {
  assert.equal(charsetNamed('UTF8')?.name, 'utf8mb3')
  assert.equal(charsetNamed('Latin1')?.name, 'latin1')
})

test('only the range is decoded', () => {
  const bytes = Buffer.from([0x61, 0xe9, 0x80, 0x62])

  assert.equal(charsetNamed('latin1')?.decode(bytes, 1, 3), 'é€')
  assert.equal(charsetNamed('latin1')?.decode(bytes, 1, 2), 'é')
})

test('the error for an unsupported charset has its name and the column', () => {
  assert.equal(charsetNamed('hp9'), undefined)
  assert.throws(
    () => requireCharset('hp9', 'shop.orders.note'),
    (error) =>
      error instanceof CodedError &&
      error.code === 'MYSQL_CHARSET_UNSUPPORTED' &&
      error.message.includes('hp9') &&
      error.message.includes('shop.orders.note'),
  )
})
