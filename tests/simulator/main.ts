/**
 * `npm run simulate`: simulates clusters, each determined by its seed, and checks after every step what Tributary
 * guarantees.
 *
 *     npm run simulate -- --seeds 1..1000            these seeds; prints the first violation of each
 *     npm run simulate -- --seeds 1..1000 --short    without those of hours: one in ten, more than half of the time
 *     npm run simulate -- --minutes 60               seeds from 1 on, for that long
 *     npm run simulate -- --seed 17                  one seed, with everything that its processes log
 *     npm run simulate -- --seed 17 --until 4200     up to a step
 *     npm run simulate -- --seed 17 --shrink         with as few of its faults as still break the same rule
 *     npm run simulate -- --bug 'a retry reorders'   with a bug that is planted, until it is found
 */
import { parseArgs } from 'node:util'
import { plant } from './planted-bugs.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    seeds: { type: 'string' },
    until: { type: 'string' },
    shrink: { type: 'boolean', default: false },
    short: { type: 'boolean', default: false },
    minutes: { type: 'string' },
    bug: { type: 'string' },
  },
})

if (values.bug !== undefined) plant(values.bug)
// Loaded only now, so that the planted bug is in it.
const { simulateOne } = await import('./one.ts')
const { simulateMany } = await import('./many.ts')
const { isLong } = await import('./plan.ts')
const print = (line: string): void => console.log(line)

if (values.seed === undefined) {
  const [first = '1', last = ''] = (values.seeds ?? '1..').split('..')
  const { failed } = await simulateMany({
    first: Number(first),
    last: last === '' ? Infinity : Number(last),
    ...(values.short ? { skips: isLong } : {}),
    limitMs: Number(values.minutes ?? Infinity) * 60_000,
    isFirstEnough: values.bug !== undefined,
    print,
  })
  process.exitCode = failed.length === 0 ? 0 : 1
} else {
  const untilStep = values.until === undefined ? undefined : Number(values.until)
  const isFound = await simulateOne(Number(values.seed), { untilStep, shrinks: values.shrink, print })
  process.exitCode = isFound ? 1 : 0
}
