import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ComparedRecord } from './compared-record.ts'
import { decodeHeaders, PartDecoder } from './decoded-record.ts'
import { parseExactly } from './json-value.ts'
import { RecordDifferences } from './record-differences.ts'

/** A record with that JSON as its value. */
function record(text: string): ComparedRecord {
  const decoded = { key: null, value: { schema: null, payload: parseExactly(text) }, headers: [] }
  const place = { id: null, place: null, partition: null, offset: null, timestampMs: null }
  return { topic: 't', key: '', decoded, bytes: 0, ...place }
}

const loose = new RecordDifferences({ isKeyLoose: true, isValueLoose: true })

for (const [title, avro, json, isSame] of [
  ['a double with another spelling', '1e+300', '1.0E300', true],
  ['a double without a fraction', '100', '100.0', true],
  ['a decimal as a text', '"12.50"', '12.50', true],
  ['a decimal with another scale', '"12.5"', '12.50', false],
  ['another double', '0.1', '0.2', false],
  ['a number that the rehearsal makes a text', '5', '"5"', false],
  ['integers that are equal as doubles only', '9007199254740993', '9007199254740992', false],
] as const) {
  test(`Avro beside JSON: ${title} is ${isSame ? 'equal' : 'different'}`, () => {
    const found = loose.between(record(`{"a":${avro}}`), record(`{"a":${json}}`))
    assert.deepEqual(
      found.map(({ path }) => path),
      isSame ? [] : ['value.a'],
    )
  })
}

test('members that every object inherits are compared', () => {
  const found = loose.between(record('{"a":1}'), record('{"a":1,"constructor":null,"toString":"x"}'))
  assert.deepEqual(
    found.map(({ path }) => path),
    ['value.constructor', 'value.toString'],
  )
})

test('bytes that are no UTF-8 are compared as bytes, in values and headers', () => {
  const decoder = new PartDecoder()
  const [one, other] = [0xff, 0xfe].map((byte) => Buffer.from([...Buffer.from('{"a":"'), byte, ...Buffer.from('"}')]))
  assert.ok(one !== undefined && other !== undefined)
  assert.notDeepEqual(decoder.decode(one), decoder.decode(other))
  assert.deepEqual(decoder.decode(one), decoder.decode(Buffer.from(one)))
  const headers = [one, other].map((value) => decodeHeaders([{ key: Buffer.from('h'), value }]))
  assert.notDeepEqual(headers[0], headers[1])
})
