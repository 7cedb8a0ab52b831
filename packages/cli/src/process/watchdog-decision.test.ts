import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WatchdogDecision, type Observation } from './watchdog-decision.ts'

const idle: Observation = { beat: 0, stopLimitMs: 0, isDebugged: false }

/** The tags of the decisions in as many ticks, and the number of the tick in which each was made; without `none`. */
function decisions(ticks: number, observe: (tick: number) => Partial<Observation>): readonly string[] {
  const decision = new WatchdogDecision()
  return Array.from(
    { length: ticks },
    (_, i) => `${i + 1} ${decision.tick({ ...idle, ...observe(i + 1) }).tag}`,
  ).filter((text) => !text.endsWith('none'))
}

test('a main thread that responds is never reported, however rarely it does', () => {
  assert.deepEqual(
    decisions(600, (tick) => ({ beat: Math.floor(tick / 9) })),
    [],
  )
})

test('a main thread that no longer responds is reported after 10 s, and the process ends after 30', () => {
  const lastBeat = 5
  assert.deepEqual(
    decisions(35, (tick) => ({ beat: Math.min(tick, lastBeat) })),
    ['15 report', '35 end'],
  )
})

test('it is not ended when it responds again', () => {
  assert.deepEqual(
    decisions(59, (tick) => ({ beat: Number(tick >= 29) })),
    ['11 report', '39 report', '59 end'],
  )
})

test('a stop that takes longer than its limit ends the process, also while the main thread responds', () => {
  assert.deepEqual(
    decisions(24, (tick) => ({ beat: tick, stopLimitMs: tick >= 10 ? 13_500 : 0 })),
    ['23 end', '24 end'],
  )
})

test('nothing is overdue while a debugger is attached', () => {
  assert.deepEqual(
    decisions(100, () => ({ stopLimitMs: 1_000, isDebugged: true })),
    [],
  )
})
