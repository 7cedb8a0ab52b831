import { fakeClock } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RestClient } from './rest-client.ts'
import { waitForState } from './wait-for-state.ts'

/** Answers each request with the next state of the task, and further ones with the last state. */
function clientOf(states: readonly string[]): RestClient & { requests: number } {
  const client = {
    url: 'http://fake',
    requests: 0,
    request: () => {
      const state = states[Math.min(client.requests, states.length - 1)]
      client.requests += 1
      const json = { name: 'c', connector: { state: 'RUNNING' }, tasks: [{ id: 0, state }], type: 'source' }
      return Promise.resolve({ status: 200, text: JSON.stringify(json), json })
    },
  }
  return client as unknown as RestClient & { requests: number }
}

/** Advances the clock until the wait ends. Returns the number of requests and the state of the task. */
async function requestsUntilSettled(
  states: readonly string[],
  isChanging: boolean,
): Promise<readonly [number, string | undefined]> {
  const [clock, client] = [fakeClock(), clientOf(states)]
  const waited = waitForState('c', 'settled', { client, clock, limitSeconds: 60, isChanging })
  let isDone = false
  const noteEnd = (): boolean => (isDone = true)
  void waited.then(noteEnd, noteEnd)
  // After its limit it must have ended.
  for (let passedMs = 0; !isDone && passedMs <= 61_000; passedMs += 200) await clock.advance(200)
  assert.ok(isDone, 'the wait has no limit')
  return [client.requests, (await waited).status.tasks[0]?.state]
}

test('after a request for a restart, RUNNING counts only after another state, or after 2 s', async () => {
  assert.deepEqual(await requestsUntilSettled(['RUNNING'], false), [1, 'RUNNING'])
  assert.deepEqual(await requestsUntilSettled(['RUNNING', 'RUNNING', 'UNASSIGNED', 'FAILED'], true), [4, 'FAILED'])
  // No other state follows: 2 s, with a request every 200 ms.
  assert.deepEqual(await requestsUntilSettled(['RUNNING'], true), [11, 'RUNNING'])
})
