/**
 * Expected values by the formulas of Kafka's `Avg`, `Max` and `Rate` over two samples of 30 s: a rate divides by the time
 * since the oldest sample began, to which a whole window is added while that is shorter than one window.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WindowStat } from './window-stat.ts'

const T0 = 1_700_000_000_000

test('without values, average and maximum are NaN and the rate is 0, as in the JMX beans', () => {
  const stat = new WindowStat()
  assert.deepEqual([stat.average(T0), stat.max(T0), stat.rate(T0)], [Number.NaN, Number.NaN, 0])
})

test('in the first window, the rate is over the time so far and one window', () => {
  const stat = new WindowStat()
  stat.record(100, T0)
  stat.record(50, T0 + 10_000)
  assert.deepEqual([stat.average(T0 + 10_000), stat.max(T0 + 10_000), stat.rate(T0 + 10_000)], [75, 100, 150 / 40])
})

test('the window before the current one counts, older ones do not', () => {
  const stat = new WindowStat()
  stat.record(1_000, T0)
  stat.record(10, T0 + 30_000)
  assert.deepEqual([stat.max(T0 + 45_000), stat.rate(T0 + 45_000)], [1_000, 1_010 / 45])
  stat.record(20, T0 + 60_000)
  assert.deepEqual([stat.max(T0 + 60_000), stat.average(T0 + 60_000)], [20, 15])
})

test('after two windows without a value nothing is left but the total', () => {
  const stat = new WindowStat()
  stat.record(7, T0)
  assert.deepEqual([stat.average(T0 + 60_000), stat.rate(T0 + 60_000), stat.total], [Number.NaN, 0, 7])
})
