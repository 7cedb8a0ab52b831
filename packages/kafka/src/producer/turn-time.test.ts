import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TurnTime } from './turn-time.ts'

test('the time stands still for what happens without a pause, and is read again behind one', async () => {
  let nowMs = 1_700_000_000_000
  const time = new TurnTime({ now: () => nowMs })
  assert.equal(time.now(), 1_700_000_000_000)

  nowMs += 50
  assert.equal(time.now(), 1_700_000_000_000)

  await Promise.resolve()
  assert.equal(time.now(), 1_700_000_000_050)
})
