import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'

/** Calls many functions that V8 compiles at the same moment, then exits. */
const FUNCTIONS = 1_000
const PROGRAM = `
  import { awaitCompilers } from '${new URL('await-compilers.ts', import.meta.url).href}'
  const lines = Array.from({ length: 20 }, (_, i) => 'n = (n * ' + (i + 3) + ' + o.x' + (i % 7) + ') | 0;').join('')
  const functions = Array.from({ length: ${FUNCTIONS} }, (_, i) => new Function('o', 'n', lines + 'return n //' + i))
  const o = { x0: 1, x1: 2, x2: 3, x3: 4, x4: 5, x5: 6, x6: 7 }
  for (let call = 0; call < 30; call++) for (const each of functions) each(o, call)
  awaitCompilers()
  process.exit(0)`
/** V8 compiles functions after a few calls, and prints that. */
const FLAGS = ['--invocation-count-for-maglev=4', '--minimum-invocations-after-ic-update=2', '--trace-opt']

test('running compilations are complete before the process exits', () => {
  const args = [...FLAGS, '--input-type=module', '-e', PROGRAM]
  // Without the wait some of them are still running at exit, and the process might hang.
  const trace = execFileSync(process.execPath, args, { encoding: 'utf8', timeout: 60_000, killSignal: 'SIGKILL' })
  const started = trace.match(/^\[compiling method /gm)?.length ?? 0
  assert.ok(started > FUNCTIONS / 2, `only ${started} compilations were started`)
  assert.equal(trace.match(/^\[(completed compiling|aborted optimizing) /gm)?.length, started)
})
