import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { runProgram } from '../process/run-program.ts'
import { temporaryFolder } from '../process/temporary-folder.ts'
import { tierEnvironment } from './cases-of-tier.ts'

test('a test of the full tier is left out in the fast one, and runs in the others and without the runner', async () => {
  await using folder = temporaryFolder('full-test')
  const file = join(folder.path, 'some.test.ts')
  writeFileSync(
    file,
    `import { test } from 'node:test'
import { fullTest } from '${new URL('full-test.ts', import.meta.url).href}'
test('quick', () => {})
fullTest('slow', () => {})\n`,
  )
  const testsIn = async (tier: Record<string, string>): Promise<readonly string[]> => {
    const variables = Object.entries(tier).map((pair) => pair.join('='))
    const args = [
      '-u',
      'NODE_TEST_CONTEXT',
      '-u',
      'TRIBUTARY_TEST_TIER',
      ...variables,
      process.execPath,
      '--test',
      file,
    ]
    return [...(await runProgram('env', args)).stdout.matchAll(/^✔ (\w+)/gm)].map(([, title = '']) => title)
  }
  assert.deepEqual(await testsIn(tierEnvironment('fast')), ['quick'])
  assert.deepEqual(await testsIn(tierEnvironment('full')), ['quick', 'slow'])
  assert.deepEqual(await testsIn({}), ['quick', 'slow'])
})
