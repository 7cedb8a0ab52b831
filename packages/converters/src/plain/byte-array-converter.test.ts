import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Schema, type ConnectValue } from '@tributary/connect-api'
import { ByteWriter } from '@tributary/support'
import { byteArrayConverterPlugin } from './byte-array-converter.ts'

function convert(schema: Schema | null, value: ConnectValue): Buffer | null {
  const converter = byteArrayConverterPlugin.create()
  converter.configure({}, false)
  const out = new ByteWriter(1)
  return converter.encoderFor(schema, 't').write(value, out) ? out.copy() : null
}

test('bytes are written unchanged, with and without a schema', () => {
  const bytes = Buffer.from([0, 1, 255])
  assert.deepEqual(convert(Schema.of('bytes'), bytes), bytes)
  assert.deepEqual(convert(null, bytes), bytes)
  assert.deepEqual(convert(null, Buffer.alloc(0)), Buffer.alloc(0))
})

test('null is Kafka’s null', () => {
  assert.equal(convert(null, null), null)
  assert.equal(convert(Schema.of('bytes', { optional: true }), null), null)
})
