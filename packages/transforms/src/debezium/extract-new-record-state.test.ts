import { NO_HEADERS, Schema, Schemas, type SourceRecord, Struct } from '@tributary/connect-api'
import { silentLogger } from '@tributary/support'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertSameOutcome, recordedCases } from '../testing/oracle-cases.ts'
import { extractNewRecordStatePlugin } from './extract-new-record-state.ts'

/** What Debezium 3.6.1 does: fixtures/cases/extract-new-record-state.ts. */
const cases = recordedCases('extract-new-record-state')

const NULL_SCHEMA = 'Debezium throws a NullPointerException, since the tombstone has no schema'
const deviations = Object.fromEntries([
  ...cases.filter(({ name }) => /^19\.[12] /.test(name)).map(({ name }) => [name, NULL_SCHEMA] as const),
  ...cases.filter(({ name }) => name.startsWith('28.')).map(({ name }) => [name, 'our text names the option'] as const),
  ...cases
    .filter(({ name }) => name.startsWith('33.'))
    .map(({ name }) => [name, 'Debezium lists the values in the order of a hash set'] as const),
])

for (const recorded of cases) {
  test(`${recorded.name}: the same records as Debezium’s class makes`, () => {
    assertSameOutcome(recorded, { plugins: [extractNewRecordStatePlugin], deviations })
  })
}

/** A delete whose row the binlog does not have, and Debezium’s tombstone after it. */
function deleteOfUnknownRow(): readonly SourceRecord[] {
  const row = Schema.struct([['id', Schemas.int32]], { name: 'p.d.t.Value', optional: true })
  const envelope = Schema.struct(
    [
      ['before', row],
      ['after', row],
      ['op', Schemas.string],
    ],
    { name: 'p.d.t.Envelope' },
  )
  const key = Schema.struct([['id', Schemas.int32]], { name: 'p.d.t.Key' })
  const common = {
    sourcePartition: { server: 'p' },
    sourceOffset: { toDocument: () => ({}) },
    topic: 'p.d.t',
    partition: null,
    keySchema: key,
    key: new Struct(key, [1]),
    timestamp: null,
    headers: NO_HEADERS,
  }
  return [
    { ...common, valueSchema: envelope, value: new Struct(envelope, [null, null, 'd']) },
    { ...common, valueSchema: null, value: null },
  ]
}

for (const [mode, expected] of [
  ['drop', 0],
  ['tombstone', 1],
  ['rewrite', 1],
  ['rewrite-with-tombstone', 2],
  ['delete-to-tombstone', 1],
] as const) {
  test(`a deleted row that is not known is deleted in the topic: ${mode}`, () => {
    const transformation = extractNewRecordStatePlugin.create()
    transformation.configure({ 'delete.tombstone.handling.mode': mode }, { logger: silentLogger })
    const records = deleteOfUnknownRow().flatMap((record) => transformation.apply(record) ?? [])
    assert.deepEqual(
      records.map(({ key, value }) => [key instanceof Struct && key.at(0), value]),
      Array.from({ length: expected }, () => [1, null]),
    )
  })
}

test('the cases are many', () => {
  assert.ok(cases.length > 100)
})
