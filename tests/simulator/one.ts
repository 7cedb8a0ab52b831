import { inspect } from 'node:util'
import { planOf } from './plan.ts'
import { shrink } from './shrink.ts'
import { simulate } from './simulation.ts'

export interface OneOptions {
  /** Ends the simulation after this step. */
  readonly untilStep: number | undefined
  /** Removes what the violation does not need. */
  readonly shrinks: boolean
  readonly print: (line: string) => void
}

/** Simulates a seed and prints everything that happens. Returns whether a rule was broken. */
export async function simulateOne(seed: number, { untilStep, shrinks, print }: OneOptions): Promise<boolean> {
  const plan = shrinks ? await shrink(planOf(seed), print) : planOf(seed)
  print(inspect(plan, { depth: null, maxArrayLength: 20 }))
  const outcome = await simulate(plan, { print, ...(untilStep !== undefined && { untilStep }) })
  print(inspect(outcome, { depth: null }))
  return outcome.violations.length > 0
}
