import { deepEqual, doesNotThrow, equal, throws } from 'node:assert/strict'
import { test } from 'node:test'
import { assert, AssertionError, present, unreachable } from './assert.ts'

test('a broken invariant throws an error with its message', () => {
  doesNotThrow(() => assert(1, 'never'))
  throws(() => assert(0, 'the offset went back'), { name: 'AssertionError', message: 'the offset went back' })
})

test('present returns any value except null and undefined', () => {
  deepEqual(
    [0, '', false].map((value) => present(value, 'it')),
    [0, '', false],
  )
  for (const missing of [null, undefined]) throws(() => present(missing, 'the schema'), /the schema is missing/)
})

test('a branch that the types exclude throws when it is reached', () => {
  throws(
    () => unreachable('x' as never),
    (error) => error instanceof AssertionError && error.message === 'unreachable: x',
  )
  equal(new AssertionError('m').name, 'AssertionError')
})
