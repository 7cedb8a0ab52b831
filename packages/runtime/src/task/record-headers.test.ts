import type { EncodedHeader, Header } from '@tributary/connect-api'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RecordHeaders } from './record-headers.ts'
import { textHeaders } from './testing/text-converter.ts'

const NONE: readonly EncodedHeader[] = []
const ofKey: readonly EncodedHeader[] = [{ key: Buffer.from('key id'), value: Buffer.from('1') }]
const ofValue: readonly EncodedHeader[] = [{ key: Buffer.from('value id'), value: null }]

function header(key: string, value: string | null): Header {
  return { key, schema: null, value }
}

function texts(headers: RecordHeaders, list: readonly Header[], key = NONE, value = NONE): string {
  return headers
    .encode(list, key, value)
    .list()
    .map((each) => `${each.key.toString()}=${each.value?.toString() ?? 'null'}`)
    .join(' ')
}

test('a record has its own headers, then those of the converters of its key and its value', () => {
  const headers = new RecordHeaders(textHeaders)
  const list = [header('a', 'x'), header('b', null)]
  assert.equal(texts(headers, list, ofKey, ofValue), 'a=x b=null key id=1 value id=null')
  assert.equal(texts(headers, list, ofKey), 'a=x b=null key id=1')
  assert.equal(texts(headers, list, NONE, ofValue), 'a=x b=null value id=null')
  assert.equal(texts(headers, list), 'a=x b=null')
  assert.equal(texts(headers, []), '')
  assert.equal(texts(headers, [], ofKey), 'key id=1')
})

test('a list of the record before is not encoded again', () => {
  let written = 0
  const headers = new RecordHeaders({
    ...textHeaders,
    write: (...all) => {
      written += 1
      return textHeaders.write(...all)
    },
  })
  const list = [header('a', 'x')]
  for (let i = 0; i < 3; i++) assert.equal(texts(headers, list), 'a=x')
  assert.equal(written, 1)
  assert.equal(texts(headers, [header('a', 'y')]), 'a=y')
  assert.equal(texts(headers, list), 'a=x')
})

test('after a header that cannot be converted, the next record has its own', () => {
  const headers = new RecordHeaders(textHeaders)
  const list = [header('a', 'x')]
  texts(headers, list)
  assert.throws(() => texts(headers, [header('b', 'y'), { key: 'c', schema: null, value: 5 }]))
  assert.equal(texts(headers, list), 'a=x')
})

test('a poll does not use the bytes of the one before', () => {
  const headers = new RecordHeaders(textHeaders)
  const list = [header('a', 'x')]
  texts(headers, list)
  headers.poison()
  assert.equal(texts(headers, list), 'a=x')
})
