import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CALLS_MAX, TurnTime } from './turn-time.ts'

test('the time stands still for what happens without a pause, and is read again behind one', async () => {
  let nowMs = 1_700_000_000_000
  const time = new TurnTime({ now: () => nowMs })
  assert.equal(time.now(), 1_700_000_000_000)

  nowMs += 50
  assert.equal(time.now(), 1_700_000_000_000)

  await Promise.resolve()
  assert.equal(time.now(), 1_700_000_000_050)
})

test('it does not stand still for long', () => {
  let nowMs = 0
  const time = new TurnTime({ now: () => nowMs++ })
  const times = Array.from({ length: 2 * CALLS_MAX + 1 }, () => time.now())
  assert.deepEqual(
    [times[0], times[CALLS_MAX - 1], times[CALLS_MAX], times[2 * CALLS_MAX - 1], times.at(-1)],
    [0, 0, 1, 1, 2],
  )
})
