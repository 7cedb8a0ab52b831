import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ConnectValue, Struct } from '@tributary/connect-api'
import { silentLogger } from '@tributary/support'
import { assertSameOutcome, recordedCases } from '../testing/oracle-cases.ts'
import { readRecord } from '../testing/record-notation.ts'
import { enforceRecordSizePlugin } from './enforce-record-size.ts'
import { extractChangedRecordStatePlugin } from './extract-changed-record-state.ts'
import { extractSchemaToNewRecordPlugin } from './extract-schema-to-new-record.ts'
import { headerToValuePlugin } from './header-to-value.ts'
import { readToInsertEventPlugin } from './read-to-insert-event.ts'
import { schemaChangeEventFilterPlugin } from './schema-change-event-filter.ts'

const plugins = [
  enforceRecordSizePlugin,
  extractChangedRecordStatePlugin,
  extractSchemaToNewRecordPlugin,
  headerToValuePlugin,
  readToInsertEventPlugin,
  schemaChangeEventFilterPlugin,
]

/** What Debezium 3.6.1 does: fixtures/cases/debezium-small.ts. */
const cases = recordedCases('debezium-small')
const deviations = {
  'unlike: header sets':
    'Debezium keeps the schema of the first set of headers for a table, and throws for another set',
  'unlike: header twice': 'Debezium throws at the first record',
  'unlike: header p.q.r': 'Debezium adds the value as p.q',
  'unlike: header after.p.x': 'Debezium adds an empty struct and loses the value',
  'unlike: size halves': 'Debezium cuts between the two halves of a character',
  'filter create': 'our text lists the types',
  'filter CREATE,,DROP': 'our text lists the types',
  'filter none': 'our text lists the types',
}

for (const recorded of cases) {
  test(`${recorded.name}: the same records as Debezium’s class makes`, () => {
    assertSameOutcome(recorded, { plugins, deviations })
  })
}

test('each class has cases', () => {
  for (const { className } of plugins) assert.ok(cases.some((each) => each.class === className, className))
})

/** The fields that HeaderToValue has added in each record of a case. */
function added(name: string, path: readonly string[]): readonly ConnectValue[] {
  const recorded = cases.find((each) => each.name === name)
  assert.ok(recorded !== undefined)
  const stage = headerToValuePlugin.create()
  stage.configure(recorded.options, { logger: silentLogger })
  return recorded.records.map((notation) => {
    let value = stage.apply(readRecord(notation, (text) => text))?.value ?? null
    for (const part of path) value = value instanceof Struct && value.schema.field(part) ? value.get(part) : null
    return value
  })
}

test('records of one table may have different headers', () => {
  assert.deepEqual(added('unlike: header sets', ['a']), ['eu', 'eu', null, 'eu'])
  assert.deepEqual(added('unlike: header sets', ['b']), [null, 5, 5, 5])
})

test('structs for the value of a header are made at any depth', () => {
  assert.deepEqual(added('unlike: header p.q.r', ['p', 'q', 'r']), ['eu'])
  assert.deepEqual(added('unlike: header after.p.x', ['after', 'p', 'x']), ['eu'])
})
