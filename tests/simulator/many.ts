import { planOf, type FaultKind } from './plan.ts'
import { simulate } from './simulation.ts'

export interface ManyOptions {
  readonly first: number
  readonly last: number
  /** Of real time. */
  readonly limitMs: number
  readonly print: (line: string) => void
}

const REPORT_EVERY = 500

/** Simulates one seed after the other; returns those with violations. */
export async function simulateMany({ first, last, limitMs, print }: ManyOptions): Promise<readonly number[]> {
  const beginMs = performance.now()
  const beginCpu = process.cpuUsage()
  const failed: number[] = []
  const faults = new Map<FaultKind, number>()
  let [simulatedMs, steps, changes, runs, seeds] = [0, 0, 0, 0, 0]
  const report = (): void => {
    const { user, system } = process.cpuUsage(beginCpu)
    const cpuHours = (user + system) / 3.6e9
    const hours = simulatedMs / 3.6e6
    print(
      `${seeds} seeds (${first}..${first + seeds - 1}), ${hours.toFixed(1)} simulated hours, ${steps} steps, ${changes} changes, ` +
        `${runs} runs of tasks, ${failed.length} seeds with violations; ${(hours / cpuHours).toFixed(0)} simulated hours per hour of one core`,
    )
    print([...faults].map(([kind, count]) => `${kind}: ${count}`).join(', '))
  }
  for (let seed = first; seed <= last && performance.now() - beginMs < limitMs; seed++) {
    const outcome = await simulate(planOf(seed))
    seeds += 1
    simulatedMs += outcome.simulatedMs
    steps += outcome.steps
    changes += outcome.changes
    runs += outcome.runs
    for (const [kind, count] of outcome.faults) faults.set(kind, (faults.get(kind) ?? 0) + count)
    const [violation] = outcome.violations
    if (violation !== undefined) {
      failed.push(seed)
      print(`seed ${seed}, step ${violation.step}, ${violation.rule}: ${violation.text}`)
    }
    if (seeds % REPORT_EVERY === 0) report()
  }
  report()
  return failed
}
