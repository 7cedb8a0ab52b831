import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Schemas } from '@tributary/connect-api'
import { encodedText, plainText, readSchema, readValue } from '@tributary/testkit'
import { headerBytes } from '../testing/header-bytes.ts'
import { expectedBytes, oracleLines, type OracleLine, type OracleOutcome } from '../testing/oracle-fixtures.ts'
import { simpleHeaderConverterPlugin } from './simple-header-converter.ts'

for (const [kind, textOf] of Object.entries({ plainText, encodedText })) {
  test(`writes the bytes of Java's converter for all recorded values (${kind})`, () => {
    const converter = simpleHeaderConverterPlugin.create()
    converter.configure({})
    const lines = oracleLines<OracleLine & OracleOutcome>('simple-header-converter.jsonl')
    assert.ok(lines.length > 100)
    for (const { name, schema: notation, value, ...outcome } of lines) {
      const schema = notation === null ? null : readSchema(notation)
      const actual = headerBytes(converter, schema, readValue(schema, value, textOf))
      const expected = expectedBytes(outcome)
      assert.equal(actual && Buffer.from(actual).toString(), expected && expected.toString(), name)
      assert.deepEqual(actual, expected, name)
    }
  })
}

test('text with a schema is written as its bytes, without quotes', () => {
  const bytes = headerBytes(simpleHeaderConverterPlugin.create(), Schemas.string, 'mysql')

  assert.deepEqual(bytes, Buffer.from('mysql'))
})
