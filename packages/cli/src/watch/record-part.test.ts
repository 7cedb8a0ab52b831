import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Tombstones } from './record-part.ts'

test('a tombstone looks like the other documents of its topic: with two halves, or a plain null', () => {
  const tombstones = new Tombstones()
  const seen = ['{"schema":{"type":"struct"},"payload":{}}', '{"before":null,"after":{"schema":1}}', 'null', '']
  const texts = [tombstones.text]
  for (const value of seen) {
    tombstones.see(Buffer.from(value))
    texts.push(tombstones.text)
  }
  const whole = '{"schema":null,"payload":null}'
  assert.deepEqual(texts, [whole, whole, 'null', 'null', 'null'])
})
