import { createHash } from 'node:crypto'

const VARIABLE = 'TRIBUTARY_TEST_TIER'

/** The environment of tests of a tier. */
export function tierEnvironment(tier: string): Record<string, string> {
  return { [VARIABLE]: tier }
}

export function isFastTier(): boolean {
  return process.env[VARIABLE] === 'fast'
}

/**
 * The cases, such as MySQL and MariaDB, on which tests that cost much run in this tier: one of them in the fast tier,
 * otherwise all. For cases that take the same way through the code. The title chooses that one, so that the files and tests together use each case.
 */
export function casesOfTier<Case>(title: string, cases: readonly Case[]): readonly Case[] {
  if (!isFastTier()) return cases
  const chosen = hashOf(title) % Math.max(1, cases.length)
  return cases.slice(chosen, chosen + 1)
}

function hashOf(title: string): number {
  return createHash('sha256').update(title).digest().readUInt32BE(0)
}
