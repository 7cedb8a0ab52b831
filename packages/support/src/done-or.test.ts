import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { test } from 'node:test'
import { doneOr, throwIfStopped } from './done-or.ts'
import { StoppedError } from './errors.ts'

test('the value of the promise is returned when it is first', async () => {
  const { signal } = new AbortController()

  assert.equal(await doneOr(Promise.resolve(5), signal), 5)
  assert.equal(await doneOr(Promise.resolve(5), undefined), 5)
})

test('the error of the promise is thrown when it is first', async () => {
  const { signal } = new AbortController()

  await assert.rejects(doneOr(Promise.reject(new Error('gone')), signal), /gone/)
})

test('StoppedError is thrown when the signal is first, and a later rejection of the promise is handled', async () => {
  const controller = new AbortController()
  const { promise, reject } = Promise.withResolvers<never>()
  const waiting = doneOr(promise, controller.signal)
  controller.abort()

  await assert.rejects(waiting, StoppedError)
  // An unhandled rejection would end the test run.
  reject(new Error('too late'))
  await new Promise((resolve) => setImmediate(resolve))
})

test('an aborted signal is first, also when the promise rejects', async () => {
  await assert.rejects(doneOr(Promise.resolve(5), AbortSignal.abort()), StoppedError)
  await assert.rejects(doneOr(Promise.reject(new Error('too late')), AbortSignal.abort()), StoppedError)
})

test('no listener is left on the signal', async () => {
  const controller = new AbortController()
  await doneOr(Promise.resolve(1), controller.signal)
  await assert.rejects(doneOr(Promise.reject(new Error('gone')), controller.signal))
  await new Promise((resolve) => setImmediate(resolve))

  assert.equal(getEventListeners(controller.signal, 'abort').length, 0)
})

test('throwIfStopped throws only when the signal has fired', () => {
  throwIfStopped(undefined)
  throwIfStopped(new AbortController().signal)
  assert.throws(() => throwIfStopped(AbortSignal.abort()), StoppedError)
})
