import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EncodedText } from './encoded-text.ts'

const latin1 = {
  isAsciiCompatible: true,
  isUtf8: false,
  decode: (bytes: Buffer, start: number, end: number): string => bytes.toString('latin1', start, end),
}

test('the text is its own run of the bytes, in its charset', () => {
  const bytes = Buffer.from('..Grüße..', 'latin1')
  const text = new EncodedText(bytes, 2, 7, latin1)

  assert.equal(text.toString(), 'Grüße')
  assert.equal(`${text.toString()}!`, 'Grüße!')
  assert.equal(JSON.stringify({ text }), '{"text":"Grüße"}')
  assert.equal(text.charset, latin1)
})

test('nothing is decoded before toString is called', () => {
  let decoded = 0
  const charset = { isAsciiCompatible: false, isUtf8: false, decode: () => `${++decoded}` }
  const text = new EncodedText(Buffer.from('x'), 0, 1, charset)
  assert.equal(decoded, 0)

  assert.equal(text.toString(), '1')
})
