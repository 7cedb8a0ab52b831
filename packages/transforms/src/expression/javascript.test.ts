import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileFunction } from 'node:vm'
import { type ConnectValue, Struct } from '@tributary/connect-api'
import { plainText, seededRandom } from '@tributary/testkit'
import { eventRecords } from '../../fixtures/expression-records.ts'
import { randomExpression } from '../../fixtures/random-expressions.ts'
import { readRecord } from '../testing/record-notation.ts'
import { EvaluationError } from './expression-error.ts'
import { Expression } from './expression.ts'

const records = eventRecords.map((notation) => readRecord(notation, plainText))

/** The struct as an object, as JavaScript sees it: with the default instead of null. */
function plainObject(value: ConnectValue): unknown {
  if (!(value instanceof Struct)) return value
  const entries = value.schema.fields.map(({ name, index, schema }) => [
    name,
    plainObject(value.at(index) ?? schema.defaultValue),
  ])
  return Object.fromEntries(entries) as unknown
}

function resultOf(evaluate: () => unknown): unknown {
  try {
    return evaluate()
  } catch (error) {
    if (error instanceof EvaluationError || (error instanceof Error && error.name === 'TypeError')) return 'fails'
    throw error
  }
}

test('random JavaScript expressions have the values that Node computes', () => {
  const seed = Math.floor(Math.random() * 2 ** 31)
  const random = seededRandom(seed)
  let compared = 0
  while (compared < 4_000) {
    const source = randomExpression(random, 'javascript', 4)
    // A decimal is no number of JavaScript: Graal.js judges those.
    if (source.includes('price')) continue
    const theirs = compileFunction(`return (${source})`, ['value', 'topic']) as (
      value: unknown,
      topic: string,
    ) => unknown
    const ours = new Expression(source, 'javascript')
    for (const record of records) {
      const expected = resultOf(() => theirs(plainObject(record.value), record.topic))
      assert.deepEqual(
        resultOf(() => ours.evaluate(record)),
        expected,
        `seed ${seed}: ${source}`,
      )
      compared += 1
    }
  }
})
