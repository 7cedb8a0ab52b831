import assert from 'node:assert/strict'
import { test } from 'node:test'
import { casesOfTier, tierEnvironment } from './cases-of-tier.ts'

const CASES = ['MySQL', 'MariaDB', 'MySQL without GTIDs']
const TITLES = Array.from({ length: 30 }, (_, i) => `title ${i}`)

function inTier<T>(tier: string, run: () => T): T {
  const before = { ...process.env }
  Object.assign(process.env, tierEnvironment(tier))
  try {
    return run()
  } finally {
    process.env = before
  }
}

test('the full tier has all cases', () => {
  assert.deepEqual(
    inTier('full', () => casesOfTier('a', CASES)),
    CASES,
  )
})

test('the fast tier has one of the cases, and different titles choose different ones', () => {
  const chosen = inTier('fast', () => TITLES.map((title) => casesOfTier(title, CASES)))
  for (const each of chosen) assert.equal(each.length, 1)
  assert.deepEqual(new Set(chosen.flat()), new Set(CASES))
  assert.deepEqual(
    inTier('fast', () => casesOfTier('none', [])),
    [],
  )
})
