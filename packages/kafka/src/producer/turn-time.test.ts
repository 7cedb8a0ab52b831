import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CALLS_MAX, TurnTime } from './turn-time.ts'

test('the time is constant within one run of code and is read again after an await', async () => {
  let nowMs = 1_700_000_000_000
  const time = new TurnTime({ now: () => nowMs })
  assert.equal(time.now(), 1_700_000_000_000)

  nowMs += 50
  assert.equal(time.now(), 1_700_000_000_000)

  await Promise.resolve()
  assert.equal(time.now(), 1_700_000_000_050)
})

test('the time is read again after CALLS_MAX calls', () => {
  let nowMs = 0
  const time = new TurnTime({ now: () => nowMs++ })
  const times = Array.from({ length: 2 * CALLS_MAX + 1 }, () => time.now())
  assert.deepEqual(
    [times[0], times[CALLS_MAX - 1], times[CALLS_MAX], times[2 * CALLS_MAX - 1], times.at(-1)],
    [0, 0, 1, 1, 2],
  )
})
