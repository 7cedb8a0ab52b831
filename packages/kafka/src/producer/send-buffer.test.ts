import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SendBuffer } from './send-buffer.ts'

test('the buffer is full above its limit, and ready again at four fifths', async () => {
  const buffer = new SendBuffer(1000)
  buffer.bytes += 1000
  assert.equal(buffer.isFull, false)
  buffer.bytes += 1
  assert.equal(buffer.isFull, true)
  let isReady = false
  const ready = buffer.ready().then(() => (isReady = true))

  buffer.release(200)
  await Promise.resolve()
  assert.equal(isReady, false)
  buffer.release(1)

  await ready
  await buffer.ready()
})

test('a failure rejects current and future waits', async () => {
  const buffer = new SendBuffer(10)
  buffer.bytes = 100
  const waits = [buffer.ready(), buffer.ready()]
  buffer.fail(new Error('over'))

  for (const wait of [...waits, buffer.ready()]) await assert.rejects(wait, /over/)
})

test('a signal ends one wait and leaves the others', async () => {
  const buffer = new SendBuffer(10)
  buffer.bytes = 100
  const stop = new AbortController()
  const [stopped, other] = [buffer.ready(stop.signal), buffer.ready()]
  stop.abort()
  await assert.rejects(stopped, { name: 'StoppedError' })

  buffer.release(100)
  await other
})
