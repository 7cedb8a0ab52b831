import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recordAt } from './testing/test-record.ts'
import { TransformationChain, type TransformationStage } from './transformation-chain.ts'

const toUpper: TransformationStage = { apply: (record) => ({ ...record, topic: record.topic.toUpperCase() }) }
const suffix: TransformationStage = { apply: (record) => ({ ...record, topic: `${record.topic}-x` }) }
const drop: TransformationStage = { apply: () => null }
const never: TransformationStage = { apply: () => assert.fail('a dropped record goes no further') }

test('stages work one after the other; without any the record stays the same object', () => {
  const record = recordAt(1)
  assert.equal(new TransformationChain([]).apply(record), record)
  assert.equal(new TransformationChain([suffix, toUpper]).apply(record)?.topic, 'ORDERS-X')
  assert.equal(new TransformationChain([toUpper, suffix]).apply(record)?.topic, 'ORDERS-x')
})

test('a stage that drops a record ends the chain', () => {
  assert.equal(new TransformationChain([suffix, drop, never]).apply(recordAt(1)), null)
})
