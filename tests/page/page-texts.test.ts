import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { LiveConnector } from '@tributary/rest-api'
import { COUNTER_NAMES } from '../../packages/ui/src/counter-names.ts'
import { defaultTopic } from '../../packages/ui/src/events/default-topic.ts'
import { formatRows } from '../../packages/ui/src/format.ts'
import { lossText, remainingText } from '../../packages/ui/src/loss-text.ts'

type Loss = LiveConnector['timeToLoss']

const losses: readonly (readonly [loss: Loss, shown: string])[] = [
  [null, '–'],
  [{ status: 'lost', seconds: 0, running_out: false }, 'Lost'],
  [{ status: 'unlimited', seconds: null, running_out: false }, 'Unlimited'],
  [{ status: 'unknown', seconds: null, running_out: false }, 'Unknown'],
  [{ status: 'ok', seconds: null, running_out: false }, 'No end'],
  [{ status: 'warning', seconds: 0, running_out: true }, 'Now'],
  [{ status: 'warning', seconds: 5_430, running_out: true }, '1 h 30 min'],
]

for (const [loss, shown] of losses) {
  test(`the time to loss ${JSON.stringify(loss)} is shown as ${shown}`, () => {
    assert.equal(lossText(loss), shown)
  })
}

test('a warning is a sentence, whatever time is left', () => {
  assert.deepEqual(
    [5_430, 0, null].map((seconds) => remainingText(seconds)),
    [
      'The database may delete binlog that the connector still needs in 1 h 30 min at the earliest.',
      'The database may delete binlog that the connector still needs at any moment.',
      'The database may delete binlog that the connector still needs soon.',
    ],
  )
})

const topics: readonly (readonly [topics: readonly string[], chosen: string])[] = [
  [[], ''],
  [['shop', 'shop.crm.t', 'shop.transaction'], 'shop.crm.t'],
  // Dots in the prefix, and databases after `transaction` in the alphabet.
  [['__debezium-heartbeat.eu.a.b', 'eu.a.b', 'eu.a.b.transaction', 'eu.a.b.zoo.t'], 'eu.a.b.zoo.t'],
  // Without schema changes, or with routed topics.
  [['__debezium-heartbeat.shop', 'shop.crm.t'], 'shop.crm.t'],
  [['__debezium-heartbeat.shop', 'orders'], 'orders'],
]

for (const [all, chosen] of topics) {
  test(`of the topics ${all.join(', ')}, ${chosen} is shown first`, () => {
    assert.equal(defaultTopic(all), chosen)
  })
}

test('every counter of a task has a name for people', () => {
  const packages = join(import.meta.dirname, '../../packages')
  const sources = globSync('*/src/**/*.ts', { cwd: packages, exclude: ['**/*.test.ts'] })
  const counters = sources.flatMap((file) =>
    Array.from(
      readFileSync(join(packages, file), 'utf8').matchAll(/\bmeter\.counter\('([^']+)'\)/g),
      ([, name = '']) => name,
    ),
  )
  assert.ok(counters.length > 15)
  assert.deepEqual(
    counters.filter((name) => COUNTER_NAMES[name] === undefined),
    [],
  )
})

test('one row is no rows', () => {
  assert.deepEqual([0, 1, 1_234].map(formatRows), ['0 rows', '1 row', '1,234 rows'])
})
