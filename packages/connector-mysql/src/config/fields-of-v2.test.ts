import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldsOfV2 } from './fields-of-v2.ts'

test('fields of events that format v1 lacks are reported, with the property that names them', () => {
  const found = fieldsOfV2({
    'transforms.a.add.fields': 'op, source.ts_ms:time,table',
    'transforms.b.add.headers': 'transaction.id',
    'transforms.c.add.fields': 'op,ts_ms,source.db,source.ts_sec',
    'transforms.d.fields': 'source.ts_ms',
  })
  assert.deepEqual(
    found.map(({ name, reason }) => [name, reason.split(',')[0]]),
    [
      ['transforms.a.add.fields', 'names source.ts_ms'],
      ['transforms.b.add.headers', 'names transaction.id'],
    ],
  )
})

test('fields that an option adds to events of both formats are not reported', () => {
  const fields = { 'transforms.a.add.fields': 'source.query, transaction.id' }
  const reported = (more: Readonly<Record<string, string>>): readonly string[] =>
    fieldsOfV2({ ...fields, ...more }).map(({ reason }) => reason.split(', which')[0] ?? '')
  assert.deepEqual(reported({ 'include.query': 'true' }), ['names transaction.id'])
  assert.deepEqual(reported({ 'provide.transaction.metadata': 'TRUE' }), ['names source.query'])
  assert.deepEqual(reported({ 'include.query': 'true', 'provide.transaction.metadata': 'true' }), [])
})
