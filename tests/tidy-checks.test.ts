import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { fullTest, runProgram } from '@tributary/testkit'
import { fakeTree, root } from './testing/fake-tree.ts'

// The checks read the tree and report faults: a checker without files, or with rules that match none, would report
// nothing.

suite('import directions', () => {
  // `npm run check` reads all of it.
  fullTest('the tree is read', async () => {
    const { summary } = await cruise(root, ['packages/support'])
    assert.ok(summary.totalCruised > 100, `${summary.totalCruised} modules`)
    assert.ok(summary.totalDependenciesCruised > 300, `${summary.totalDependenciesCruised} dependencies`)
  })

  test('a wrong import is reported, a right one is not', async () => {
    const wrong: Record<string, readonly [rule: string, file: string]> = {
      'packages/support/src/up.ts': ['not-in-allowed', `export { mysql } from '@tributary/mysql'`],
      'packages/support/src/up-type.ts': ['not-in-allowed', `export type { Mysql } from '@tributary/mysql'`],
      'packages/mysql/src/binlog/deep.ts': ['not-in-allowed', `export * from '../../../support/src/clock.ts'`],
      'packages/mysql/src/types/back.ts': ['not-in-allowed', `export * from '../binlog/right.ts'`],
      'packages/mysql/src/types/new-folder.ts': ['not-in-allowed', `export * from '../unknown/x.ts'`],
      'packages/mysql/src/types/through-index.ts': ['index-is-for-others', `export * from '../index.ts'`],
      'packages/mysql/src/binlog/socket.ts': ['sockets-only-at-the-edge', `export { connect } from 'node:net'`],
      'packages/mysql/src/binlog/undeclared.ts': ['no-undeclared-package', `export { pino } from 'pino'`],
      'packages/mysql/src/binlog/kit.ts': ['testkit-is-for-tests', `export * from '@tributary/testkit'`],
      'packages/mysql/src/binlog/uses-test.ts': ['tests-are-leaves', `export * from './right.test.ts'`],
      'packages/mysql/src/binlog/ring-a.ts': ['no-circular', `export { b } from './ring-b.ts'\nexport const a = 1`],
      'packages/mysql/src/types/ring-c.ts': [
        'no-circular',
        `import type { D } from './ring-d.ts'\nexport type C = D | null`,
      ],
      'packages/runtime/src/rest/herder.ts': ['rest-sees-the-herder-interface', `export * from '../herder/other.ts'`],
      'packages/rest-api/src/node.ts': ['rest-api-is-for-the-browser-too', `export { sep } from 'node:path'`],
      'packages/connector-kit/src/schema/broker.ts': [
        'kit-uses-kafka-for-history-and-signals-only',
        `export * from '@tributary/kafka'`,
      ],
      'packages/testkit/src/kafka/cli.ts': ['not-in-allowed', `export * from '@tributary/cli'`],
      'packages/cli/src/terminal/back.ts': ['not-in-allowed', `export * from '../commands/right.ts'`],
      'packages/cli/src/watch/aside.ts': ['not-in-allowed', `export * from '../connectors/right.ts'`],
      'packages/converters/src/text/back.ts': ['not-in-allowed', `export * from '../json/right.ts'`],
      'bench/load/back.ts': ['not-in-allowed', `export * from '../rows/right.ts'`],
      'bench/load/up.ts': ['not-in-allowed', `export * from '../right.ts'`],
      'scripts/pack/aside.ts': ['not-in-allowed', `export * from '../docs/right.ts'`],
      'scripts/demo/stage/back.ts': ['not-in-allowed', `export * from '../steps/right.ts'`],
      'bench/deep.ts': ['not-in-allowed', `export * from '../packages/mysql/src/binlog/right.ts'`],
    }
    const right: Record<string, string> = {
      'packages/support/src/clock.ts': `export const clock = 1`,
      'packages/mysql/src/binlog/right.ts': `export * from '@tributary/support'\nexport * from '../types/right.ts'`,
      'packages/mysql/src/types/right.ts': `export { sep } from 'node:path'`,
      'packages/mysql/src/unknown/x.ts': `export const x = 1`,
      'packages/mysql/src/connection/socket.ts': `export { connect } from 'node:net'`,
      'packages/mysql/src/binlog/right.test.ts': `export * from '@tributary/testkit'\nexport * from './right.ts'`,
      'packages/connector-kit/src/history/broker.ts': `export * from '@tributary/kafka'`,
      'packages/runtime/src/herder/herder.ts': `export interface Herder {}`,
      'packages/runtime/src/herder/other.ts': `export type { Herder } from './herder.ts'`,
      'packages/runtime/src/rest/right.ts': `export type { Herder } from '../herder/herder.ts'`,
      'packages/cli/src/commands/right.ts': `export * from '../connectors/right.ts'`,
      'packages/cli/src/connectors/right.ts': `export * from '../terminal/right.ts'`,
      'packages/cli/src/terminal/right.ts': `export const terminal = 1`,
      'packages/converters/src/json/right.ts': `export * from '../text/right.ts'`,
      'packages/converters/src/text/right.ts': `export const text = 1`,
      'bench/rows/right.ts': `export * from '../load/right.ts'`,
      'bench/load/right.ts': `export const load = 1`,
      'scripts/docs/right.ts': `export * from '../demo/stage/right.ts'`,
      'scripts/demo/main.ts': `export * from './steps/right.ts'`,
      'scripts/demo/steps/right.ts': `export * from '../stage/right.ts'`,
      'scripts/demo/stage/right.ts': `export const stage = 1`,
      'bench/right.ts': `export * from '@tributary/mysql'`,
    }
    const wrongFiles = Object.entries(wrong).map(([file, [, text]]) => [file, text] as const)
    // A cycle is reported at one of its modules.
    const rest = {
      'packages/mysql/src/binlog/ring-b.ts': `export { a } from './ring-a.ts'\nexport const b = 1`,
      'packages/mysql/src/types/ring-d.ts': `import type { C } from './ring-c.ts'\nexport interface D {\n  readonly c: C\n}`,
    }
    await using tree = fakeTree({ ...right, ...rest, ...Object.fromEntries(wrongFiles) })

    const { summary } = await cruise(tree.path, ['packages', 'bench', 'scripts'])

    const reported = new Set(summary.violations.map(({ rule, from }) => `${from}: ${rule.name}`))
    const missed = Object.entries(wrong).filter(([file, [rule]]) => !reported.has(`${file}: ${rule}`))
    assert.deepEqual(missed, [])
    const blameless = summary.violations.filter(({ from }) => from in right)
    assert.deepEqual(blameless, [])
  })
})

suite('lint', () => {
  test('rules that need types, and the exceptions by folder, apply', async () => {
    const offences = `
      export async function work(): Promise<void> { await Promise.resolve() }
      work()
      export const env: unknown = process.env['HOME']
      export const date: unknown = new Date(0)
      export const raced: unknown = Promise.race([])
      export function loose(value: any): unknown { return value.length }
      setTimeout(() => undefined, 1)
      console.log('x')
      export default 1`
    const everywhere = ['no-floating-promises', 'no-explicit-any', 'no-unsafe-member-access', 'no-default-export']
    const restricted = ['no-restricted-properties', 'no-restricted-globals', 'no-console']
    const expected: Record<string, readonly string[]> = {
      'packages/mysql/src/binlog/a.ts': [...everywhere, ...restricted],
      'packages/runtime/src/a.ts': [...everywhere, ...restricted],
      'packages/support/src/a.ts': [...everywhere, ...restricted],
      // Time and timers are real in one place only.
      'packages/support/src/clock.ts': [...everywhere, 'no-restricted-properties', 'no-console'],
      'packages/support/src/done-or.ts': [...everywhere, 'no-restricted-globals', 'no-console'],
      // The cli reads the environment and prints, but its time comes from a clock.
      'packages/cli/src/a.ts': [...everywhere, 'no-restricted-globals'],
      'packages/testkit/src/a.ts': everywhere,
      'scripts/a.ts': everywhere,
      'bench/a.ts': everywhere,
      'tests/a.ts': everywhere,
    }
    await using tree = fakeTree(Object.fromEntries(Object.keys(expected).map((file) => [file, offences])))

    const { diagnostics } = await lint(tree.path)

    for (const [file, rules] of Object.entries(expected)) {
      const found = new Set(diagnostics.filter(({ filename }) => filename === file).map(({ code }) => ruleName(code)))
      assert.deepEqual(
        [...found].filter((rule) => [...everywhere, ...restricted].includes(rule)).toSorted(),
        [...rules].toSorted(),
        file,
      )
    }
  })

  fullTest('every part of the tree is read', async () => {
    // Without types and rules, which take most of the time and do not matter for which files are read.
    const { stdout } = await runProgram('oxlint', ['--allow', 'all', '--format', 'json', '--silent'], { cwd: root })
    const { number_of_files } = JSON.parse(stdout) as Lint
    assert.ok(number_of_files > 100, `${number_of_files} files`)
  })
})

suite('format', () => {
  test('a file in another format is reported', async () => {
    await using tree = fakeTree({
      'packages/cli/src/a.ts': 'export const a = "x";\n',
      'packages/cli/src/b.ts': `export const b = 'x'\n`,
    })
    const { code, stdout } = await runProgram('oxfmt', ['--list-different', '.'], { cwd: tree.path })
    assert.equal(code, 1)
    assert.match(stdout, /packages\/cli\/src\/a\.ts/)
    assert.doesNotMatch(stdout, /src\/b\.ts/)
  })
})

suite('npm run check', () => {
  test('prints a line per part, the output of what failed, and ends with 1', async () => {
    await using tree = fakeTree({ 'packages/support/src/a.ts': 'export const a: number = "x"\n' })
    const { code, stdout } = await runProgram('node', ['scripts/check.ts'], { cwd: tree.path })
    assert.equal(code, 1)
    assert.match(stdout, /^types +FAILED +[\d.]+ s$/m)
    assert.match(stdout, /^lint +ok/m)
    assert.match(stdout, /^imports +ok/m)
    assert.match(stdout, /^format +FAILED/m)
    assert.match(stdout, /── types ──\npackages\/support\/src\/a\.ts\(1,14\): error TS2322/)
    assert.doesNotMatch(stdout, /── lint ──/)

    const fixed = await runProgram('node', ['scripts/check.ts', '--fix'], { cwd: tree.path })
    assert.equal(fixed.code, 0, fixed.stdout)
    assert.equal(readFileSync(join(tree.path, 'packages/support/src/a.ts'), 'utf8'), "export const a: number = 'x'\n")
  })
})

interface Cruise {
  readonly summary: {
    readonly totalCruised: number
    readonly totalDependenciesCruised: number
    readonly violations: readonly { readonly from: string; readonly rule: { readonly name: string } }[]
  }
}

async function cruise(cwd: string, folders: readonly string[]): Promise<Cruise> {
  const args = ['--config', '.dependency-cruiser.cjs', '--output-type', 'json', ...folders]
  const { stdout, stderr } = await runProgram('depcruise', args, { cwd })
  assert.equal(stderr, '')
  return JSON.parse(stdout) as Cruise
}

interface Lint {
  readonly number_of_files: number
  readonly diagnostics: readonly { readonly filename: string; readonly code: string }[]
}

async function lint(cwd: string): Promise<Lint> {
  const { stdout } = await runProgram('oxlint', ['--type-aware', '--format', 'json'], { cwd })
  return JSON.parse(stdout) as Lint
}

/** `typescript(no-floating-promises)` → `no-floating-promises`. */
function ruleName(code: string): string {
  return /\((.+)\)/.exec(code)?.[1] ?? code
}
