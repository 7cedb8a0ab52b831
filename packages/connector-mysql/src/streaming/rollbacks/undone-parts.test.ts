import { systemClock } from '@tributary/support'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isUndone, UndoneParts } from './undone-parts.ts'

function undoneParts(): UndoneParts {
  return new UndoneParts(100, String)
}

/** Position and statement. */
type Step = readonly [position: number, sql: string]

function partsAfter(...steps: readonly Step[]): unknown {
  const undone = undoneParts()
  for (const [position, sql] of steps) undone.takeStatement(sql, position)
  return undone.parts
}

test('a part reaches from the last savepoint of the name to the rollback', () => {
  assert.deepEqual(
    partsAfter([200, 'SAVEPOINT `a`'], [300, 'SAVEPOINT `b`'], [400, 'SAVEPOINT `A`'], [500, 'ROLLBACK TO `a`']),
    [{ from: 400, until: 500 }],
  )
})

test('a savepoint survives a rollback to it, those after it do not', () => {
  const undone = undoneParts()
  const steps: readonly Step[] = [
    [200, 'SAVEPOINT `a`'],
    [300, 'SAVEPOINT `b`'],
    [400, 'ROLLBACK TO `a`'],
    [500, 'ROLLBACK TO `a`'],
  ]
  for (const [position, sql] of steps) undone.takeStatement(sql, position)
  assert.deepEqual(undone.parts, [{ from: 200, until: 500 }])
  assert.throws(() => undone.takeStatement('ROLLBACK TO `b`', 600), { code: 'ROLLBACK_UNCLEAR' })
})

test('a released savepoint takes those after it along', () => {
  const undone = undoneParts()
  undone.takeStatement('SAVEPOINT `a`', 200)
  undone.takeStatement('SAVEPOINT `b`', 300)
  undone.takeStatement('RELEASE SAVEPOINT `a`', 400)
  assert.throws(() => undone.takeStatement('ROLLBACK TO `b`', 500), { code: 'ROLLBACK_UNCLEAR' })
})

test('parts within a later part become part of it; a rollback of the transaction contains all', () => {
  const undone = undoneParts()
  const steps: readonly Step[] = [
    [200, 'SAVEPOINT `a`'],
    [300, 'ROLLBACK TO `a`'],
    [400, 'SAVEPOINT `b`'],
    [500, 'ROLLBACK TO `b`'],
  ]
  for (const [position, sql] of steps) undone.takeStatement(sql, position)
  assert.deepEqual(undone.parts, [
    { from: 200, until: 300 },
    { from: 400, until: 500 },
  ])
  undone.takeStatement('ROLLBACK TO `a`', 600)
  assert.deepEqual(undone.parts, [{ from: 200, until: 600 }])
  undone.rollBack(700)
  assert.deepEqual(undone.parts, [{ from: 100, until: 700 }])
})

test('events in a part are undone, those between parts are not', () => {
  const parts = [
    { from: 200, until: 300 },
    { from: 400, until: 500 },
    { from: 500, until: 501 },
  ]
  const undone = [199, 200, 299, 300, 399, 400, 499, 500, 501].filter((position) => isUndone(parts, position))
  assert.deepEqual(undone, [200, 299, 400, 499, 500])
  assert.equal(isUndone([], 200), false)
})

test('a transaction may set a savepoint for each of 50,000 rows, and roll back to each, without blocking', () => {
  const undone = undoneParts()
  const startMs = systemClock.monotonicMs()
  for (let i = 0; i < 50_000; i++) {
    undone.takeStatement(`SAVEPOINT \`s${i}\``, 200 + 100 * i)
    undone.takeStatement(`ROLLBACK TO \`s${i}\``, 250 + 100 * i)
  }
  assert.equal(undone.parts.length, 50_000)
  // A tenth of a second; a minute when each step looks at all savepoints.
  assert.ok(systemClock.monotonicMs() - startMs < 10_000)
})
