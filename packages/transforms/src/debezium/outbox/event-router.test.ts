import assert from 'node:assert/strict'
import { test } from 'node:test'
import { silentLogger } from '@tributary/support'
import { captureLogger } from '@tributary/testkit'
import { assertSameOutcome, recordedCases } from '../../testing/oracle-cases.ts'
import { readRecord } from '../../testing/record-notation.ts'
import { eventRouterPlugin } from './event-router.ts'

/** What Debezium 3.6.1 does: fixtures/cases/event-router.ts. */
const cases = recordedCases('event-router')

/** By the beginning of the case's name. */
const reasons: readonly (readonly [start: string, reason: string])[] = [
  ['27.', 'Debezium throws a NullPointerException for an event whose topic is null'],
  ['32.', 'the error of a regular expression has a text of our own'],
  ['37.', 'Debezium’s text contains the key of the row'],
  ['unlike: topics', 'Debezium names the schema of every topic after the first topic that it has seen'],
  ['unlike: type:', 'Debezium throws at the first event, a NullPointerException or that a field exists twice'],
  ['unlike: ', 'Debezium combines the text with a schema that it does not have, or loses members'],
]
const deviations = Object.fromEntries(
  cases.flatMap(({ name }) => {
    const found = reasons.find(([start]) => name.startsWith(start))
    return found === undefined ? [] : [[name, found[1]] as const]
  }),
)

for (const recorded of cases) {
  test(`${recorded.name}: the same records as Debezium’s class makes`, () => {
    assertSameOutcome(recorded, { plugins: [eventRouterPlugin], deviations })
  })
}

test('the cases are many', () => {
  assert.ok(cases.length > 200)
})

test('an event whose payload cannot be expanded stays as it is, with a warning for the 1st, 10th, 100th … one', () => {
  const recorded = cases.find(({ name }) => name === 'ignore {')
  const notation = recorded?.records[0]
  assert.ok(notation !== undefined)
  const logger = captureLogger()
  const router = eventRouterPlugin.create()
  router.configure({ 'table.expand.json.payload': 'true' }, { logger })
  const record = readRecord(notation, (text) => text)
  const results = Array.from({ length: 15 }, () => router.apply(record))
  assert.equal(results[14]?.value, '{')
  assert.deepEqual(
    logger.lines.map(({ level, fields }) => [level, fields['occurrences'], fields['reason']]),
    [1, 10].map((count) => ['warn', count, 'It has no schema: a name is expected at character 1.']),
  )
})

test('the schema of a value with additional fields is named after its topic', () => {
  const recorded = cases.find(({ name }) => name === 'unlike: topics with an envelope')
  assert.ok(recorded !== undefined)
  const router = eventRouterPlugin.create()
  router.configure(recorded.options, { logger: silentLogger })
  const names = recorded.records.map((notation) => {
    const event = router.apply(readRecord(notation, (text) => text))
    return [event?.valueSchema?.name, `shop.shop.outbox.${event?.topic.replace('outbox.event.', '')}.Value`] as const
  })
  for (const [name, expected] of names) assert.equal(name, expected)
  assert.ok(new Set(names.map(([name]) => name)).size > 2)
})

test('options under the names of Debezium 1.x are read as the present ones, with a warning', () => {
  const logger = captureLogger()
  const invalid = (options: Readonly<Record<string, string>>): void =>
    eventRouterPlugin.create().configure(options, { logger })
  assert.throws(() => invalid({ 'debezium.op.invalid.behavior': 'explode' }), /Value must be one of warn, error, fatal/)
  invalid({
    'debezium.op.invalid.behavior': 'fatal',
    'table.field.event.payload.id': 'a',
    'table.field.event.key': 'b',
  })
  assert.deepEqual(
    logger.lines.map(({ message }) => message),
    [
      'The option table.field.event.payload.id has no effect, because table.field.event.key is set',
      'The option debezium.op.invalid.behavior is an old name: it is read as table.op.invalid.behavior',
    ],
  )
})
