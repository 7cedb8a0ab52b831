import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { moveSteps } from './move.ts'

test('a hostile name of a connector is no command: a shell parses each step, and passes the name on as it is', () => {
  const connector = `it's $(touch /tmp/x) "quoted"; rm`
  const { move, back } = moveSteps({ connector, from: 'http://connect:8083', to: 'http://here:8083' })
  for (const { command } of [...move, ...back]) {
    // The shell's own parser: -n reads commands without running them.
    execFileSync('sh', ['-n', '-c', command])
    assert.doesNotMatch(command.replaceAll(/'[^']*'|\\'/g, ''), /[$]\(|`|touch /)
  }
  const [create] = move.filter(({ command }) => command.startsWith('{ printf'))
  const document = (create?.command ?? '').replace(/; cat .*$/, '; printf {} ; printf }; }')
  const printed = execFileSync('sh', ['-c', document]).toString()
  assert.deepEqual(JSON.parse(printed), { name: connector, initial_state: 'STOPPED', config: {} })
})
