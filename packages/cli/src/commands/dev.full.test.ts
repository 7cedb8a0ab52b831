/** How `tributary dev` ends, and what it asks on a terminal. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { test } from 'node:test'
import { systemClock } from '@tributary/support'
import { eventually, runProgram, temporaryFolder, useMySql } from '@tributary/testkit'
import { commandEnvironment, mainFile } from '../testing/cli-process.ts'
import { createShop, createUser, PRIVILEGES, urlOf } from '../testing/dev-shop.ts'

test('a signal ends it within two seconds, although nobody reads its output', async () => {
  const database = await useMySql()
  const shop = await createShop(database)
  await database.query(`CREATE TABLE ${shop}.wide (id INT PRIMARY KEY, v TEXT);
    SET SESSION cte_max_recursion_depth = 10000; INSERT INTO ${shop}.wide
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) SELECT i, REPEAT('x', 1000) FROM n`)
  await using folder = temporaryFolder('dev')
  const child = spawn(process.execPath, [mainFile, 'dev', urlOf(database, shop)], {
    env: commandEnvironment({ TMPDIR: folder.path }),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stderr = ''
  child.stderr.on('data', (bytes: Buffer) => (stderr += bytes.toString()))
  const ended = new Promise((resolve) => child.once('close', resolve))
  await eventually('it prints', () => child.stdout.readableLength > 0 || child.stdout.read(0) !== null, {
    timeoutMs: 90_000,
  })
  const start = performance.now()
  child.kill('SIGTERM')
  child.once('exit', () => child.stdout.resume())
  assert.equal(await ended, 0, stderr)
  assert.ok(performance.now() - start < 4_000, `${performance.now() - start} ms, twice the limit for a busy machine`)
  assert.deepEqual(readdirSync(folder.path), [])
})

test('a closed pipe ends it', async () => {
  const database = await useMySql()
  const shop = await createShop(database)
  await database.query(`INSERT INTO ${shop}.customers VALUES (2, 'Ann')`)
  const command = `${process.execPath} ${mainFile} dev ${urlOf(database, `${shop}.customers`)} | head -n 1`
  const writing = new AbortController()
  const run = runProgram('sh', ['-c', command], { env: commandEnvironment({}) })
  const write = async (): Promise<void> => {
    for (let id = 10; !writing.signal.aborted; id++) {
      await database.query(`INSERT INTO ${shop}.customers VALUES (${id}, 'more')`)
      await systemClock.sleep(50)
    }
  }
  const writer = write()
  const { code, stdout, stderr } = await run
  writing.abort()
  await writer
  assert.equal(code, 0)
  assert.match(stdout, /^\{.*"op":"r".*\}\n$/)
  assert.doesNotMatch(stderr, /EPIPE|error/i)
})

test('without a URL it asks on the terminal for host, user, database and password', async () => {
  const database = await useMySql()
  const shop = await createShop(database)
  const user = await createUser(database, PRIVILEGES)
  // The program script of util-linux runs the command on a terminal.
  const child = spawn('script', ['-qec', `${process.execPath} ${mainFile} dev`, '/dev/null'], {
    env: commandEnvironment({ NO_COLOR: '1' }),
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let shown = ''
  child.stdout.on('data', (bytes: Buffer) => (shown += bytes.toString()))
  const ended = new Promise((resolve) => child.once('close', resolve))
  const answers = [
    ['Host of MySQL or MariaDB', `${database.host}:${database.port}`],
    ['User [root]', user],
    ['Database, or database.table', `${shop}.customers`],
    [`Password of ${user}@`, 'se cret@1'],
  ] as const
  for (const [question, answer] of answers) {
    await eventually(`it asks: ${question}`, () => shown.includes(question), { timeoutMs: 60_000 })
    child.stdin.write(`${answer}\n`)
  }
  await eventually(`the row is shown: ${shown}`, () => /row of \S+customers[^]*'Mei'/.test(shown), {
    timeoutMs: 90_000,
  })
  assert.doesNotMatch(shown, /se cret/)
  child.stdin.write('\u0003')
  assert.equal(await ended, 0)
})
