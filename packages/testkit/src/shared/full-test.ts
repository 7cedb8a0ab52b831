import { test } from 'node:test'
import { isFastTier } from './cases-of-tier.ts'

/**
 * A test of the full tier in a file whose other tests are in the fast one: one case of each kind is enough there. It is
 * called as Node's `test`, and is that in the full tier and when a file runs without the runner of the tiers.
 */
export const fullTest: typeof test = isFastTier() ? leftOut() : test

function leftOut(): typeof test {
  return Object.assign(() => Promise.resolve(), test)
}
