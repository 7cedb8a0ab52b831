import type { TestContext } from 'node:test'
import { seededRandom, type SeededRandom } from '@tributary/testkit'

/** The random numbers of a run: those of `RELAY_SEED`, or new ones, whose seed is printed. */
export function runSeed(t: TestContext): SeededRandom {
  const given = process.env['RELAY_SEED']
  const random = given === undefined ? seededRandom() : seededRandom(Number(given))
  t.diagnostic(`seed ${random.seed}`)
  return random
}
