import assert from 'node:assert/strict'
import { test } from 'node:test'
import { silentLogger } from '@tributary/support'
import { assertSameOutcome, recordedCases } from '../testing/oracle-cases.ts'
import { readRecord } from '../testing/record-notation.ts'
import { byLogicalTableRouterPlugin, toLogicalTopicRouterPlugin } from './logical-table-router.ts'

/** What Debezium 3.6.1 does: fixtures/cases/logical-table-router.ts. */
const cases = recordedCases('logical-table-router')
const deviations = Object.fromEntries(
  cases
    .filter(({ refused }) => refused === 'Unable to validate config.')
    .map(({ name }) => [name, 'our text names the option; Debezium’s is in its log'] as const),
)

for (const recorded of cases) {
  test(`${recorded.name}: the same records as Debezium’s class makes`, () => {
    assertSameOutcome(recorded, { plugins: [byLogicalTableRouterPlugin], deviations })
  })
}

test('options that Debezium refuses are refused when they are parsed', () => {
  const refused = cases.filter((each) => each.refused !== undefined)
  assert.equal(refused.length, 7)
  for (const { options, name } of refused) assert.throws(() => byLogicalTableRouterPlugin.config.parse(options), name)
})

test('the successor has the same outcome, and both names of the size of the cache', () => {
  for (const size of ['logical.destination.cache.size', 'logical.table.cache.size']) {
    const [recorded] = cases
    assert.ok(recorded !== undefined)
    const options = { ...recorded.options, [size]: '32', 'key.field.name': 'k' }
    const [older, newer] = [byLogicalTableRouterPlugin, toLogicalTopicRouterPlugin].map((plugin) => {
      const stage = plugin.create()
      assert.equal(plugin.config.parse(options).integer(plugin.config.keys.at(-1)?.name ?? ''), 32)
      stage.configure(options, { logger: silentLogger })
      return stage.apply(readRecord(recorded.records[0] ?? assert.fail(), (text) => text))
    })
    assert.equal(older?.topic, 'shop.all.orders')
    assert.deepEqual(older, newer)
  }
})

test('the default name of the field of keys is that of the class', () => {
  const [recorded] = cases
  const names = [byLogicalTableRouterPlugin, toLogicalTopicRouterPlugin].map((plugin) => {
    const stage = plugin.create()
    stage.configure(recorded?.options ?? {}, { logger: silentLogger })
    const changed = stage.apply(readRecord(recorded?.records[0] ?? assert.fail(), (text) => text))
    return changed?.keySchema?.fields.at(-1)?.name
  })
  // Of the documentation of both classes.
  assert.deepEqual(names, ['__dbz__physicalTableIdentifier', '__dbz__sourceIdentifier'])
})
