import { Schema, Schemas, Struct } from '@tributary/connect-api'
import { present } from '@tributary/support'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TableId } from '../relational/table-id.ts'
import { buildTableSchema, type TableSchema, type ValueField } from './table-schema.ts'

const sourceSchema = Schema.struct([['file', Schemas.string]], { name: 'Source' })
const id: ValueField = { name: 'id', schema: Schemas.int32, rowIndex: 0, mask: null }
const name: ValueField = { name: 'name', schema: Schemas.optionalString, rowIndex: 1, mask: null }
const zip: ValueField = { name: 'zip', schema: Schemas.string, rowIndex: 2, mask: null }

function build(columns: readonly ValueField[], keyColumnNames: readonly string[], version = 1): TableSchema {
  return buildTableSchema({
    id: TableId.of('d', 't'),
    topic: 'p.d.t',
    rowWidth: 3,
    columns,
    keyColumns: keyColumnNames.map((each) =>
      present(
        columns.find((column) => column.name === each),
        'a column',
      ),
    ),
    envelope: { version, sourceSchema, transactionSchema: version === 1 ? null : Schemas.string },
  })
}

function fieldNames(schema: Schema | null): readonly string[] | null {
  return schema === null ? null : schema.fields.map((field) => field.name)
}

test('schemas are named after the topic; images are optional, keys are not', () => {
  const { keySchema, valueSchema, envelopeSchema } = build([id, name, zip], ['id'])
  assert.deepEqual(
    [keySchema, valueSchema, envelopeSchema].map((schema) => [schema?.name, schema?.version, schema?.isOptional]),
    [
      ['p.d.t.Key', null, false],
      ['p.d.t.Value', null, true],
      ['p.d.t.Envelope', 1, false],
    ],
  )
})

test('the fields of the envelope are in the order of the record format; `transaction` precedes `op`', () => {
  const form1 = ['before', 'after', 'source', 'op', 'ts_ms', 'ts_us', 'ts_ns']
  assert.deepEqual(fieldNames(build([id], ['id']).envelopeSchema), form1)
  const form2 = ['before', 'after', 'source', 'transaction', 'op', 'ts_ms', 'ts_us', 'ts_ns']
  const { envelopeSchema } = build([id], ['id'], 2)
  assert.deepEqual([fieldNames(envelopeSchema), envelopeSchema.version], [form2, 2])
})

test('a whole row has no index list; with columns left out, the list names the others', () => {
  assert.equal(build([id, name, zip], ['id']).valueIndexes, null)
  const { valueSchema, valueIndexes } = build([id, zip], ['id'])
  assert.deepEqual(
    [fieldNames(valueSchema), valueIndexes],
    [
      ['id', 'zip'],
      [0, 2],
    ],
  )
})

test('the key has its columns in key order; without key columns there is no key', () => {
  const { keySchema, keyIndexes } = build([id, name, zip], ['zip', 'id'])
  assert.deepEqual(
    [fieldNames(keySchema), keyIndexes],
    [
      ['zip', 'id'],
      [2, 0],
    ],
  )
  const keyless = build([id, name], [])
  assert.deepEqual([keyless.keySchema, keyless.keyIndexes], [null, []])
})

test('a masked column has another value in each row; without masks rows stay as they are', () => {
  assert.equal(build([id, name], ['id']).mask, null)
  const { mask, valueSchema } = build(
    [id, { ...name, mask: (value) => (value === null ? 'null!' : value) }, zip],
    ['id'],
  )
  const masked = mask?.apply(new Struct(valueSchema, [7, null, 'z']))
  assert.deepEqual([masked?.get('id'), masked?.get('name'), masked?.get('zip')], [7, 'null!', 'z'])
})
