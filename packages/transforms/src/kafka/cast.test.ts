import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertSameOutcome, recordedCases } from '../testing/oracle-cases.ts'
import { castPlugins } from './cast.ts'

/** What Kafka 4.3.1 does on Java 17: fixtures/cases/kafka-cast.ts. */
const cases = recordedCases('kafka-cast')

const UNTYPED = 'a number without a schema has no type here: a whole one is written as an integer'
const WRONG_TEXT = 'the message of Connect has its parts in the wrong places'
const deviations = {
  'Value float32': UNTYPED,
  'Value float64': UNTYPED,
  'Value a:float32,b:float32': UNTYPED,
  'Value a:float64,b:float64': UNTYPED,
  'Value a:': WRONG_TEXT,
  'Value a:int': WRONG_TEXT,
  'Value x': WRONG_TEXT,
  'Value a:int8,,b:int8': WRONG_TEXT,
}

for (const recorded of cases) {
  test(`${recorded.name}: the values that Kafka’s class makes`, () => {
    assertSameOutcome(recorded, { plugins: castPlugins, deviations })
  })
}

test('the cases are many', () => {
  assert.ok(cases.length > 140)
})
