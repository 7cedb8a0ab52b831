import { CodedError, doneOr, isRetriable, StoppedError } from '@tributary/support'
import { fakeClock } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answeredWithin } from './answered-within.ts'

const NEVER = new Promise<never>(() => undefined)

test('a server that stays silent for the whole time limit counts as a lost connection', async () => {
  const clock = fakeClock()
  const awaited = { clock, limitMs: 60_000, address: 'db:3306', doing: () => 'requesting the binlog' }
  const answer = answeredWithin(awaited, (limit) => doneOr(NEVER, limit), new AbortController().signal)
  const failed = assert.rejects(answer, (error) => {
    assert.ok(error instanceof CodedError && isRetriable(error))
    assert.match(error.message, /db:3306 was lost while requesting the binlog: the server did not answer within 60 s/)
    return true
  })
  await clock.advance(60_000)
  await failed
})

test('returns an answer in time, rethrows errors of the work, and stops with the signal of the caller', async () => {
  const awaited = { clock: fakeClock(), limitMs: 60_000, address: 'db:3306', doing: () => 'asking' }
  const stop = new AbortController()
  assert.equal(await answeredWithin(awaited, () => Promise.resolve(7), stop.signal), 7)
  await assert.rejects(
    answeredWithin(awaited, () => Promise.reject(new RangeError('other')), stop.signal),
    RangeError,
  )
  const stopped = answeredWithin(awaited, (limit) => doneOr(NEVER, limit), stop.signal)
  stop.abort()
  await assert.rejects(stopped, StoppedError)
})
