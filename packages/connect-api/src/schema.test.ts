import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Schema } from './data.ts'
import { Schemas } from './schemas.ts'

test('a plain schema is required and has nothing but its type', () => {
  const { type, isOptional, name, version, doc, parameters, defaultValue, fields, keySchema, valueSchema } =
    Schema.of('int32')

  assert.deepEqual(
    { type, isOptional, name, version, doc, parameters, defaultValue, fields, keySchema, valueSchema },
    {
      type: 'int32',
      isOptional: false,
      name: null,
      version: null,
      doc: null,
      parameters: null,
      defaultValue: null,
      fields: [],
      keySchema: null,
      valueSchema: null,
    },
  )
})

test('a struct keeps its fields in order and finds them by name', () => {
  const schema = Schema.struct([
    ['id', Schemas.int32],
    ['name', Schemas.optionalString],
  ])

  assert.deepEqual(
    schema.fields.map(({ name, index }) => [name, index]),
    [
      ['id', 0],
      ['name', 1],
    ],
  )
  assert.equal(schema.field('name')?.index, 1)
  assert.equal(schema.field('name')?.schema, Schemas.optionalString)
  assert.equal(schema.field('Name'), null)
  assert.equal(schema.field('constructor'), null)
})

test('arrays and maps contain the schemas of their members', () => {
  const array = Schema.array(Schemas.string, { optional: true })
  const map = Schema.map(Schemas.string, Schemas.int64, { name: 'm' })

  assert.equal(array.type, 'array')
  assert.equal(array.isOptional, true)
  assert.equal(array.valueSchema, Schemas.string)
  assert.equal(array.keySchema, null)
  assert.equal(map.keySchema, Schemas.string)
  assert.equal(map.valueSchema, Schemas.int64)
  assert.equal(map.name, 'm')
})

const everything = {
  optional: true,
  name: 'n',
  version: 2,
  doc: 'd',
  parameters: { z: '1', a: '2' },
  defaultValue: 'x',
} as const

test('a changed copy keeps the other parts, and the original does not change', () => {
  const schema = Schema.of('string', everything)
  const copy = schema.with({ version: 3 })

  assert.equal(copy.version, 3)
  assert.equal(schema.version, 2)
  assert.deepEqual(Object.assign({}, copy, { version: 2 }), Object.assign({}, schema))
})

test('a changed copy of a container keeps its members', () => {
  const struct = Schema.struct([['id', Schemas.int32]], { name: 'n' })
  const map = Schema.map(Schemas.string, Schemas.int64)

  assert.equal(struct.with({ optional: true }).field('id')?.schema, Schemas.int32)
  assert.equal(struct.with({ optional: true }).name, 'n')
  assert.equal(map.with({ doc: 'd' }).keySchema, Schemas.string)
  assert.equal(map.with({ doc: 'd' }).valueSchema, Schemas.int64)
})

test('parameters keep their order', () => {
  assert.deepEqual(Object.keys(Schema.of('string', everything).parameters ?? {}), ['z', 'a'])
})

test('a false or zero default is a default', () => {
  assert.equal(Schema.of('boolean', { defaultValue: false }).with({ doc: 'd' }).defaultValue, false)
  assert.equal(Schema.of('int32', { defaultValue: 0 }).with({ doc: 'd' }).defaultValue, 0)
  assert.equal(Schema.of('int32', { version: 0 }).with({ doc: 'd' }).version, 0)
})

test('a schema cannot be changed', () => {
  assert.throws(() => Object.assign(Schema.of('int32'), { name: 'x' }), TypeError)
})

test('the plain schemas have the types of their names', () => {
  const described = Object.fromEntries(
    Object.entries(Schemas).map(([name, schema]) => [name, `${schema.isOptional ? 'optional ' : ''}${schema.type}`]),
  )

  assert.deepEqual(described, {
    int32: 'int32',
    int64: 'int64',
    string: 'string',
    boolean: 'boolean',
    optionalInt32: 'optional int32',
    optionalInt64: 'optional int64',
    optionalString: 'optional string',
    optionalBoolean: 'optional boolean',
  })
})
