import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeClock } from '@tributary/testkit'
import { OUTAGE_MS, OutageWatch } from './outage-watch.ts'

const QUIET = { pending: 0, completed: 0, isCommitFailing: false, mayWrite: true }

for (const [what, state, moves, expected] of [
  ['nothing is in flight', QUIET, 0, false],
  ['records are acknowledged', { ...QUIET, pending: 7 }, 1, false],
  ['records in flight are not acknowledged', { ...QUIET, pending: 1 }, 0, true],
  ['offsets cannot be stored', { ...QUIET, isCommitFailing: true }, 1, true],
  ['the worker has not heard of its group', { ...QUIET, mayWrite: false }, 0, true],
] as const) {
  test(`${expected ? 'an' : 'no'} outage: ${what}`, async () => {
    const clock = fakeClock()
    let completed = 0
    const watch = new OutageWatch({
      delivered: () => ({ ...state, completed }),
      mayWrite: () => state.mayWrite,
      clock,
    })
    for (let passedMs = 0; passedMs < OUTAGE_MS; passedMs += 1_000) {
      watch.look()
      assert.equal(watch.isOutage, false)
      completed += moves
      await clock.advance(1_000)
    }
    watch.look()
    assert.equal(watch.isOutage, expected)
  })
}

test('an outage is over with the first acknowledgement', async () => {
  const clock = fakeClock()
  let completed = 0
  const delivered = () => ({ pending: 9, completed, isCommitFailing: false })
  const watch = new OutageWatch({ delivered, mayWrite: () => true, clock })
  watch.look()
  await clock.advance(OUTAGE_MS)
  watch.look()
  assert.equal(watch.isOutage, true)
  completed = 1
  watch.look()
  assert.equal(watch.isOutage, false)
})
