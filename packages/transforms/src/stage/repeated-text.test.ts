import { EncodedText, type TextCharset } from '@tributary/connect-api'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RepeatedText } from './repeated-text.ts'

let decoded = 0
const latin: TextCharset = {
  isAsciiCompatible: true,
  isUtf8: false,
  decode: (bytes, start, end) => {
    decoded += 1
    return bytes.latin1Slice(start, end)
  },
}
const upper: TextCharset = { ...latin, decode: (bytes, start, end) => bytes.latin1Slice(start, end).toUpperCase() }

/** The text in the middle of a buffer that is overwritten afterwards. */
function read(texts: RepeatedText, text: string, charset: TextCharset = latin): string | null {
  const bytes = Buffer.from(`..${text}..`, 'latin1')
  const found = texts.of(new EncodedText(bytes, 2, bytes.length - 2, charset))
  bytes.fill('?')
  return found
}

test('each value has its own text, whatever was read before', () => {
  const texts = new RepeatedText()
  const long = 'x'.repeat(65)
  for (const text of ['', 'order', 'order', 'orders', 'orderS', 'order', '', 'caf\u00e9', long, long, `${long}y`, '']) {
    assert.equal(read(texts, text), text)
  }
  assert.equal(read(texts, 'order'), 'order')
  assert.equal(read(texts, 'order', upper), 'ORDER')
  assert.equal(read(texts, 'order'), 'order')
})

test('a text that repeats is decoded once', () => {
  const texts = new RepeatedText()
  const before = decoded
  for (let i = 0; i < 5; i++) read(texts, 'order')
  assert.equal(decoded - before, 1)
})

test('strings are texts, other values are not', () => {
  const texts = new RepeatedText()
  assert.deepEqual(
    ['order', 5, null, true].map((value) => texts.of(value)),
    ['order', null, null, null],
  )
})
