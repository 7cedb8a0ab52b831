import { systemClock } from '@tributary/support'
import { fakeClock } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { Lease, momentOf } from './lease.ts'

test('it is held from its renewal to its end, and not after it was revoked', async () => {
  const clock = fakeClock()
  const lease = new Lease(clock)
  assert.equal(lease.isHeld, false)

  lease.renew(momentOf(clock), 1_000)
  await clock.advance(999)
  assert.equal(lease.isHeld, true)
  await clock.advance(1)
  assert.equal(lease.isHeld, false)

  lease.renew(momentOf(clock), 1_000)
  lease.revoke()
  assert.equal(lease.isHeld, false)
})

test('it ends by either clock: the machine slept, or the date was set back', () => {
  const time = { monotonic: 1_000, wall: 5_000_000 }
  const clock = { ...fakeClock(), monotonicMs: () => time.monotonic, now: () => time.wall }
  const lease = new Lease(clock)
  lease.renew(momentOf(clock), 10_000)

  time.wall += 10_000
  assert.equal(lease.isHeld, false)
  time.wall -= 3_600_000
  assert.equal(lease.isHeld, true)
  time.monotonic += 10_000
  assert.equal(lease.isHeld, false)
})

test('it is not renewed by an answer that the machine read after it had slept', () => {
  const time = { monotonic: 1_000, wall: 5_000_000 }
  const clock = { ...fakeClock(), monotonicMs: () => time.monotonic, now: () => time.wall }
  const lease = new Lease(clock)
  const request = momentOf(clock)
  time.wall += 60_000
  lease.renew(request, 10_000)
  assert.equal(lease.isHeld, false)
})

test('a wait for it ends soon after it is renewed', async () => {
  const clock = fakeClock()
  const lease = new Lease(clock)
  let isHeld = false
  const held = lease.held(new AbortController().signal).then(() => (isHeld = true))
  await clock.advance(60_000)
  assert.equal(isHeld, false)
  lease.renew(momentOf(clock), 10_000)
  await clock.advance(100)
  await held
})

test('the clocks of threads agree, whenever a thread began', async () => {
  const lease = new Lease(systemClock)
  const code = `
    const { parentPort, workerData } = require('node:worker_threads')
    parentPort.postMessage(Number(process.hrtime.bigint() / 1000000n))`
  const before = systemClock.monotonicMs()
  const thread = new Worker(code, { eval: true, workerData: lease.memory })
  const [reading] = (await once(thread, 'message')) as [number]
  assert.ok(before <= reading && reading <= systemClock.monotonicMs(), `${before} ${reading}`)
  await thread.terminate()
})
