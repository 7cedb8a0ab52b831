/** The demo on a machine that has neither Java nor Maven, and nothing of Kafka in its cache. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { eventually, temporaryFolder } from '@tributary/testkit'

const mainFile = fileURLToPath(new URL('main.ts', import.meta.url))
const HIDDEN = new Set(['java', 'javac', 'mvn'])

/** A folder with links to all programs of the PATH but those. */
function programsWithoutJava(folder: string): string {
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  for (const each of (process.env['PATH'] ?? '').split(delimiter).filter((path) => existsSync(path))) {
    for (const name of readdirSync(each)) {
      if (!HIDDEN.has(name) && !existsSync(join(bin, name))) symlinkSync(join(each, name), join(bin, name))
    }
  }
  return bin
}

/** A cache with the database servers of the other tests, and nothing else. */
function cacheWithDatabases(folder: string): string {
  const [cache, common] = [join(folder, 'cache'), process.env['TRIBUTARY_CACHE'] ?? join(homedir(), '.cache/tributary')]
  mkdirSync(cache)
  const databases = existsSync(common) ? readdirSync(common).filter((name) => /^mysql-\w+(-data)?$/.test(name)) : []
  for (const name of databases) symlinkSync(join(common, name), join(cache, name))
  return cache
}

for (const [name, args, brought] of [
  ['the demo needs neither', [], []],
  ['the demo on Kafka brings in both', ['--kafka'], ['java', 'maven']],
] as const) {
  test(`without Java and Maven ${name}, every check passes, and --keep ends with the page`, () =>
    playBare(args, brought))
}

async function playBare(args: readonly string[], brought: readonly string[]): Promise<void> {
  await using folder = temporaryFolder('bare')
  const cache = cacheWithDatabases(folder.path)
  const { JAVA_HOME: _hidden, ...environment } = process.env
  const demo = spawn(process.execPath, [mainFile, '--keep', ...args], {
    env: { ...environment, PATH: programsWithoutJava(folder.path), TRIBUTARY_CACHE: cache, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let stdout = ''
  demo.stdout.on('data', (bytes: Buffer) => (stdout += bytes.toString()))
  const ended = new Promise((resolve) => demo.once('close', resolve))
  const isOver = (): boolean => demo.exitCode !== null || /^ *\$? *http:\S+\/ui\/\n*$/m.test(stdout)
  await eventually('the demo prints the address of the page', isOver, { timeoutMs: 540_000 })

  assert.match(stdout, /^All 11 checks passed/m, stdout)
  const address = /http:\S+\/ui\/\s*$/.exec(stdout)?.[0].trim() ?? ''
  const page = await fetch(address)
  assert.deepEqual([page.status, /<title>/.test(await page.text())], [200, true])
  const inCache = readdirSync(cache)
  assert.deepEqual(
    ['java', 'maven'].filter((name) => inCache.some((each) => each.startsWith(`${name}-`))),
    brought,
  )

  demo.kill('SIGINT')
  assert.equal(await ended, 0)
}
