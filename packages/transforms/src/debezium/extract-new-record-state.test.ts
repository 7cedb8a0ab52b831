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

test('the cases are many', () => {
  assert.ok(cases.length > 100)
})
