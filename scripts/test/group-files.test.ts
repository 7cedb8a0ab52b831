import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mayShare } from './group-files.ts'

test('a file that does something to its process, or starts others, has one of its own', () => {
  const alone = [
    "process.env['TZ'] = 'UTC'",
    'process.exitCode = 0',
    "process.once('exit', end)",
    'globalThis.fetch = fake',
    'gc()',
    'before(() => start())',
    'beforeEach(() => clear())',
    'afterEach(async () => {',
    'after(() => server.close())',
    "mock.timers.enable({ apis: ['setTimeout'] })",
    "import { Worker } from 'node:worker_threads'",
    'const threads = new CheckThreads(options)',
    "import { execFileSync } from 'node:child_process'",
    'spawnSync(program)',
    'await runProgram(program, [])',
    'runCli(["check"])',
    "import { MAIN } from '../testing/main.ts'",
    "import { answer } from '../testing/cli-process.ts'",
  ]
  assert.deepEqual(
    alone.filter((text) => mayShare(text)),
    [],
  )
})

test('others share one', () => {
  const shared = [
    "import { test } from 'node:test'\ntest('a', () => assert.equal(1, 1))",
    'await new Promise((resolve) => process.nextTick(resolve))',
    'process.execPath',
    'after.map((row) => row.before)',
    'const [match] = /a/.exec(text)',
    'thread.postMessage(1)',
  ]
  assert.deepEqual(
    shared.filter((text) => !mayShare(text)),
    [],
  )
})
