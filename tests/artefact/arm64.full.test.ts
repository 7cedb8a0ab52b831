/**
 * The packed release on another processor: Node for arm64, emulated by qemu-user, with the libraries of Debian for
 * arm64. Nothing native in the release is for it, so it uses WebAssembly and zlib.
 */
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import {
  freePort,
  nodeRelease,
  runProgram,
  ServerProcess,
  temporaryFolder,
  unpackedDebian,
  uniqueName,
} from '@tributary/testkit'
import { buildPackage } from '../../scripts/pack/build-package.ts'
import { capturesRows, workerEnvironment } from './captured-rows.ts'

const folder = temporaryFolder('arm64')
let command: readonly string[]

before(async () => {
  const { path } = await buildPackage(join(import.meta.dirname, '../..'), folder.path)
  const { code, stderr } = await runProgram('tar', ['xzf', path, '-C', folder.path])
  assert.equal(code, 0, stderr)
  const [emulator, libraries, node] = await Promise.all([
    unpackedDebian('qemu', ['qemu-user-static'], { exclude: /^(?!qemu-user-static$)/ }),
    unpackedDebian('arm64', ['libstdc++6'], { architecture: 'arm64' }),
    nodeRelease(process.versions.node, 'arm64'),
  ])
  command = [
    join(emulator, 'usr/bin/qemu-aarch64-static'),
    '-L',
    libraries,
    node,
    join(folder.path, 'package/bin/tributary.mjs'),
  ]
})
after(() => folder[Symbol.asyncDispose]())

// Without this, the program would replace itself by Node, which this processor cannot start without the emulator.
const NO_RESTART = { MALLOC_TRIM_THRESHOLD_: '1000000', NODE_DISABLE_COMPILE_CACHE: '1' }

test('on arm64 a worker starts, answers over REST and captures the rows of a real server', async () => {
  const addons = readdirSync(join(folder.path, 'package/dist/native'))
  assert.deepEqual(
    addons.filter((addon) => addon.includes('arm64')),
    [],
  )
  const [name, port] = [uniqueName('arm'), await freePort()]
  const url = `http://127.0.0.1:${port}`
  const [program = '', ...args] = command
  const worker = await ServerProcess.start({
    name: 'The worker on arm64',
    program,
    args: [...args, 'start'],
    env: { ...(await workerEnvironment(name, port)), ...NO_RESTART },
    logFile: join(folder.path, 'worker.log'),
    isReady: async () => {
      try {
        return (await fetch(`${url}/health`)).ok
      } catch {
        return false
      }
    },
    readyTimeoutMs: 180_000,
  })
  try {
    await capturesRows(url, name)
  } finally {
    await worker.stop()
  }
})

test('the release contains machine code in its addon only', async () => {
  const listed = await runProgram('find', [join(folder.path, 'package'), '-type', 'f'])
  const files = listed.stdout.trim().split('\n')
  const native = await runProgram('sh', [
    '-c',
    'for f in "$@"; do head -c 4 "$f" | od -An -tx1 | tr -d " \\n"; echo " $f"; done',
    'magic',
    ...files,
  ])
  // ELF, Mach-O in both orders and in one file for several processors, and Windows.
  const found = native.stdout.split('\n').filter((line) => /^(7f454c46|cffaedfe|feedfacf|cafebabe|4d5a)/.test(line))
  assert.ok(files.length > 20)
  assert.deepEqual(
    found.filter((line) => !/\/dist\/native\/crc32\.[\w-]+\.node$/.test(line)),
    [],
  )
  assert.ok(found.length > 0, 'the check finds the addon')
})
