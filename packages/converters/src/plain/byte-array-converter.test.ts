import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Schema, Schemas, type ConnectValue } from '@tributary/connect-api'
import { ByteWriter, CodedError } from '@tributary/support'
import { byteArrayConverterPlugin } from './byte-array-converter.ts'

function convert(schema: Schema | null, value: ConnectValue, isKey = false): Buffer | null {
  const converter = byteArrayConverterPlugin.create()
  converter.configure({}, isKey)
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

const refused: readonly (readonly [string, Schema | null, ConnectValue])[] = [
  ['text without schema', null, 'text'],
  ['text', Schemas.string, 'text'],
  ['null of another schema', Schemas.optionalString, null],
  ['a number with a schema of bytes', Schema.of('bytes'), 5],
]
for (const [what, schema, value] of refused) {
  test(`refuses ${what}`, () => {
    assert.throws(
      () => convert(schema, value, true),
      (error) => error instanceof CodedError && error.code === 'VALUE_MISFIT' && error.message.includes('field key'),
    )
  })
}
