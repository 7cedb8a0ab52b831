import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Schema, Schemas, type ConnectValue } from '@tributary/connect-api'
import { ByteWriter, CodedError } from '@tributary/support'
import { encodedText, plainText, readSchema, readValue } from '@tributary/testkit'
import { expectedBytes, oracleLines, type OracleLine, type OracleOutcome } from '../testing/oracle-fixtures.ts'
import { stringConverterPlugin } from './string-converter.ts'

function convert(encoding: string, schema: Schema | null, value: ConnectValue): Buffer | null {
  const converter = stringConverterPlugin.create()
  converter.configure({ 'converter.encoding': encoding }, false)
  const out = new ByteWriter()
  const encoder = converter.encoderFor(schema, 't')
  assert.equal(encoder.prefix.length, 0)
  return encoder.write(value, out) ? out.copy() : null
}

for (const [kind, textOf] of Object.entries({ plainText, encodedText })) {
  test(`writes the bytes of Java's converter for all recorded values (${kind})`, () => {
    const lines = oracleLines<OracleLine & OracleOutcome & { readonly encoding: string }>('string-converter.jsonl')
    assert.ok(lines.length >= 20)
    for (const { name, encoding, schema: notation, value, ...outcome } of lines) {
      const schema = notation === null ? null : readSchema(notation)
      const actual = convert(encoding, schema, readValue(schema, value, textOf))
      assert.deepEqual(actual, expectedBytes(outcome), `${name} ${encoding}`)
    }
  })
}

test('bytes are written as base64, where Java prints the address of the object', () => {
  assert.equal(convert('UTF-8', Schema.of('bytes'), Uint8Array.of(1, 2))?.toString(), 'AQI=')
})

test('a date is written in ISO form, where Java prints a local time', () => {
  const timestamp = Schema.of('int64', { name: 'org.apache.kafka.connect.data.Timestamp' })
  assert.equal(convert('UTF-8', timestamp, 1_724_500_000_123)?.toString(), '2024-08-24T11:46:40.123Z')
})

test('UTF-8 is the default', () => {
  const out = new ByteWriter()
  stringConverterPlugin.create().encoderFor(Schemas.string, 't').write('é', out)
  assert.deepEqual(out.copy(), Buffer.from('é'))
})

test('refuses an unknown encoding and names the known ones', () => {
  assert.throws(
    () => convert('EBCDIC', Schemas.string, 'x'),
    (error) =>
      error instanceof CodedError &&
      error.code === 'CONVERTER_OPTION' &&
      error.message.includes('converter.encoding=EBCDIC') &&
      error.message.includes('UTF-8'),
  )
})
