import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unavailableJson, unavailableValue } from './unavailable-value.ts'

test('the placeholder is a text or the digits of bytes', () => {
  assert.equal(unavailableValue({}).toString(), '__debezium_unavailable_value')
  assert.equal(unavailableValue({ 'unavailable.value.placeholder': 'hex:6e6f' }).toString(), 'no')
})

test('in a JSON column it is a document, whatever its characters', () => {
  assert.deepEqual(JSON.parse(unavailableJson(Buffer.from('a "b"\n'))), { 'a "b"\n': 'a "b"\n' })
})
