import assert from 'node:assert/strict'
import { test } from 'node:test'
import { transformationPlugins } from '../index.ts'
import { assertSameOutcome, recordedCases } from '../testing/oracle-cases.ts'

/** What Kafka 4.3.1 does: fixtures/cases/kafka-structs.ts. */
const cases = recordedCases('kafka-structs')

const AT_ONCE = 'Connect fails at the first record, we refuse the option'
const DEVIATIONS: readonly (readonly [name: RegExp, reason: string])[] = [
  [/^ExtractField.* 20 /, AT_ONCE],
  [/^HoistField.* 2 /, AT_ONCE],
  [/^InsertField.* 6 /, 'Connect prints the identity of an object instead of the name of the field'],
  [/^InsertField.* (8|9|10) /, AT_ONCE],
  [/^MaskField.* [56] /, 'Connect writes a decimal of another scale than its schema, which its converters refuse'],
  [/^ReplaceField.* 7 /, 'Connect reads a field by the name that it would have before an unrelated renaming'],
  [/^SetSchemaMetadata.* 9 /, 'Connect fails at schemas that are no structs'],
  [/^HeaderFrom.* 99 /, 'Connect throws a NullPointerException for a field that the struct does not have'],
  [/^TimestampRouter 3 /, AT_ONCE],
  [/^TimestampRouter 9 /, 'Connect prints the whole record'],
  [/TopicNameMatches 4 /, 'the error of a regular expression has a text of our own'],
]
const deviations = Object.fromEntries(
  DEVIATIONS.flatMap(([pattern, reason]) =>
    cases.filter(({ name }) => pattern.test(name)).map(({ name }) => [name, reason] as const),
  ),
)

for (const recorded of cases) {
  test(`${recorded.name}: the same as Kafka’s class`, () => {
    assertSameOutcome(recorded, { plugins: transformationPlugins, deviations })
  })
}

test('the cases are many', () => {
  assert.ok(cases.length > 150)
})
