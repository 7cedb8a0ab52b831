import { TableId, TopicNaming } from '@tributary/connector-kit'
import type { Logger } from '@tributary/support'
import { silentLogger } from '@tributary/support'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TableTopics } from './table-topics.ts'

function warningsOf(naming: TopicNaming, tables: readonly (readonly [string, string])[]): readonly string[] {
  const warnings: string[] = []
  const logger: Logger = { ...silentLogger, warn: (text) => warnings.push(text) }
  const topics = new TableTopics(naming, logger)
  for (const [database, table] of tables) topics.of(TableId.of(database, table))
  return warnings
}

test('two tables that share a topic without a field in keys are one warning, however often they are compiled', () => {
  const warnings = warningsOf(new TopicNaming({ prefix: 'p', parts: 'table' }), [
    ['shop_1', 'orders'],
    ['shop_1', 'orders'],
    ['shop_1', 'customers'],
    ['shop_2', 'orders'],
    ['shop_3', 'orders'],
    ['shop_1', 'orders'],
  ])
  assert.equal(warnings.length, 1)
  assert.match(warnings[0] ?? '', /^The tables shop_1\.orders and shop_2\.orders share the topic p\.orders, /)
})

test('tables with topics of their own are no warning', () => {
  const tables = [
    ['shop_1', 'orders'],
    ['shop_2', 'orders'],
  ] as const
  assert.deepEqual(warningsOf(new TopicNaming({ prefix: 'p' }), tables), [])
})
