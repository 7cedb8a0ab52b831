import type { TransformationStage } from '@tributary/connect-api'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testRecordErrors } from './testing/test-record-errors.ts'
import { recordAt } from './testing/test-record.ts'
import { TransformationChain } from './transformation-chain.ts'

const toUpper: TransformationStage = { apply: (record) => ({ ...record, topic: record.topic.toUpperCase() }) }
const suffix: TransformationStage = { apply: (record) => ({ ...record, topic: `${record.topic}-x` }) }
const dropSecond: TransformationStage = { apply: (record) => (record.value === 'v2' ? null : record) }

function chainOf(stages: readonly TransformationStage[]): TransformationChain {
  return new TransformationChain(
    stages.map((stage) => ({ className: 'org.example.Stage', stage })),
    testRecordErrors(),
  )
}

function topicsAfter(...stages: readonly TransformationStage[]): readonly (string | null)[] {
  const { records } = chainOf(stages).apply([recordAt(1)])
  return records.map((record) => record?.topic ?? null)
}

test('stages run one after the other; without stages the records stay the same list', () => {
  const polled = [recordAt(1)]
  assert.equal(chainOf([]).apply(polled).records, polled)
  assert.deepEqual(topicsAfter(suffix, toUpper), ['ORDERS-X'])
  assert.deepEqual(topicsAfter(toUpper, suffix), ['ORDERS-x'])
})

test('a dropped record keeps its place as null and reaches no further stage', () => {
  const seen: unknown[] = []
  const watch: TransformationStage = {
    apply: (record) => {
      seen.push(record.value)
      return record
    },
  }
  const chain = chainOf([dropSecond, watch])
  const { records, dropped, failure } = chain.apply([1, 2, 3].map((at) => recordAt(at)))
  assert.deepEqual(
    [records.map((record) => record?.value ?? null), dropped, seen, failure],
    [['v1', null, 'v3'], 1, ['v1', 'v3'], null],
  )
})

test('a failing stage yields the records before it, and an error that names topic and position', () => {
  const failing: TransformationStage = {
    apply: (record) => {
      if (record.value === 'v2') throw new TypeError('the field is not a string')
      return record
    },
  }
  const { records, failure } = chainOf([failing]).apply([1, 2, 3].map((at) => recordAt(at)))
  assert.deepEqual(
    records.map((record) => record?.value),
    ['v1'],
  )
  assert.match(
    failure?.message ?? '',
    /^Tolerance exceeded in error handler: a record for topic orders from source position \{"pos":2\} could not be transformed: the field is not a string\./,
  )
})
