import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Schema, Struct } from './data.ts'
import { derive, ownField, StructDerivation } from './derived-struct.ts'
import { detachValue } from './detach.ts'
import { Schemas } from './schemas.ts'

const rowSchema = Schema.struct([
  ['id', Schemas.int32],
  ['secret', Schemas.string],
  ['name', Schemas.optionalString],
])
const row = new Struct(rowSchema, [7, 'x', 'Mei'])

const publicSchema = Schema.struct([
  ['op', Schemas.string],
  ['id', Schemas.int32],
  ['table', Schemas.string],
  ['name', Schemas.optionalString],
])
const publish = new StructDerivation(publicSchema, [ownField(0), 0, ownField(1), 2])

function valuesOf(struct: Struct): readonly unknown[] {
  return struct.schema.fields.map(({ index }) => struct.at(index))
}

test('fields are those of the base, or own values', () => {
  const derived = derive(publish, row, ['c', 'people'])
  assert.deepEqual(valuesOf(derived), ['c', 7, 'people', 'Mei'])
  assert.equal(derived.schema, publicSchema)
  assert.equal(derived.get('name'), 'Mei')
})

test('a struct that is derived twice refers to the first base, also when the first own values are dropped', () => {
  const schema = Schema.struct([
    ['NAME', Schemas.optionalString],
    ['op', Schemas.string],
    ['topic', Schemas.string],
  ])
  const rename = new StructDerivation(schema, [3, 0, ownField(0)])
  const twice = derive(rename, derive(publish, row, ['u', 'people']), ['all'])
  assert.deepEqual(valuesOf(twice), ['Mei', 'u', 'all'])
  assert.equal(twice.base, row)

  const third = new StructDerivation(Schema.struct([['last', Schemas.string]]), [ownField(0)])
  assert.deepEqual(valuesOf(derive(third, twice, ['z'])), ['z'])
})

test('derivations of the same derivations are one object, since compiled work is keyed by it', () => {
  const drop = new StructDerivation(Schema.struct([['id', Schemas.int32]]), [1])
  const once = (): unknown => derive(drop, derive(publish, row, ['c', 'people']), []).derivation
  assert.equal(once(), once())
})

test('a detached copy is a plain struct with the same values', () => {
  const copy = detachValue(derive(publish, row, ['c', 'people']))
  assert.ok(copy instanceof Struct)
  assert.deepEqual(valuesOf(copy), ['c', 7, 'people', 'Mei'])
})
