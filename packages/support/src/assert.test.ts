import { deepEqual, doesNotThrow, equal, throws } from 'node:assert/strict'
import { test } from 'node:test'
import { assert, AssertionError, present, unreachable } from './assert.ts'

test('a broken invariant throws its message', () => {
  doesNotThrow(() => assert(1, 'never'))
  throws(() => assert(0, 'the offset went back'), { name: 'AssertionError', message: 'the offset went back' })
})

test('a value that is there is given back, whatever it is', () => {
  deepEqual(
    [0, '', false].map((value) => present(value, 'it')),
    [0, '', false],
  )
  for (const missing of [null, undefined]) throws(() => present(missing, 'the schema'), /the schema is missing/)
})

test('a branch that the types rule out throws when it is reached all the same', () => {
  throws(
    () => unreachable('x' as never),
    (error) => error instanceof AssertionError && error.message === 'unreachable: x',
  )
  equal(new AssertionError('m').name, 'AssertionError')
})
