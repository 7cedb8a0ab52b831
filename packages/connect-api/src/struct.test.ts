import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AssertionError } from '@tributary/support'
import { Schema, Struct } from './data.ts'
import { Schemas } from './schemas.ts'

const schema = Schema.struct(
  [
    ['id', Schemas.int32],
    ['name', Schemas.optionalString],
  ],
  { name: 'Row' },
)

test('values are found by position and by name', () => {
  const struct = new Struct(schema, [7, null])

  assert.equal(struct.schema, schema)
  assert.equal(struct.at(0), 7)
  assert.equal(struct.get('id'), 7)
  assert.equal(struct.get('name'), null)
})

test('reading a field that does not exist is a bug; the error names the field and the struct', () => {
  assert.throws(
    () => new Struct(schema, [7, null]).get('email'),
    (error) => error instanceof AssertionError && error.message === 'email is not a field of Row',
  )
})

test('a changed copy has the new values and the same schema, and the original does not change', () => {
  const struct = new Struct(schema, [7, 'Anne'])
  const copy = struct.with({ name: null })

  assert.equal(copy.schema, schema)
  assert.deepEqual([copy.at(0), copy.at(1)], [7, null])
  assert.equal(struct.get('name'), 'Anne')
})
