import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { ConfigError } from '@tributary/connect-api'
import { CodedError, silentLogger } from '@tributary/support'
import { encodedText, plainText } from '@tributary/testkit'
import { eventRecords, otherRecords, outcomeOf, type StoredExpression } from '../../fixtures/expression-records.ts'
import { readRecord, type RecordNotation, writeRecord } from '../testing/record-notation.ts'
import { contentBasedRouterPlugin } from './content-based-router.ts'
import { filterPlugin } from './filter.ts'

/** What Debezium’s classes do with the scripting engines of Groovy and Graal.js: fixtures/cases. */
function stored(name: string): readonly StoredExpression[] {
  const file = readFileSync(new URL(`../../fixtures/${name}.jsonl.gz`, import.meta.url))
  return gunzipSync(file)
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as StoredExpression)
}

/** Our outcomes, for both forms of texts. */
function outcomesOf({ class: name, options }: StoredExpression, records: readonly RecordNotation[]): readonly string[] {
  const plugin = [filterPlugin, contentBasedRouterPlugin].find(({ className }) => className === name)
  assert.ok(plugin !== undefined)
  const stage = plugin.create()
  try {
    stage.configure(options, { logger: silentLogger })
  } catch (error) {
    if (error instanceof ConfigError || error instanceof CodedError) return [`refused: ${error.message}`]
    throw error
  }
  const [plain, encoded] = [plainText, encodedText].map((textOf) =>
    records.map((notation) => {
      try {
        const record = stage.apply(readRecord(notation, textOf))
        return outcomeOf({ record: record === null ? null : writeRecord(record) })
      } catch (error) {
        assert.ok(error instanceof CodedError, error instanceof Error ? error.stack : String(error))
        return outcomeOf({ error: error.message })
      }
    }),
  )
  assert.deepEqual(plain, encoded)
  return plain ?? []
}

/** Expressions with another outcome, with the reason. */
const GROOVY_DEVIATIONS: Readonly<Record<string, string>> = {
  'value.after?.name ==~ null': 'a pattern must be a literal',
  'value.after?.name?.getAt(0)': 'brackets have the same meaning',
}

test('Groovy expressions have the results of Debezium with Groovy', () => {
  const expressions = stored('expressions-groovy')
  assert.ok(expressions.length > 700)
  for (const expression of expressions) {
    const { condition = '' } = expression.options
    const ours = outcomesOf(expression, eventRecords)
    if (condition in GROOVY_DEVIATIONS)
      assert.notDeepEqual(ours, expression.outcomes, `remove the deviation ${condition}`)
    else assert.deepEqual(ours, expression.outcomes, condition)
  }
})

test('JavaScript expressions have the results of Debezium with Graal.js', () => {
  const expressions = stored('expressions-javascript')
  assert.ok(expressions.length > 350)
  for (const expression of expressions) {
    const ours = outcomesOf(expression, eventRecords)
    assert.deepEqual(ours.map(asNumber), expression.outcomes.map(asNumber), expression.options['condition'])
  }
})

/** Graal.js has some whole numbers as Double, others as Integer, which shows in the text only. */
function asNumber(outcome: string): string {
  return /^-?\d/.test(outcome) ? String(Number(outcome)) : outcome
}

const options = stored('content-based-router')

for (const expression of options.filter(({ outcomes }) => !isRefused(outcomes))) {
  test(`${JSON.stringify(expression.options)}: the same records`, () => {
    const ours = outcomesOf(expression, [...eventRecords, ...otherRecords])
    // For Java, a text with inserted values is no String. Ours is a topic.
    const isInterpolated = expression.options['topic.expression'] === '"x.${topic}"'
    const expected = isInterpolated
      ? expression.outcomes.map((outcome) => (outcome.startsWith('x.') ? `→ ${outcome}` : outcome))
      : expression.outcomes
    assert.deepEqual(ours, expected)
  })
}

for (const expression of options.filter(({ outcomes }) => isRefused(outcomes))) {
  test(`${JSON.stringify(expression.options)}: refused, as by Debezium`, () => {
    // The texts are ours: Debezium has the reasons in its log only.
    assert.ok(isRefused(outcomesOf(expression, eventRecords)))
  })
}

function isRefused(outcomes: readonly string[]): boolean {
  return outcomes[0]?.startsWith('refused: ') === true
}

test('headers have the name of the documentation, and that of the code', () => {
  for (const condition of ["header.trace.value == 'abc'", "headers.trace.value == 'abc'"]) {
    const expression = { class: 'io.debezium.transforms.Filter', options: { language: 'jsr223.groovy', condition } }
    assert.deepEqual(outcomesOf({ ...expression, outcomes: [] }, eventRecords), ['true', 'true', 'true', 'true'])
  }
})

test('a value that is no boolean fails with its text, the place and the remedy', () => {
  const stage = filterPlugin.create()
  stage.configure({ language: 'jsr223.groovy', condition: 'value.after.id + 1' }, { logger: silentLogger })
  const [record] = eventRecords.map((notation) => readRecord(notation, plainText))
  assert.ok(record !== undefined)
  assert.throws(() => stage.apply(record), {
    name: 'io.debezium.DebeziumException',
    message:
      "Error while evaluating expression 'value.after.id + 1' at character 16: Value '2' returned by the expression is not a Boolean. Compare the value, as in != null.",
  })
})

test('tombstones in JavaScript are null, and JavaScript may call the methods of Struct', () => {
  const options = { language: 'jsr223.js', condition: "value == null || value.get('op') == 'c'" }
  const all = { ...options, 'null.handling.mode': 'evaluate' }
  const expression = { class: 'io.debezium.transforms.Filter', options: all, outcomes: [] }
  const tombstone = otherRecords.slice(0, 1)
  assert.deepEqual(outcomesOf(expression, [...eventRecords, ...tombstone]), ['true', 'false', 'false', 'false', 'true'])
})
