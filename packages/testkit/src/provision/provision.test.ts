import assert from 'node:assert/strict'
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { runProgram } from '../process/run-program.ts'
import { temporaryFolder } from '../process/temporary-folder.ts'

const cacheModule = new URL('cache.ts', import.meta.url).href

/** Provisions a folder in a new process, as concurrent test files do. */
function provision(cache: string, build: string): Promise<{ stdout: string; stderr: string; code: number }> {
  const script = `import { appendFileSync, writeFileSync } from 'node:fs'
    import { provisionFolder } from '${cacheModule}'
    console.log(await provisionFolder('thing', async (folder) => { ${build} }))`
  const args = ['--input-type=module', '-e', script]
  return runProgram(process.execPath, args, { env: { TRIBUTARY_CACHE: cache } })
}

test('two processes that need the same folder at the same time build it once', async () => {
  await using cache = temporaryFolder('cache')
  const log = join(cache.path, 'log')
  const build = `appendFileSync('${log}', 'built\\n'); await new Promise((r) => setTimeout(r, 300)); writeFileSync(folder + '/x', '1')`
  const results = await Promise.all([provision(cache.path, build), provision(cache.path, build)])
  for (const { stdout, stderr, code } of results) {
    assert.deepEqual([code, stdout], [0, `${join(cache.path, 'thing')}\n`], stderr)
  }
  assert.equal(readFileSync(log, 'utf8'), 'built\n')
})

test('a build that fails or is killed leaves neither a folder nor a lock', async () => {
  await using cache = temporaryFolder('cache')
  const failed = await provision(cache.path, `writeFileSync(folder + '/half', ''); throw new Error('no network')`)
  assert.match(failed.stderr, /no network/)
  const killed = await provision(
    cache.path,
    `writeFileSync(folder + '/half', ''); process.kill(process.pid, 'SIGKILL')`,
  )
  assert.equal(killed.code, -1)
  assert.equal(existsSync(join(cache.path, 'thing')), false)

  const good = await provision(cache.path, `writeFileSync(folder + '/whole', '')`)
  assert.equal(good.code, 0, good.stderr)
  assert.deepEqual(
    ['half', 'whole'].map((name) => existsSync(join(cache.path, 'thing', name))),
    [false, true],
  )
})

/**
 * Calls a function of the testkit on a fake machine and returns its output. The PATH has only `programs` (name → shell
 * script) and those named in `real`.
 */
async function onMachine(programs: Record<string, string>, real: string[], call: string): Promise<string> {
  await using folder = temporaryFolder('machine')
  for (const [name, script] of Object.entries(programs)) {
    writeFileSync(join(folder.path, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  }
  for (const name of ['sh', 'cat', 'flock', ...real]) symlinkSync(`/usr/bin/${name}`, join(folder.path, name))
  const index = new URL('../index.ts', import.meta.url).href
  const script = `import * as testkit from '${index}'
    await testkit.${call}.then(() => console.log('started'), (error) => console.log(error.message))`
  const env = { PATH: folder.path, TRIBUTARY_CACHE: join(folder.path, 'cache') }
  const { stdout, stderr } = await runProgram(process.execPath, ['--input-type=module', '-e', script], { env })
  assert.equal(stderr.replaceAll(/^tributary testkit: fetching .*\n/gm, ''), '')
  return stdout
}

const MIRROR = 'http://mirror.example/debian/dists/bookworm/InRelease'
const broken = [
  {
    what: 'no Maven',
    programs: {},
    call: 'startKafka()',
    message:
      /^The program mvn is not on this machine, and fetching Apache Kafka needs it\. Install it \(Debian package: maven\)/,
  },
  {
    what: 'Maven without a network',
    programs: { mvn: 'echo "[ERROR] Unknown host repo.example" >&2; exit 1' },
    call: 'startKafka()',
    message:
      /^Apache Kafka cannot be fetched: `mvn -q .*` ended with code 1\. Its last lines: *\n    \[ERROR\] Unknown host repo\.example\n Make sure that Maven reaches/,
  },
  {
    what: 'no apt at all',
    programs: {},
    call: 'startMySql()',
    message: /^The program apt-get is not on this machine, and unpacking MySQL needs it/,
  },
  {
    what: 'apt without a Debian source',
    programs: { 'apt-get': `echo "'http://mirror.example/other/dists/x/InRelease'"` },
    call: 'startMySql()',
    message: /^MySQL cannot be fetched: `apt-get update --print-uris`[^]*names no Debian archive/,
  },
  {
    what: 'an unreachable mirror',
    programs: {
      'apt-get': `case "$*" in *print-uris*) echo "'${MIRROR}' x 0";; *) echo "E: Failed to fetch sid"; exit 100;; esac`,
    },
    call: 'startMySql()',
    message:
      /^MySQL cannot be fetched: `apt-get -o [^`]* update` ended with code 100\. Its last lines: *\n    E: Failed to fetch sid\n Make sure that this machine reaches its Debian mirror/,
  },
] as const

for (const { what, programs, call, message } of broken) {
  test(`provisioning with ${what}: the error has the reason and what to do`, async () => {
    assert.match(await onMachine(programs, ['mkdir', 'rm'], call), message)
  })
}
