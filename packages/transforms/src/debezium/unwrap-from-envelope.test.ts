import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SourceRecord, Struct, TransformationPlugin } from '@tributary/connect-api'
import { captureLogger } from '@tributary/testkit'
import { recordedCases } from '../testing/oracle-cases.ts'
import { readRecord } from '../testing/record-notation.ts'
import { extractNewRecordStatePlugin, unwrapFromEnvelopePlugin } from './extract-new-record-state.ts'

/** An insert, a delete and its tombstone. */
const [insert, deletion, tombstone] = [0, 3, 5].map((i) => {
  const notation = recordedCases('extract-new-record-state')[0]?.records[i]
  assert.ok(notation !== undefined)
  return readRecord(notation, (text) => text)
}) as [SourceRecord, SourceRecord, SourceRecord]

function run(
  plugin: TransformationPlugin,
  options: Readonly<Record<string, string>>,
): { outcome: readonly (string | null)[]; warned: readonly unknown[]; first: SourceRecord | null } {
  const logger = captureLogger()
  const stage = plugin.create()
  stage.configure(options, { logger })
  const results = [insert, deletion, tombstone].map((record) => stage.apply(record))
  const outcome = results.map((record) => {
    if (record === null) return null
    if (record.value === null) return record.valueSchema === null ? 'tombstone' : 'null'
    const deleted = record.valueSchema?.field('__deleted') ?? null
    return deleted === null ? 'row' : `row, deleted ${JSON.stringify((record.value as Struct).at(deleted.index))}`
  })
  return { outcome, warned: logger.lines.map(({ fields }) => fields['option']), first: results[0] ?? null }
}

// The meaning of the options in UnwrapFromEnvelope of Debezium 0.9.
const TABLE: readonly (readonly [options: Readonly<Record<string, string>>, outcome: readonly (string | null)[]])[] = [
  [{}, ['row', null, null]],
  [{ 'drop.tombstones': 'false' }, ['row', null, 'tombstone']],
  [{ 'delete.handling.mode': 'none' }, ['row', 'null', null]],
  [{ 'delete.handling.mode': 'NONE', 'drop.tombstones': 'false' }, ['row', 'null', 'tombstone']],
  [{ 'delete.handling.mode': 'rewrite' }, ['row, deleted "false"', 'row, deleted "true"', null]],
  [
    { 'delete.handling.mode': 'rewrite', 'drop.tombstones': 'false' },
    ['row, deleted "false"', 'row, deleted "true"', 'tombstone'],
  ],
  [{ 'drop.deletes': 'true' }, ['row', null, null]],
  [{ 'drop.deletes': 'false' }, ['row', 'null', null]],
]

for (const [options, outcome] of TABLE) {
  test(`UnwrapFromEnvelope with ${JSON.stringify(options)}: ${outcome.join(', ')}`, () => {
    const result = run(unwrapFromEnvelopePlugin, options)
    assert.deepEqual(result.outcome, outcome)
    assert.deepEqual(new Set(result.warned), new Set(Object.keys(options)))
  })
}

test('the present option has precedence over its predecessors', () => {
  const options = { 'delete.handling.mode': 'drop', 'delete.tombstone.handling.mode': 'delete-to-tombstone' }
  assert.deepEqual(run(unwrapFromEnvelopePlugin, options).outcome, ['row', 'tombstone', null])
})

test('fields of the source and the operation have the names of Debezium 0.9', () => {
  const { first } = run(unwrapFromEnvelopePlugin, { 'add.source.fields': 'table,db', 'operation.header': 'true' })
  const row = first?.value as Struct
  assert.deepEqual([row.get('__table'), row.get('__db')], ['orders', 'shop'])
  assert.deepEqual(
    first?.headers.map(({ key, value }) => [key, value]),
    [['__debezium-operation', 'c']],
  )
})

// Debezium reads them up to 3.1 (LegacyDeleteHandlingStrategy); 3.6 ignores them.
for (const [options, outcome] of TABLE.slice(1)) {
  test(`ExtractNewRecordState with ${JSON.stringify(options)}: ${outcome.join(', ')}`, () => {
    const result = run(extractNewRecordStatePlugin, options)
    assert.deepEqual(result.outcome, outcome)
    assert.deepEqual(new Set(result.warned), new Set(Object.keys(options)))
  })
}

test('ExtractNewRecordState without old options has the default of Debezium 3.6', () => {
  assert.deepEqual(run(extractNewRecordStatePlugin, {}).outcome, ['row', 'null', null])
  const others = run(extractNewRecordStatePlugin, { 'add.source.fields': 'db', 'operation.header': 'true' })
  assert.deepEqual(others.outcome, ['row', 'null', null])
  const row = others.first?.value as Struct
  assert.equal(row.get('__db'), 'shop')
})

test('a value of an old option that is not valid is refused', () => {
  assert.throws(() => run(extractNewRecordStatePlugin, { 'delete.handling.mode': 'keep' }), /Value must be one of drop/)
})

test('values of old options are checked under the old name', () => {
  assert.throws(
    () => unwrapFromEnvelopePlugin.config.parse({ 'delete.handling.mode': 'keep' }),
    /Value must be one of drop/,
  )
})
