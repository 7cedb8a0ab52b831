import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Schema, Schemas, Struct, type ConnectValue } from '@tributary/connect-api'
import { ByteWriter, CodedError } from '@tributary/support'
import { encodedText, latin1Text, plainText, readSchema, readValue, utf16Text } from '@tributary/testkit'
import { expectedBytes, oracleLines, type OracleLine, type OracleOutcome } from '../testing/oracle-fixtures.ts'
import { JsonConverter } from './json-converter.ts'

interface JsonLine extends OracleLine {
  readonly runs: readonly (OracleOutcome & { readonly options: Readonly<Record<string, string>> })[]
}

/** Returns the whole document; null for Kafka's null. */
function convert(options: Readonly<Record<string, string>>, schema: Schema | null, value: ConnectValue): Buffer | null {
  const converter = new JsonConverter()
  converter.configure(options, false)
  const encoder = converter.encoderFor(schema)
  // A small buffer, which must grow in the middle of values.
  const out = new ByteWriter(1)
  return encoder.write(value, out) ? Buffer.concat([encoder.prefix, out.copy()]) : null
}

for (const [kind, textOf] of Object.entries({ plainText, encodedText, latin1Text, utf16Text })) {
  test(`writes the bytes of Java's converter for all recorded values (${kind})`, () => {
    const lines = oracleLines<JsonLine>('json-converter.jsonl')
    assert.ok(lines.length > 500)
    for (const { name, schema: notation, value, runs } of lines) {
      const schema = notation === null ? null : readSchema(notation)
      for (const run of runs) {
        const convertIt = (): Buffer | null => convert(run.options, schema, readValue(schema, value, textOf))
        if (run.error !== undefined) {
          assert.throws(convertIt, CodedError, `${name}: ${run.error}`)
          continue
        }
        const expected = expectedBytes(run)
        const actual = convertIt()
        assert.equal(actual?.toString(), expected?.toString(), `${name} ${JSON.stringify(run.options)}`)
        assert.deepEqual(actual, expected, name)
      }
    }
  })
}

test('the prefix is one object per schema, and the encoder is compiled once', () => {
  const converter = new JsonConverter()
  const schema = Schema.struct([['id', Schemas.int32]])

  const encoder = converter.encoderFor(schema)

  assert.equal(converter.encoderFor(schema), encoder)
  assert.equal(
    Buffer.from(encoder.prefix).toString(),
    '{"schema":{"type":"struct","fields":[{"type":"int32","optional":false,"field":"id"}],"optional":false},"payload":',
  )
})

test('without schemas the prefix is empty', () => {
  const converter = new JsonConverter()
  converter.configure({ 'schemas.enable': 'false' }, false)

  assert.equal(converter.encoderFor(Schemas.int32).prefix.length, 0)
})

test('a null without schema is Kafka’s null, and nothing is written', () => {
  const out = new ByteWriter()

  const hasValue = new JsonConverter().encoderFor(null).write(null, out)

  assert.equal(hasValue, false)
  assert.equal(out.position, 0)
})

test('a new configuration replaces the compiled encoders', () => {
  const converter = new JsonConverter()
  converter.encoderFor(Schemas.int32)
  converter.configure({ 'schemas.enable': 'false' }, false)

  assert.equal(converter.encoderFor(Schemas.int32).prefix.length, 0)
})

test('a value is appended to the content of the writer', () => {
  const out = new ByteWriter()
  out.ascii('before ')
  new JsonConverter().encoderFor(Schemas.string).write('x'.repeat(50), out)

  assert.equal(out.copy().toString(), `before "${'x'.repeat(50)}"}`)
})

test('a repeated text, and a text between others, is written correctly each time', () => {
  const schema = Schema.struct([
    ['file', Schemas.string],
    ['pos', Schemas.int32],
  ])
  const converter = new JsonConverter()
  converter.configure({ 'schemas.enable': 'false' }, false)
  const encoder = converter.encoderFor(schema)
  const out = new ByteWriter()
  const files = ['a"é', 'a"é', 'a"é', 'b', 'a"é', 'b', 'b', 'x'.repeat(100), 'x'.repeat(100), 'b']
  for (const file of files) encoder.write(new Struct(schema, [file, 1]), out)

  assert.equal(out.copy().toString(), files.map((file) => JSON.stringify({ file, pos: 1 })).join(''))
})

test('a struct with another schema object of the same shape is accepted', () => {
  const fields = [['id', Schemas.int32]] as const
  const schema = Schema.struct(fields, { name: 'K' })
  const other = Schema.struct(fields, { name: 'K' })

  assert.equal(convert({ 'schemas.enable': 'false' }, schema, new Struct(other, [1]))?.toString(), '{"id":1}')
})

test('options are read as Connect reads them', () => {
  const decimal = Schema.of('bytes')
  assert.equal(convert({ 'schemas.enable': 'FALSE' }, Schemas.int32, 1)?.toString(), '1')
  assert.equal(convert({ 'schemas.enable': 'false', 'schemas.cache.size': '5' }, Schemas.int32, 1)?.toString(), '1')
  assert.equal(convert({ 'schemas.enable': 'false', unknown: 'x' }, decimal, Buffer.from('a'))?.toString(), '"YQ=="')
})

const badOptions = [
  ['schemas.enable', 'maybe', 'Expected value to be either true or false'],
  ['decimal.format', 'HEX', 'String must be one of (case insensitive): BASE64, NUMERIC'],
  ['replace.null.with.default', '', 'Expected value to be either true or false'],
  ['schemas.cache.size', 'x', 'Not a number of type INT'],
] as const
for (const [name, value, reason] of badOptions) {
  test(`refuses ${name}=${value} with the message of Connect`, () => {
    assert.throws(
      () => new JsonConverter().configure({ [name]: value }, false),
      (error) =>
        error instanceof CodedError &&
        error.code === 'CONVERTER_OPTION' &&
        error.message.includes(`Invalid value ${value} for configuration ${name}: ${reason}`),
    )
  })
}
