import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CodedError, defineErrors, describeError, isRetriable, StoppedError, toError } from './errors.ts'

const errors = defineErrors({
  TABLE_GONE: { message: 'table {table} is gone at {position}', action: 'Create {table} again.' },
  BUSY: { message: 'busy', action: '', retriable: true, className: 'org.example.BusyException' },
})

test('the message of an error has what happened and what to do, with its values', () => {
  const error = errors.TABLE_GONE({ table: 'a.b', position: 4n })

  assert.ok(error instanceof CodedError)
  assert.equal(error.message, 'table a.b is gone at 4 Create a.b again.')
  assert.equal(error.code, 'TABLE_GONE')
  assert.equal(error.action, 'Create a.b again.')
  assert.equal(error.name, 'org.apache.kafka.connect.errors.ConnectException')
  assert.equal(error.isRetriable, false)
  assert.equal('cause' in error, false)
})

test('a value that looks like a placeholder is not replaced', () => {
  assert.match(errors.TABLE_GONE({ table: '{position}', position: 4 }).message, /table \{position\} is gone at 4/)
})

test('a value that is a sentence gets no second full stop', () => {
  const { FAILED } = defineErrors({ FAILED: { message: 'it failed: {reason}.', action: '' } })

  assert.equal(FAILED({ reason: 'Access denied.' }).message, 'it failed: Access denied.')
  assert.equal(FAILED({ reason: 'ECONNREFUSED' }).message, 'it failed: ECONNREFUSED.')
})

test('an error can have a class name, no action, and a cause', () => {
  const cause = new Error('socket closed')
  const error = errors.BUSY({}, cause)

  assert.equal(error.message, 'busy')
  assert.equal(String(error), 'org.example.BusyException: busy')
  assert.equal(error.cause, cause)
  assert.equal(error.isRetriable, true)
})

test('the registry has its definitions, for the reference page', () => {
  assert.deepEqual(Object.keys(errors.definitions), ['TABLE_GONE', 'BUSY'])
})

test('the outermost coded error decides whether a retry may succeed', () => {
  const busy = errors.BUSY({})
  const gone = errors.TABLE_GONE({ table: 't', position: 1 }, busy)

  assert.equal(isRetriable(busy), true)
  assert.equal(isRetriable(new Error('reading', { cause: busy })), true)
  assert.equal(isRetriable(gone), false)
  assert.equal(isRetriable(new Error('plain')), false)
  assert.equal(isRetriable('text'), false)
  assert.equal(isRetriable(new StoppedError()), false)
  const endless = new Error('outer')
  endless.cause = endless
  assert.equal(isRetriable(endless), false)
})

test('an error is described with its causes in one line', () => {
  const error = new Error('reading table map', { cause: new Error('socket closed', { cause: 'ECONNRESET' }) })

  assert.equal(describeError(error), 'reading table map ← socket closed ← ECONNRESET')
})

test('a description does not repeat the message of a cause, and ends in a cycle of causes', () => {
  const inner = new Error('socket closed')
  const endless = new Error('outer')
  endless.cause = endless

  assert.equal(describeError(new Error('login failed: socket closed', { cause: inner })), 'login failed: socket closed')
  assert.equal(describeError(endless), 'outer')
})

test('an error without message is described by its name', () => {
  assert.equal(describeError(new RangeError('')), 'RangeError')
})

test('anything thrown becomes an error', () => {
  const error = new Error('x')

  assert.equal(toError(error), error)
  assert.equal(toError('text').message, 'text')
  assert.equal(toError({ code: 5 }).message, '{ code: 5 }')
  assert.equal(toError(undefined).message, 'undefined')
})
