import assert from 'node:assert/strict'
import { test } from 'node:test'
import { reasonFor } from './deliberate.ts'
import type { JsonValue } from './json-value.ts'

const NOW = 1_795_000_000_000
const ROW: JsonValue = { id: 1 }
const ENVELOPE: JsonValue = { op: 'c', source: { file: 'b.000001' }, after: { id: 1 } }
const YEARS = JSON.stringify({
  fields: [
    { field: 'year', name: 'io.debezium.time.Year', type: 'int32' },
    { field: 'count', type: 'int32' },
  ],
})

for (const [title, payload, path, theirs, ours, isNamed] of [
  ['YEAR 0 of a column of that type', ROW, 'value.year', 2000, 0, true],
  ['an integer that is 0 on one side', ROW, 'value.count', 2000, 0, false],
  ['the version in source', ENVELOPE, 'value.source.version', '3.6.1', '0.1.0', true],
  ['the version beside a row', ROW, 'value.__source_version', '3.6.1', '0.1.0', true],
  ['a column source_version', ROW, 'value.source_version', 'a', 'b', false],
  ['a time of the program', ENVELOPE, 'value.ts_ms', NOW, NOW + 60_000, true],
  ['a time in another unit', ENVELOPE, 'value.ts_ms', NOW, NOW * 1000, false],
  ['a time of another year', ENVELOPE, 'value.ts_ms', NOW, NOW - 40_000_000_000, false],
  ['a time within a row', ENVELOPE, 'value.after.ts_ms', NOW, NOW + 1, false],
] as const) {
  test(`${title} is ${isNamed ? 'deliberate' : 'a difference'}`, () => {
    const record = { payload, schema: YEARS, writtenMs: NOW }
    assert.equal(reasonFor({ kind: 'value', path, theirs, ours }, record) !== null, isNamed)
  })
}

test('YEAR 0 without a schema is a difference', () => {
  const record = { payload: ROW, schema: null, writtenMs: NOW }
  assert.equal(reasonFor({ kind: 'value', path: 'value.year', theirs: 2000, ours: 0 }, record), null)
})
