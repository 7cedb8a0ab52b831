import { defineErrors, StoppedError } from '@tributary/support'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { failureKind } from './task-failure.ts'

const errors = defineErrors({
  DOWN: { message: 'the server is down', action: '', retriable: true },
  DENIED: { message: 'no permission', action: '', recoverable: true },
  PLACE: { message: 'writing failed', action: '', recoverable: 'cause' },
  BROKEN: { message: 'the event is broken', action: '' },
})

test('the outermost coded error decides; a StoppedError is a stop only when the task was asked to stop', () => {
  const running = new AbortController().signal
  const stopping = AbortSignal.abort()
  const cases: readonly (readonly [unknown, AbortSignal | undefined, string])[] = [
    [errors.DOWN({}), running, 'retry'],
    [errors.DOWN({}), undefined, 'retry'],
    [new Error('reading', { cause: errors.DOWN({}) }), running, 'retry'],
    [errors.BROKEN({}, errors.DOWN({})), running, 'fail'],
    [errors.DENIED({}), running, 'restart'],
    [errors.PLACE({}, errors.DENIED({})), running, 'restart'],
    [errors.PLACE({}, new Error('x', { cause: errors.DOWN({}) })), running, 'restart'],
    [errors.PLACE({}, errors.BROKEN({})), running, 'fail'],
    [errors.PLACE({}, new TypeError('x')), running, 'fail'],
    [errors.PLACE({}), running, 'fail'],
    [errors.BROKEN({}, errors.DENIED({})), running, 'fail'],
    [new TypeError('x is undefined'), running, 'fail'],
    ['just text', running, 'fail'],
    [new StoppedError(), stopping, 'stop'],
    [new StoppedError(), running, 'fail'],
    [new StoppedError(), undefined, 'fail'],
    // A stop does not hide an earlier failure.
    [errors.BROKEN({}), stopping, 'fail'],
  ]
  for (const [error, signal, kind] of cases) assert.equal(failureKind(error, signal), kind, String(error))
})
