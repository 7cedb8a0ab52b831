/** How `tributary dev` ends, what it asks on a terminal, and how it shows values. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { test } from 'node:test'
import { systemClock } from '@tributary/support'
import { eventually, runProgram, temporaryFolder, uniqueName, useMySql } from '@tributary/testkit'
import { CliProcess, commandEnvironment, mainFile } from '../testing/cli-process.ts'
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

test('people see values as tail prints them, which does not read them from a topic', async () => {
  const database = await useMySql()
  const name = uniqueName('dev')
  await database.query(`CREATE DATABASE ${name}; CREATE TABLE ${name}.v (id BIGINT PRIMARY KEY, t VARCHAR(40), d DATE,
    n DECIMAL(20, 3), u DECIMAL(30, 0), dt DATETIME, dt6 DATETIME(6), tm TIME(3), ts TIMESTAMP NULL, y YEAR,
    b VARBINARY(10), bits BIT(20), e ENUM('a', 'b'), j JSON, x INT)`)
  await database.query(`INSERT INTO ${name}.v VALUES (9007199254740993, 'O''Hara \\\\ 7', '1959-12-31', -12.345,
    123456789012345678901234567890, '2026-01-02 03:04:05', '1969-12-31 23:59:59.999999', '-10:11:12.345',
    '2026-01-02 03:04:05', 2026, x'00ff', b'10000000001', 'b', '{"a": [1, "x"]}', NULL)`)
  const rows = async (args: readonly string[]): Promise<string> => {
    await using command = new CliProcess([...args, '--format', 'pretty'], {})
    await eventually(`the row is printed: ${command.stderr}`, () => / x +NULL\n/.test(command.stdout), {
      timeoutMs: 90_000,
    })
    // Otherwise its temporary folder would remain.
    command.child.kill('SIGINT')
    return (await command.end()).stdout
  }
  const url = urlOf(database, name)
  const shown = await rows(['dev', url])
  assert.equal(shown, await rows(['tail', '--snapshot', url]))
  assert.match(shown, /id +9007199254740993\n/)
})
