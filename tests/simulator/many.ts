import { planOf, type FaultKind } from './plan.ts'
import { simulate, type Outcome } from './simulation.ts'

export interface ManyOptions {
  readonly first: number
  readonly last: number
  /** Of real time. */
  readonly limitMs: number
  /** Default: all seeds are simulated. */
  readonly skips?: (seed: number) => boolean
  /** Ends after the first seed with a violation. */
  readonly isFirstEnough?: boolean
  readonly print: (line: string) => void
}

export interface ManyOutcome {
  /** Seeds with a violation. */
  readonly failed: readonly number[]
  /** Their rules. */
  readonly rules: readonly string[]
  readonly seeds: number
  readonly totals: Totals
}

const REPORT_EVERY = 500

/** The sums over all seeds. */
class Totals {
  readonly faults: Map<FaultKind, number> = new Map()
  simulatedMs = 0
  steps = 0
  changes = 0
  runs = 0
  readonly #beginCpu = process.cpuUsage()

  add({ simulatedMs, steps, changes, runs, faults }: Outcome): void {
    this.simulatedMs += simulatedMs
    this.steps += steps
    this.changes += changes
    this.runs += runs
    for (const [kind, count] of faults) this.faults.set(kind, (this.faults.get(kind) ?? 0) + count)
  }

  toString(): string {
    const { user, system } = process.cpuUsage(this.#beginCpu)
    const cpuSeconds = (user + system) / 1e6
    const hours = this.simulatedMs / 3.6e6
    return (
      `${hours.toFixed(1)} simulated hours in ${cpuSeconds.toFixed(0)} s of processor time ` +
      `(${((hours * 3_600) / cpuSeconds).toFixed(0)} hours per hour), ${this.steps} steps, ${this.changes} changes, ` +
      `${this.runs} runs of tasks; faults: ${[...this.faults].map(([kind, count]) => `${kind} ${count}`).join(', ')}`
    )
  }
}

/** Simulates one seed after the other. */
export async function simulateMany(options: ManyOptions): Promise<ManyOutcome> {
  const { first, last, limitMs, skips = () => false, isFirstEnough = false, print } = options
  const { stackTraceLimit } = Error
  // Code that stops throws many errors, whose traces cost a tenth of the time; one seed alone has them.
  Error.stackTraceLimit = 0
  using _restored = { [Symbol.dispose]: () => (Error.stackTraceLimit = stackTraceLimit) }
  const beginMs = performance.now()
  const totals = new Totals()
  const failed: number[] = []
  const rules: string[] = []
  let [seeds, skipped] = [0, 0]
  const report = (): void => {
    const without = skipped === 0 ? '' : ` without ${skipped} that were left out`
    const range = `seeds ${first} to ${first + seeds - 1}${without}, ${failed.length} of them with violations`
    print(`${range}: ${totals.toString()}`)
  }
  for (let seed = first; seed <= last && performance.now() - beginMs < limitMs; seed++) {
    seeds += 1
    if (skips(seed)) {
      skipped += 1
      continue
    }
    const outcome = await simulate(planOf(seed))
    totals.add(outcome)
    const [violation] = outcome.violations
    if (violation !== undefined) {
      failed.push(seed)
      rules.push(violation.rule)
      print(`seed ${seed}, step ${violation.step}, rule “${violation.rule}”: ${violation.text}`)
      if (isFirstEnough) break
    }
    if (seeds % REPORT_EVERY === 0) report()
  }
  if (seeds % REPORT_EVERY > 0) report()
  return { failed, rules, seeds, totals }
}
