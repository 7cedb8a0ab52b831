import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import type { SignalResult } from '@tributary/connect-api'
import { fakeClock } from '@tributary/testkit'
import { IncrementalProgress } from '../offset/incremental-progress.ts'
import { SignalRequests } from './signal-requests.ts'

function scene() {
  const clock = fakeClock()
  const requests = new SignalRequests(clock, 'shop')
  let progress = IncrementalProgress.none
  const runs: string[] = []
  const answers: (readonly [id: string, result: SignalResult])[] = []
  return {
    clock,
    requests,
    runs,
    answers,
    send: (id: string) => {
      void requests.send({ id, type: 'log', data: '' }).then((result) => answers.push([id, result]))
    },
    take: () =>
      requests.take(
        () => progress,
        ({ id }) => {
          runs.push(id)
          progress = progress.withSignalId(id)
          return null
        },
      ),
    /** As a restart would read it. */
    stored: () => IncrementalProgress.parse(progress.toDocument()),
  }
}

const accepted = (id: string, isRepeated = false): readonly [string, SignalResult] => [
  id,
  { tag: 'accepted', isRepeated },
]
const ids = (count: number): readonly string[] => Array.from({ length: count }, (_, i) => `s${i}`)

test('of many signals before one stored offset, each is answered, and run once', async () => {
  const { requests, runs, answers, send, take, stored } = scene()
  const all = ids(40)
  const again = new Set<string>()
  for (const id of all) send(id)
  for (let round = 0; round < 3; round += 1) {
    take()
    // Nothing is stored meanwhile.
    take()
    const known = stored()
    // As a client does that got no answer.
    for (const id of known.signalIds.filter((each) => !again.has(each))) send(id)
    for (const id of known.signalIds) again.add(id)
    take()
    requests.stored(known)
    await setImmediate()
  }
  assert.deepEqual(runs, all)
  for (const id of all)
    assert.deepEqual(
      answers.filter(([each]) => each === id),
      [accepted(id), accepted(id, true)],
    )
  assert.equal(requests.isWaiting, false)
})

test('a repeated signal is answered before its id is pushed out', async () => {
  const { requests, runs, answers, send, take, stored } = scene()
  for (const id of ids(16)) send(id)
  take()
  requests.stored(stored())
  send('s0')
  take()
  send('new')
  take()
  assert.equal(runs.includes('new'), false)
  requests.stored(stored())
  take()
  requests.stored(stored())
  await setImmediate()
  assert.deepEqual(answers.slice(16), [accepted('s0', true), accepted('new')])
})

test('a request joins the one with its id; too many are refused; nobody waits for ever', async () => {
  const { clock, runs, answers, requests, send, take } = scene()
  for (const id of ids(64)) send(id)
  send('s3')
  send('one more')
  await setImmediate()
  assert.deepEqual(
    answers.map(([id, { tag }]) => [id, tag]),
    [['one more', 'unavailable']],
  )
  await clock.advance(60_000)
  take()
  await setImmediate()
  assert.deepEqual([answers.length, runs.length, requests.isWaiting], [66, 0, false])
})
