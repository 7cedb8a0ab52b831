import assert from 'node:assert/strict'
import { test } from 'node:test'
import { transformationPlugins } from '../index.ts'
import { assertSameOutcome, recordedCases } from '../testing/oracle-cases.ts'

/** What Kafka 4.3.1 does on Java 17, and with the literals of InsertHeader: fixtures/cases/kafka-timestamps.ts. */
const cases = recordedCases('kafka-timestamps')

const PATTERN = 'the message of Connect has its parts in the wrong places'
const DEVIATIONS: readonly (readonly [name: RegExp, reason: string])[] = [
  [/"format":"(yyyy-MM-ddTHH|yyyy 'open|XXXX|B)"/, PATTERN],
  [/"Date","replace.null.with.default":"(true|false)"/, 'Connect cuts the high bits of a day beyond the range'],
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
  assert.ok(cases.length > 200)
})
