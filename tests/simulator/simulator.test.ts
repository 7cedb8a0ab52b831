/** Workers, brokers and a database in one process, with faults: `npm run simulate` is the same for longer. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runProgram } from '@tributary/testkit'
import { fileURLToPath } from 'node:url'
import { simulateMany } from './many.ts'
import { isLong, planOf } from './plan.ts'
import { simulate } from './simulation.ts'

const SEEDS = 120
/** A busy machine simulates fewer seeds. */
const LIMIT_MS = 20_000

test('a seed leads to the same steps and bytes, whatever was simulated before it', async () => {
  const plan = planOf(3)
  const first = await simulate(plan)
  await simulate(planOf(4))
  const again = await simulate(plan)
  assert.ok(first.steps > 1_000)
  assert.deepEqual([again.steps, again.fingerprint], [first.steps, first.fingerprint])
})

test('faults of workers, networks, brokers and the database break no rule', { timeout: 280_000 }, async (context) => {
  const { failed, seeds, totals } = await simulateMany({
    first: 1,
    last: SEEDS,
    limitMs: LIMIT_MS,
    // One of them would take half of the time.
    skips: isLong,
    print: (line) => context.diagnostic(line),
  })
  assert.deepEqual(failed, [], 'npm run simulate -- --seed N shows what happens')
  assert.ok(seeds > 0 && totals.changes > 0 && totals.runs > seeds)
})

test('an offset that is stored too early is found, and its seed printed', { timeout: 280_000 }, async () => {
  const main = fileURLToPath(new URL('main.ts', import.meta.url))
  const { code, stdout, stderr } = await runProgram(process.execPath, [
    main,
    '--bug',
    'an offset is committed early',
    '--seeds',
    '1..60',
  ])
  assert.equal(code, 1, stderr)
  assert.match(stdout, /^seed \d+, step \d+, rule “early offset”: /m)
})
