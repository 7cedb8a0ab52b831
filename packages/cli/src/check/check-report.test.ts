import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Finding } from '@tributary/connector-mysql'
import { notedEffects, refusalsOf } from './check-report.ts'

function finding(severity: 'error' | 'warning', code: string, property: string, message: string): Finding {
  return { severity, code, property, message, statement: null, className: 'X' }
}

test('warnings about properties become effects; those of the server do not', () => {
  const findings = [
    finding('warning', 'PROPERTY_OLD', 'a.b', 'The property a.b is an old name: it is read as c.d'),
    finding(
      'warning',
      'PROPERTY_OLD',
      'e',
      'The property e has no effect, because f is set, to another value. Remove it',
    ),
    finding('warning', 'PROPERTY_INEFFECTIVE', 'g', 'The property g is not known and has no effect. Did you mean h?'),
    finding('warning', 'BINLOG_EXPIRES', 'database.hostname', 'The property of the server has no effect'),
    finding('error', 'CONFIG_INVALID', 'i', 'wrong.'),
    finding('error', 'CONFIG_INVALID', 'i', 'wrong.'),
    finding('error', 'LOGIN', 'database.hostname', 'denied'),
  ]
  assert.deepEqual(
    [...notedEffects(findings)],
    [
      ['a.b', { tag: 'as before', note: 'It is an old name: it is read as c.d.' }],
      ['e', { tag: 'no effect', why: 'It has no effect, because f is set, to another value. Remove it.' }],
      ['g', { tag: 'no effect', why: 'It is not known and has no effect. Did you mean h?' }],
    ],
  )
  assert.deepEqual([...refusalsOf(findings)], [['i', ['wrong.']]])
})
