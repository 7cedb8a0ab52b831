import type { HealthProblem } from '@tributary/rest-api'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noColours } from '../terminal/palette.ts'
import { renderProblems } from './connector-health.ts'

const READING: HealthProblem = {
  activity: 'reading the binlog',
  code: 'MYSQL_UNREACHABLE',
  message: 'Unable to connect.',
  action: 'Check that the server runs.',
  since: 1_000,
  last_at: 60_000,
  attempts: 7,
  next_at: 90_000,
}

function shown(problems: readonly HealthProblem[]): string {
  const tasks = [{ id: 0, state: 'RUNNING', condition: 'waiting', problems }] as const
  return renderProblems({ problem: null, timeToLoss: null, tasks }, 66_000, noColours)
}

test('what a running task retries is shown with its course, its error and what to do', () => {
  assert.equal(
    shown([READING]),
    '\nTask 0 retries reading the binlog 7 times in 65 s; it is tried again in 24 s.\n' +
      '  Unable to connect. [MYSQL_UNREACHABLE]\n  Check that the server runs.\n',
  )
})

test('of a failure, whose trace is printed before, the course is shown', () => {
  const failure = { ...READING, activity: null, attempts: 1 }
  assert.equal(shown([failure]), '\nTask 0 has failed once in 65 s; it is tried again in 24 s.\n')
  const final = { ...failure, next_at: null }
  assert.equal(shown([final]), '\nTask 0 has failed once in 65 s; it is not tried again by itself.\n')
  const old = { ...final, since: null, last_at: null }
  assert.equal(shown([old]), '\nTask 0 has failed; it is not tried again by itself.\n')
  assert.equal(shown([]), '')
})
