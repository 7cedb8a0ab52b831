/** The simulator finds the bugs that are planted in the code. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runProgram } from '@tributary/testkit'
import { fileURLToPath } from 'node:url'
import { PLANTED_BUGS } from './planted-bugs.ts'

const MAIN = fileURLToPath(new URL('main.ts', import.meta.url))

for (const [name, { rules, seedsMax }] of Object.entries(PLANTED_BUGS)) {
  test(`planted: ${name}`, { timeout: 1_200_000 }, async (context) => {
    const beginMs = performance.now()
    const args = [MAIN, '--bug', name, '--seeds', `1..${seedsMax}`]
    const { code, stdout, stderr } = await runProgram(process.execPath, args)
    const [, seed, rule = ''] = /^seed (\d+), step \d+, rule “([^”]+)”: /m.exec(stdout) ?? []
    context.diagnostic(`seed ${seed}, “${rule}”, after ${Math.round((performance.now() - beginMs) / 1_000)} s`)
    assert.equal(code, 1, stderr)
    assert.ok(rules.includes(rule), stdout)
  })
}
