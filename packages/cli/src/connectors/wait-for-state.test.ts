import { fakeClock } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RestClient } from './rest-client.ts'
import { waitForState } from './wait-for-state.ts'

/** Answers a status for each state of the task, the last one again and again. */
function clientOf(states: readonly string[]): RestClient & { asked: number } {
  const client = {
    url: 'http://fake',
    asked: 0,
    request: () => {
      const state = states[Math.min(client.asked, states.length - 1)]
      client.asked += 1
      const json = { name: 'c', connector: { state: 'RUNNING' }, tasks: [{ id: 0, state }], type: 'source' }
      return Promise.resolve({ status: 200, text: JSON.stringify(json), json })
    },
  }
  return client as unknown as RestClient & { asked: number }
}

/** Lets the time go by that the wait takes; gives how often it looked, and the state that it found. */
async function looks(states: readonly string[], isChanging: boolean): Promise<readonly [number, string | undefined]> {
  const [clock, client] = [fakeClock(), clientOf(states)]
  const waited = waitForState('c', 'settled', { client, clock, limitSeconds: 60, isChanging })
  let isDone = false
  const noteEnd = (): boolean => (isDone = true)
  void waited.then(noteEnd, noteEnd)
  // Past its limit it has ended, one way or the other.
  for (let passedMs = 0; !isDone && passedMs <= 61_000; passedMs += 200) await clock.advance(200)
  assert.ok(isDone, 'the wait knows no limit')
  return [client.asked, (await waited).status.tasks[0]?.state]
}

test('of what was told to begin anew, RUNNING counts only when it was otherwise before, or has been so for long', async () => {
  assert.deepEqual(await looks(['RUNNING'], false), [1, 'RUNNING'])
  assert.deepEqual(await looks(['RUNNING', 'RUNNING', 'UNASSIGNED', 'FAILED'], true), [4, 'FAILED'])
  // Nothing had to change: 2 s, with a look each 200 ms.
  assert.deepEqual(await looks(['RUNNING'], true), [11, 'RUNNING'])
})
