import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeClock } from '@tributary/testkit'
import { Notifier } from './notifier.ts'

test('one notification is kept for the next wait', async () => {
  const notifier = new Notifier()
  notifier.notify()
  notifier.notify()

  await notifier.wait()

  const clock = fakeClock()
  let isWoken = false
  const second = notifier.wait({ clock, timeoutMs: 100 }).then(() => (isWoken = true))
  await Promise.resolve()
  assert.equal(isWoken, false)
  await clock.advance(100)
  await second
})

test('a notification wakes the waiting loop once', async () => {
  const notifier = new Notifier()
  const waiting = notifier.wait()
  notifier.notify()
  await waiting

  await assert.rejects(notifier.wait({ signal: AbortSignal.timeout(10) }), { name: 'StoppedError' })
})

test('a signal ends the wait and leaves the notification', async () => {
  const notifier = new Notifier()
  const stop = new AbortController()
  const waiting = notifier.wait({ signal: stop.signal })
  stop.abort()
  await assert.rejects(waiting, { name: 'StoppedError' })

  notifier.notify()
  await assert.rejects(notifier.wait({ signal: stop.signal }), { name: 'StoppedError' })
  await notifier.wait()
})
