import assert from 'node:assert/strict'
import { test } from 'node:test'
import { effectiveThresholds, LossWarnings } from './loss-warnings.ts'

const THRESHOLDS = [86_400, 21_600, 3600]

/** The thresholds that a series of remaining times passes. */
function passed(series: readonly (number | null)[], isRunningOut = true): readonly (number | null)[] {
  const warnings = new LossWarnings()
  return series.map((seconds) => warnings.next({ seconds, isRunningOut, thresholds: THRESHOLDS }))
}

test('each threshold is passed once', () => {
  assert.deepEqual(passed([90_000, 86_400, 86_340, 21_700, 21_600, 21_540, 3601, 3600, 0]), [
    null,
    86_400,
    null,
    null,
    21_600,
    null,
    null,
    3600,
    null,
  ])
})

test('a jump over several thresholds is one warning', () => {
  assert.deepEqual(passed([90_000, 3000, 2900]), [null, 3600, null])
})

test('an estimate that varies around a threshold passes it once, one that recovered passes it again', () => {
  assert.deepEqual(passed([21_500, 22_000, 21_500, 90_000, 86_000]), [21_600, null, null, null, null])
  assert.deepEqual(passed([3500, 200_000, 86_000]), [3600, null, 86_400])
})

test('a time that does not run out passes nothing', () => {
  assert.deepEqual(passed([3000, null, 3000], false), [null, null, null])
})

test('a retention that is shorter than all thresholds counts as half of it', () => {
  assert.deepEqual(effectiveThresholds(THRESHOLDS, 2_592_000), THRESHOLDS)
  assert.deepEqual(effectiveThresholds(THRESHOLDS, 43_200), [21_600, 3600])
  assert.deepEqual(effectiveThresholds(THRESHOLDS, 3600), [1800])
  assert.deepEqual(effectiveThresholds(THRESHOLDS, null), THRESHOLDS)
  assert.deepEqual(effectiveThresholds([], 3600), [])
})
