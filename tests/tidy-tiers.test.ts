import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fullTest, runProgram } from '@tributary/testkit'
import type { ProgramResult, TemporaryFolder } from '@tributary/testkit'
import { fakeTree, root } from './testing/fake-tree.ts'

// Checks what `npm test` runs, with which broker, and how its tests reach the shared servers, on a small workspace whose
// testkit has none.

/** What `npm test` starts, with all that it loads. */
const RUNNER = [
  'scripts/test.ts',
  'scripts/test/whole-reports.ts',
  'scripts/test/await-compilers.ts',
  'scripts/test/require-poison.ts',
  'scripts/test/file-times.ts',
  'scripts/test/group-files.ts',
  'scripts/test/group-guard.ts',
  'scripts/test/use-codecs.ts',
]

const SAYS_ITS_NAME = `import { test } from 'node:test'
import { basename } from 'node:path'
const { FAKE_SERVERS, FAKE_BROKER } = process.env
test(basename(import.meta.url), () => { console.log('servers: ' + FAKE_SERVERS + ', broker: ' + FAKE_BROKER) })\n`

const FAKE_SUPPORT = `export const awaitCompilers = () => {}
export const isPoisonOn = process.env['TRIBUTARY_POISON'] === '1'\n`

const FAKE_CODECS = `export const buildCodecs = async () => ''\n`

const FAKE_TESTKIT = `
import { mkdirSync } from 'node:fs'
export class SharedServers {
  environment = { FAKE_SERVERS: 'open' }
  static async listen() { return new SharedServers() }
  async [Symbol.asyncDispose]() { if (process.env.FAKE_END) console.log('servers: closed') }
}
export const tierEnvironment = (tier: string) => ({ FAKE_TIER: tier })
export const brokerEnvironment = (broker: string) => ({ FAKE_BROKER: broker })
export const temporaryFolder = (name: string) => {
  const path = new URL('../../../' + name, import.meta.url).pathname
  mkdirSync(path, { recursive: true })
  return { path, [Symbol.asyncDispose]: async () => {} }
}\n`

test('each tier runs its files, and only those', async () => {
  await using tree = tiers()
  assert.deepEqual(filesRun(await runTier(tree, 'fast')), ['a.server.test.ts', 'a.test.ts', 's.test.ts', 't.test.ts'])
  assert.deepEqual(filesRun(await runTier(tree, 'full')), [
    'a.full.test.ts',
    'a.server.test.ts',
    'a.test.ts',
    's.test.ts',
    't.test.ts',
  ])
  assert.deepEqual(filesRun(await runTier(tree, 'soak')), ['a.soak.test.ts'])
  assert.deepEqual(filesRun(await runTier(tree, 'interop')), ['a.interop.test.ts'])
})

test('unit tests share processes, unless one may affect others; those that are chosen by words do not', async () => {
  const reportsProcess = (more: string): string => `import { test } from 'node:test'
import { pid } from 'node:process'
${more}
test(import.meta.filename, (context) => context.diagnostic('process ' + pid))\n`
  await using tree = tiers({
    ...Object.fromEntries(['p', 'q'].map((name) => [`packages/mysql/src/${name}.test.ts`, reportsProcess('')])),
    'packages/mysql/src/alone.test.ts': reportsProcess('process.exitCode = 0'),
    'tests/outside.test.ts': reportsProcess(''),
  })
  const processesIn = async (...args: readonly string[]): Promise<readonly string[]> =>
    [...(await runTier(tree, ...args)).stdout.matchAll(/process (\d+)/g)].map(([, id = '']) => id)
  const all = await processesIn('fast')
  assert.deepEqual([all.length, new Set(all).size], [4, 3])
  const chosen = await processesIn('fast', 'mysql/src/p.', 'mysql/src/q.')
  assert.deepEqual([chosen.length, new Set(chosen).size], [2, 2])
})

test('a group with a file that loads later than the others, or not at all, fails', async () => {
  for (const [text, reason] of [
    [
      "await new Promise((resolve) => setTimeout(resolve, 100))\nimport './late.ts'",
      /Tests of this group were left out/,
    ],
    ["import './missing.ts'", /Cannot find module .*missing\.ts/],
  ] as const) {
    await using tree = tiers({
      'packages/mysql/src/b.test.ts': `import { test } from 'node:test'\ntest('b', () => {})\n`,
      'packages/mysql/src/c.test.ts': `import { test } from 'node:test'\n${text}\ntest('c', () => {})\n`,
      'packages/mysql/src/late.ts': 'export {}\n',
    })
    const { code, stdout } = await runTier(tree, 'fast')
    assert.equal(code, 1)
    assert.match(stdout, reason)
  }
})

fullTest('words select files by a part of their path', async () => {
  await using tree = tiers()
  assert.deepEqual(filesRun(await runTier(tree, 'fast', 'mysql/src/a.test', 'scripts/')), ['a.test.ts', 's.test.ts'])
  const none = await runTier(tree, 'fast', 'nothing')
  assert.deepEqual([none.code, none.stdout], [2, ''])
  assert.match(none.stderr, /^No test file of the tier fast \(4 files\) contains nothing in its path\.$/m)
  const unknown = await runTier(tree, 'quick')
  assert.equal(unknown.code, 2)
  assert.match(unknown.stderr, /^usage: test\.ts fast\|full\|soak\|interop/)
})

test('the fast tier runs on the development broker, the others on Kafka; an option chooses either', async () => {
  await using tree = tiers()
  const brokerOf = async (...args: readonly string[]): Promise<string | undefined> =>
    /broker: (\S+)/.exec((await runTier(tree, ...args)).stdout)?.[1]
  assert.equal(await brokerOf('fast'), 'dev-broker')
  for (const tier of ['full', 'soak', 'interop']) assert.equal(await brokerOf(tier), 'kafka', tier)
  assert.equal(await brokerOf('fast', '--kafka', 'a.server'), 'kafka')
  assert.equal(await brokerOf('full', '--dev-broker'), 'dev-broker')
})

test('tests reach the shared servers, which are stopped after them', async () => {
  await using tree = tiers()
  const args = [...WITHOUT_OUTER, 'FAKE_END=1', 'node', 'scripts/test.ts', 'fast', 'a.server']
  const { stdout } = await runProgram('env', args, { cwd: tree.path })
  const [used, closed] = [stdout.indexOf('servers: open'), stdout.indexOf('servers: closed')]
  assert.ok(used >= 0 && used < closed, stdout)
})

fullTest('the times of the files are printed on request, the slowest first', async () => {
  await using tree = tiers({
    'packages/mysql/src/slow.test.ts': `import { test } from 'node:test'
test('slow', () => { const end = Date.now() + 1000; while (Date.now() < end); })\n`,
  })
  const { stdout } = await runTier(tree, 'fast', '--times', 'mysql/')
  const files = [...stdout.matchAll(/^ +[\d.]+ s {2}(\S+)$/gm)].map(([, file]) => file)
  assert.equal(files[0], 'packages/mysql/src/slow.test.ts')
  assert.equal(files.length, 3)
})

test('a test file does not run without poison', async () => {
  await using tree = tiers()
  const args = ['--test', '--import=./scripts/test/require-poison.ts', 'packages/mysql/src/a.test.ts']
  const run = (poison: string): Promise<ProgramResult> =>
    runProgram('env', [...WITHOUT_OUTER, `TRIBUTARY_POISON=${poison}`, 'node', ...args], { cwd: tree.path })
  const [without, poisoned] = [await run('0'), await run('1')]
  assert.deepEqual([without.code, poisoned.code], [1, 0])
  assert.match(without.stdout, /TRIBUTARY_POISON is not 1: run the tests with `npm test`/)
  assert.match(poisoned.stdout, /ℹ pass 1\n/)
})

test("the runner's summary is last and its exit code is the command's", async () => {
  await using tree = tiers({
    'packages/mysql/src/b.test.ts': `import { test } from 'node:test'\ntest('b', () => { throw new Error('broken') })\n`,
  })
  const good = await runTier(tree, 'fast', 'a.test')
  assert.equal(good.code, 0)
  assert.match(good.stdout, /ℹ pass 1\nℹ fail 0\n[^]*ℹ duration_ms [\d.]+\n$/)
  const bad = await runTier(tree, 'fast', 'src/')
  assert.equal(bad.code, 1)
  assert.match(bad.stdout, /ℹ fail 1\n/)
})

function tiers(more: Readonly<Record<string, string>> = {}): TemporaryFolder {
  const names = ['a.test.ts', 'a.server.test.ts', 'a.full.test.ts', 'a.soak.test.ts', 'a.interop.test.ts']
  const files = [...names.map((name) => `packages/mysql/src/${name}`), 'scripts/s.test.ts', 'tests/t.test.ts']
  const tests = Object.fromEntries(files.map((file) => [file, SAYS_ITS_NAME]))
  const scripts = Object.fromEntries(RUNNER.map((path) => [path, readFileSync(join(root, path), 'utf8')]))
  const packages = {
    'packages/support/src/index.ts': FAKE_SUPPORT,
    'packages/testkit/src/index.ts': FAKE_TESTKIT,
    'scripts/test/build-codecs.ts': FAKE_CODECS,
  }
  return fakeTree({ ...tests, ...scripts, ...packages, ...more })
}

/** The variables of the outer run must not reach the inner one. */
const WITHOUT_OUTER = ['-u', 'NODE_TEST_CONTEXT', '-u', 'TRIBUTARY_POISON']

function runTier(tree: TemporaryFolder, ...args: string[]): Promise<ProgramResult> {
  return runProgram('env', [...WITHOUT_OUTER, 'node', 'scripts/test.ts', ...args], { cwd: tree.path })
}

function filesRun({ stdout }: ProgramResult): string[] {
  return [...stdout.matchAll(/^✔ (\S+\.test\.ts) /gm)].map(([, name = '']) => name).toSorted()
}
