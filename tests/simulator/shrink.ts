import type { Plan } from './plan.ts'
import { simulate } from './simulation.ts'

/** Returns the plan with as few faults and commits as still lead to a violation of the same rule. */
export async function shrink(plan: Plan, print: (line: string) => void): Promise<Plan> {
  const [first] = (await simulate(plan)).violations
  if (first === undefined) return plan
  const fails = async (smaller: Plan): Promise<boolean> => (await simulate(smaller)).violations[0]?.rule === first.rule
  let smallest = plan
  for (const key of ['faults', 'commits', 'faults'] as const) smallest = await without(smallest, key, fails)
  print(
    `${plan.faults.length} faults and ${plan.commits.length} commits, of which these are needed for “${first.rule}”:`,
  )
  return smallest
}

/** Removes halves, quarters and so on, down to single items. */
async function without(
  plan: Plan,
  key: 'faults' | 'commits',
  fails: (smaller: Plan) => Promise<boolean>,
): Promise<Plan> {
  let smallest = plan
  for (let size = Math.ceil(plan[key].length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < smallest[key].length;) {
      const items: readonly unknown[] = smallest[key]
      const smaller = { ...smallest, [key]: [...items.slice(0, at), ...items.slice(at + size)] }
      if (await fails(smaller)) smallest = smaller
      else at += size
    }
  }
  return smallest
}
