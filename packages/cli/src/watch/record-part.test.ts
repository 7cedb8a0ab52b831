import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Tombstones } from './record-part.ts'

test('a tombstone resembles the other values of its topic: a document with two nulls, or a plain null', () => {
  const tombstones = new Tombstones()
  const seen = ['{"schema":{"type":"struct"},"payload":{}}', '{"before":null,"after":{"schema":1}}', 'null', '']
  const texts = [tombstones.text]
  for (const value of seen) {
    tombstones.observe(Buffer.from(value))
    texts.push(tombstones.text)
  }
  const whole = '{"schema":null,"payload":null}'
  assert.deepEqual(texts, [whole, whole, 'null', 'null', 'null'])
})
