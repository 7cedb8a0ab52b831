import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Decimal, DECIMAL_SCHEMA_NAME, Schema, Schemas, Struct, type ConnectValue } from '@tributary/connect-api'
import { ByteWriter, CodedError } from '@tributary/support'
import { encodedText } from '@tributary/testkit'
import { JsonConverter } from './json-converter.ts'

function errorOf(schema: Schema | null, value: ConnectValue, isKey = false): CodedError {
  const converter = new JsonConverter()
  converter.configure({}, isKey)
  try {
    converter.encoderFor(schema).write(value, new ByteWriter())
  } catch (error) {
    if (error instanceof CodedError) return error
    throw error
  }
  throw new Error('the value was accepted')
}

const row = Schema.struct(
  [
    ['id', Schemas.int32],
    ['tags', Schema.array(Schemas.string)],
    ['notes', Schema.map(Schemas.string, Schemas.int64, { optional: true })],
  ],
  { name: 'Row', optional: true },
)
const envelope = Schema.struct([
  ['before', row],
  ['after', row],
])
const decimal = Schema.of('bytes', { name: DECIMAL_SCHEMA_NAME, parameters: { scale: '2' } })

test('a missing value is an error that names the field by its path', () => {
  const error = errorOf(envelope, new Struct(envelope, [null, new Struct(row, [null, [], null])]))

  assert.equal(error.code, 'VALUE_REQUIRED')
  assert.equal(error.name, 'org.apache.kafka.connect.errors.DataException')
  assert.match(error.message, /^Conversion error: null value for field value\.after\.id that is required/)
})

test('the path of a key begins with key', () => {
  assert.match(errorOf(Schemas.int32, null, true).message, /field key that is required/)
})

test('a value of a wrong type is an error that shows the value, its schema and its field', () => {
  const error = errorOf(envelope, new Struct(envelope, [new Struct(row, ['one', [], null]), null]))

  assert.equal(error.code, 'VALUE_MISFIT')
  assert.match(error.message, /'one' is not a value of type int32 \(field value\.before\.id\)/)
})

const paths: readonly (readonly [string, readonly ConnectValue[], string])[] = [
  ['an item', [1, ['a', 2], null], 'value.tags[]'],
  ['a value in a map', [1, [], new Map([['k', 'x']])], 'value.notes{value}'],
  ['a key in a map', [1, [], new Map([[1, 1]])], 'value.notes{key}'],
  ['a missing key in a map', [1, [], new Map([[null, 1]])], 'value.notes{key}'],
]
for (const [what, values, path] of paths) {
  test(`the error for ${what} of a wrong type names its place`, () => {
    assert.ok(errorOf(row, new Struct(row, values)).message.includes(`field ${path}`))
  })
}

const renamed = Schema.struct(
  row.fields.map(({ name, schema }) => [name === 'id' ? 'ID' : name, schema]),
  { name: 'Row' },
)
const misfits: readonly (readonly [string, Schema, readonly ConnectValue[]])[] = [
  ['int8', Schema.of('int8'), [128, -129, 0.5, NaN, 1n, '1', true]],
  ['int16', Schema.of('int16'), [32_768, -32_769, 0.5]],
  ['int32', Schemas.int32, [2 ** 31, -(2 ** 31) - 1, 2 ** 32, 0.5, NaN, Infinity, 5n]],
  ['int64', Schemas.int64, [2 ** 53, 0.5, NaN, 2n ** 63n, -(2n ** 63n) - 1n, '1']],
  ['float', Schema.of('float'), ['1', 1n, true]],
  ['double', Schema.of('double'), ['1', 1n]],
  ['boolean', Schemas.boolean, [0, 'true']],
  ['string', Schemas.string, [1, Buffer.from('x'), true]],
  ['bytes', Schema.of('bytes'), ['x', new Decimal(1, 2), encodedText('x')]],
  ['decimal', decimal, [new Decimal(1, 3), 1, Buffer.from('x')]],
  ['decimal without scale', Schema.of('bytes', { name: DECIMAL_SCHEMA_NAME }), [new Decimal(1, 0)]],
  ['array', Schema.array(Schemas.int32), [1, 'x', new Map()]],
  ['map', Schema.map(Schemas.string, Schemas.int32), [[], 1]],
  ['struct', row, [1, new Map(), []]],
  ['struct of another name', row, [new Struct(row.with({ name: 'Other' }), [1, [], null])]],
  ['struct of other fields', row, [new Struct(Schema.struct([['id', Schemas.int32]], { name: 'Row' }), [1])]],
  ['struct of a field of another name', row, [new Struct(renamed, [1, [], null])]],
  ['struct without fields', Schema.struct([]), [1, 'x']],
]
for (const [what, schema, values] of misfits) {
  test(`refuses values that are not ${what}`, () => {
    for (const value of values) assert.equal(errorOf(schema, value).code, 'VALUE_MISFIT')
  })
}

test('refuses structs and decimals without a schema and names their place', () => {
  const error = errorOf(null, ['a', new Map([['k', new Decimal(1, 2)]])])

  assert.equal(error.code, 'VALUE_MISFIT')
  assert.match(error.message, /field value\[1\]\{value\}/)
  assert.equal(errorOf(null, new Struct(row, [1, [], null])).code, 'VALUE_MISFIT')
})

test('a decimal of another scale is an error that names the expected scale', () => {
  const { message } = errorOf(decimal, new Decimal(1, 3))

  assert.match(message, /Decimal \{ unscaled: 1, scale: 3 \} is not a value of type bytes \(.*Decimal of scale 2\)/)
})

test('the error shows only the beginning of a long value', () => {
  const error = errorOf(Schemas.int32, encodedText('x'.repeat(1000)))

  assert.ok(error.message.length < 400)
  assert.match(error.message, /'x{40}'\.\.\. 960 more characters is not a value of type int32/)
})

test('after an error the encoder writes the next value', () => {
  const encoder = new JsonConverter().encoderFor(Schemas.int32)
  const out = new ByteWriter()
  assert.throws(() => encoder.write('x', out), CodedError)
  out.reset()

  encoder.write(5, out)

  assert.equal(out.copy().toString(), '5}')
})
