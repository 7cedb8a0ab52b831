/**
 * The tarball that `npm run pack` builds: its contents, and that it runs with npx in an empty folder on the oldest
 * supported Node.
 */
import assert from 'node:assert/strict'
import { homedir } from 'node:os'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { nodeRelease, runProgram, temporaryFolder } from '@tributary/testkit'
import { type BuiltPackage, buildPackage } from '../../scripts/pack/build-package.ts'
import { startsAndEnds } from './packed-abilities.ts'
import { PackedProgram } from './packed-program.ts'

const root = join(import.meta.dirname, '../..')
const output = temporaryFolder('tarball')
let built: BuiltPackage

before(async () => {
  built = await buildPackage(root, output.path)
})
after(() => output[Symbol.asyncDispose]())

async function unpack(): Promise<string> {
  const { code, stderr } = await runProgram('tar', ['xzf', built.path, '-C', output.path])
  assert.equal(code, 0, stderr)
  return join(output.path, 'package')
}

async function tar(...args: readonly string[]): Promise<string> {
  const { stdout } = await runProgram('tar', args)
  return stdout
}

describe('the tarball', () => {
  test('contains bundle, command, licences and a manifest without dependencies', async () => {
    const files = (await tar('tzf', built.path)).trim().split('\n')
    const expected =
      /^package\/(bin\/(tributary|limit-memory)\.mjs|dist\/[\w-]+\.c?js|dist\/page\/(index\.html|assets\/[\w-]+\.(js|css|svg))|dist\/native\/crc32\.[\w-]+\.node|[\w.-]+\.(json|md|txt)|LICENSE|NOTICE)$/
    assert.deepEqual(
      files.filter((file) => !expected.test(file)),
      [],
    )
    const manifest = JSON.parse(await tar('xzOf', built.path, 'package/package.json')) as Record<string, unknown>
    assert.deepEqual(manifest['bin'], { tributary: 'bin/tributary.mjs' })
    assert.equal(manifest['license'], 'Apache-2.0')
    for (const file of ['LICENSE', 'NOTICE']) assert.ok(files.includes(`package/${file}`), file)
    for (const name of ['dependencies', 'scripts', 'peerDependencies', 'optionalDependencies']) {
      assert.equal(manifest[name], undefined, name)
    }
  })

  test('is small, and has no path of this machine, no test and no test server in it', async () => {
    // 2.9 and 11.3 MB when this was written; a library that is added by accident exceeds the margin.
    assert.ok(built.packedBytes < 3_100_000, `${built.packedBytes}`)
    assert.ok(built.unpackedBytes < 11_800_000, `${built.unpackedBytes}`)
    const folder = await unpack()
    const found = await runProgram('grep', ['-rlFe', root, '-e', homedir(), '-e', 'node:test', '-e', 'testkit', folder])
    assert.equal(found.stdout, '')
  })

  test('is ASCII, so that the engine stores its text with one byte per character', async () => {
    const found = await runProgram('grep', ['-rlP', '[^\\x00-\\x7f]', join(await unpack(), 'dist'), '--include=*.js'])
    assert.equal(found.stdout, '')
  })

  test('a service restarts itself in the same process with memory limits; a setting of the user has precedence', async () => {
    const command = join(await unpack(), 'bin/tributary.mjs')
    const report = `console.error('begins', process.pid, process.execArgv.join(), process.env.MALLOC_TRIM_THRESHOLD_)`
    const beginnings = async (env: Readonly<Record<string, string>>, ...args: readonly string[]): Promise<string[]> => {
      const NODE_OPTIONS = `--import data:text/javascript,${encodeURIComponent(report)}`
      const { stderr } = await runProgram(process.execPath, [command, ...args], { env: { ...env, NODE_OPTIONS } })
      return stderr.split('\n').filter((line) => line.startsWith('begins'))
    }

    const [first, second, ...more] = await beginnings({}, 'start', '--help')
    const [, pid] = (first ?? '').split(' ')
    assert.equal(first, `begins ${pid}  undefined`)
    assert.equal(second, `begins ${pid} --max-semi-space-size=1 1000000`)
    assert.deepEqual(more, [])
    assert.equal((await beginnings({ MALLOC_TRIM_THRESHOLD_: '7' }, 'start', '--help')).length, 1)
    assert.equal((await beginnings({}, 'connectors', '--help')).length, 1)
  })

  test('contains the licences of all its libraries', async () => {
    const text = await tar('xzOf', built.path, 'package/THIRD-PARTY-LICENCES.txt')
    for (const { name, version } of built.libraries) assert.ok(text.includes(`\n\n${name} ${version}\n\n`), name)
    const notice = readFileSync(join(root, 'NOTICE'), 'utf8').split(/[\s,]+/)
    const names = built.libraries.map(({ name }) => name).filter((name) => !name.startsWith('@node-rs/crc32-'))
    const unnoticed = names.filter((name) => !notice.includes(name))
    assert.deepEqual(unnoticed, [], 'libraries that NOTICE does not list')
    for (const name of ['fastify', 'mysql2', 'pino', 'commander', '@platformatic/kafka', '@node-rs/crc32']) {
      assert.ok(names.includes(name), name)
    }
  })
})

test('Node 22: npx starts a worker, creates a connector and shows its records; SIGTERM stops everything', async () => {
  await using program = new PackedProgram(await nodeRelease('22.2.0'), built.path)
  await startsAndEnds(program)
})
