import assert from 'node:assert/strict'
import { test } from 'node:test'
import { captureLogger, fakeClock, type FakeClock } from '@tributary/testkit'
import type { Token } from '../api/token-source.ts'
import { CachedTokens, refreshTime } from './cached-tokens.ts'

const window = { factor: 0.8, jitter: 0.05, minPeriodSeconds: 60, bufferSeconds: 300 }
const SECOND = 1000
const HOUR = 3600 * SECOND

interface Requests {
  readonly source: CachedTokens
  readonly clock: FakeClock
  readonly logger: ReturnType<typeof captureLogger>
  /** The requests so far, to be settled by the test. */
  readonly pending: {
    readonly signal: AbortSignal
    readonly grant: (lifetimeMs: number) => void
    readonly fail: () => void
  }[]
}

function requests(): Requests {
  const clock = fakeClock()
  const logger = captureLogger()
  const pending: Requests['pending'] = []
  const fetch = (signal: AbortSignal): Promise<Token> =>
    new Promise((resolve, reject) => {
      const value = String(pending.length + 1)
      const grant = (lifetimeMs: number): void =>
        resolve({ value, expiresAtMs: clock.now() + lifetimeMs, startsAtMs: clock.now(), user: 'u' })
      pending.push({ signal, grant, fail: () => reject(new Error('no answer')) })
    })
  const source = new CachedTokens({ name: 'the test', remedy: '', fetch, window, clock, logger, random: () => 0 })
  return { source, clock, logger, pending }
}

test('a token serves all connections until 80 % of its lifetime', async () => {
  const { source, clock, pending } = requests()
  const both = [source.token(), source.token()]
  pending[0]?.grant(HOUR)
  const [first, second] = await Promise.all(both)
  assert.equal(first, second)

  await clock.advance(0.8 * HOUR - 1)
  assert.equal(await source.token(), first)
  assert.equal(pending.length, 1)

  await clock.advance(1)
  const renewed = source.token()
  pending[1]?.grant(HOUR)
  assert.equal((await renewed).value, '2')
})

test('while the renewal fails, the old token serves until it expires, with a pause between attempts', async () => {
  const { source, clock, logger, pending } = requests()
  const first = source.token()
  pending[0]?.grant(HOUR)
  await first
  await clock.advance(0.9 * HOUR)

  const old = source.token()
  pending[1]?.fail()
  assert.equal((await old).value, '1')
  assert.equal((await source.token()).value, '1')
  assert.equal(pending.length, 2)
  assert.match(logger.lines[0]?.message ?? '', /cannot be renewed; the old one is valid for 360 s: no answer/)

  await clock.advance(0.1 * HOUR)
  const expired = source.token()
  pending[2]?.fail()
  await assert.rejects(expired, /no answer/)
})

test('a rejected token is not used again', async () => {
  const { source, pending } = requests()
  const first = source.token()
  pending[0]?.grant(HOUR)
  source.forget(await first)

  const another = source.token()
  pending[1]?.grant(HOUR)
  assert.equal((await another).value, '2')
})

test('a caller that stops does not disturb the others; the last one stops the request', async () => {
  const { source, pending } = requests()
  const [one, other] = [new AbortController(), new AbortController()]
  const stopped = source.token(one.signal)
  const waiting = source.token(other.signal)
  one.abort()
  await assert.rejects(stopped, { name: 'StoppedError' })
  assert.equal(pending[0]?.signal.aborted, false)
  other.abort()
  await assert.rejects(waiting, { name: 'StoppedError' })
  assert.equal(pending[0]?.signal.aborted, true)

  const next = source.token()
  pending[1]?.grant(HOUR)
  assert.equal((await next).value, '2')
})

test('the time of the renewal is that of Java', () => {
  // The rules of Java's ExpiringCredentialRefreshingLogin, worked out by hand.
  const table: readonly (readonly [lifetimeS: number, random: number, settings: object, expectedS: number])[] = [
    [3600, 0, {}, 2880],
    [3600, 1, {}, 3060],
    // 300 s before the end.
    [1000, 0, {}, 700],
    // 60 s after the beginning.
    [600, 0, { factor: 0.5, bufferSeconds: 0, minPeriodSeconds: 400 }, 400],
    // Shorter than both limits together.
    [300, 0, {}, 240],
    [10, 1, {}, 8.5],
  ]
  for (const [lifetimeS, random, settings, expectedS] of table) {
    const token = { value: '', user: '', startsAtMs: 5000, expiresAtMs: 5000 + lifetimeS * SECOND }
    const found = refreshTime(token, { ...window, ...settings }, { nowMs: 5000, random })
    assert.equal(Math.round(found), 5000 + expectedS * SECOND, `${lifetimeS}`)
  }
})
