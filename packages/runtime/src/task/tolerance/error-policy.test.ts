import { Schema, Struct } from '@tributary/connect-api'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recordAt } from '../testing/test-record.ts'
import { errorPolicy } from './error-policy.ts'
import { recordText } from './record-text.ts'

test('the defaults fail the task, log nothing, and wait for a registry without limit', () => {
  assert.deepEqual(errorPolicy({}), {
    isTolerant: false,
    isLogged: false,
    includesMessages: false,
    tooLarge: null,
    retryLimitMs: Infinity,
    retryPauseMaxMs: null,
  })
})

test('the properties of a connector, up to the largest numbers of Java', () => {
  const policy = errorPolicy({
    'errors.tolerance': 'all',
    'errors.log.enable': 'TRUE',
    'errors.log.include.messages': 'true',
    'errors.record.too.large': 'skip',
    'errors.retry.timeout': '0',
    'errors.retry.delay.max.ms': '9223372036854775807',
  })
  assert.deepEqual(policy, {
    isTolerant: true,
    isLogged: true,
    includesMessages: true,
    tooLarge: 'skip',
    retryLimitMs: 0,
    retryPauseMaxMs: 2 ** 31 - 1,
  })
  assert.equal(errorPolicy({ 'errors.retry.timeout': '-1' }).retryLimitMs, Infinity)
})

test('a record is shown in the form of Java, without its null fields and cut at a limit', () => {
  const inner = Schema.struct([['x', Schema.of('int32')]])
  const schema = Schema.struct(
    [
      ['id', Schema.of('int64')],
      ['gone', Schema.of('string', { optional: true })],
      ['list', Schema.array(inner)],
      ['bytes', Schema.of('bytes')],
      ['text', Schema.of('string')],
    ],
    { name: 'p.db.t.Envelope' },
  )
  const value = new Struct(schema, [7, null, [new Struct(inner, [1]), new Struct(inner, [2])], Buffer.alloc(9), 'y'])
  assert.match(
    recordText(recordAt(1, { valueSchema: schema, value })),
    / value=Struct\{id=7,list=\[Struct\{x=1\},Struct\{x=2\}\],bytes=\(9 bytes\),text=y\}, valueSchema=Schema\{p\.db\.t\.Envelope:STRUCT\}, /,
  )
  const long = new Struct(schema, [7, null, [], Buffer.alloc(0), 'z'.repeat(1e6)])
  assert.ok(recordText(recordAt(1, { valueSchema: schema, value: long })).length < 10_500)
})
