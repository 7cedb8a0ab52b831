/**
 * `npm run simulate`: simulates a cluster, a seed after the other, and asserts what it guarantees after each step.
 *
 *     npm run simulate -- --seeds 1..1000            many seeds; the first violation of each is printed
 *     npm run simulate -- --seed 17                  one seed, with everything that its processes log
 *     npm run simulate -- --seed 17 --until 4200     up to a step
 *     npm run simulate -- --seed 17 --shrink         removes faults from the plan while it still fails
 *     npm run simulate -- --minutes 60               new seeds for that long
 */
import { parseArgs } from 'node:util'
import { planOf } from './plan.ts'
import { simulate } from './simulation.ts'
import { shrink } from './shrink.ts'
import { simulateMany } from './many.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    seeds: { type: 'string' },
    until: { type: 'string' },
    shrink: { type: 'boolean', default: false },
    minutes: { type: 'string' },
    quiet: { type: 'boolean', default: false },
  },
})

if (values.seed !== undefined) {
  const plan = planOf(Number(values.seed))
  const shrunk = values.shrink ? await shrink(plan, (line) => console.log(line)) : plan
  if (values.shrink) console.log(JSON.stringify(shrunk, null, 2))
  const print = values.quiet ? {} : { print: (line: string) => console.log(line) }
  const until = values.until === undefined ? {} : { untilStep: Number(values.until) }
  const outcome = await simulate(shrunk, { ...print, ...until })
  console.log(outcome)
  process.exitCode = outcome.violations.length === 0 ? 0 : 1
} else {
  const [first = '1', last = '1000000000'] = (values.seeds ?? '1..').split('..')
  const minutes = values.minutes === undefined ? Infinity : Number(values.minutes)
  const failed = await simulateMany({
    first: Number(first),
    last: last === '' ? Number.MAX_SAFE_INTEGER : Number(last),
    limitMs: minutes * 60_000,
    print: (line) => console.log(line),
  })
  process.exitCode = failed.length === 0 ? 0 : 1
}
