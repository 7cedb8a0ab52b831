import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { createKafka } from '@tributary/kafka'
import { silentLogger, systemClock } from '@tributary/support'
import { eventually, runProgram, useKafka, useMariaDb } from '@tributary/testkit'

const mainFile = fileURLToPath(new URL('main.ts', import.meta.url))

for (const [args, servers] of [
  [[], 'MySQL and the development broker'],
  [['--kafka'], 'MySQL and Kafka'],
] as const) {
  test(`the demo starts ${servers} of its own, every check passes, and the exit code is 0`, async () => {
    const { code, stdout } = await runProgram(process.execPath, [mainFile, ...args], { env: { NO_COLOR: '1' } })
    assert.equal(code, 0, stdout)
    assert.ok(stdout.includes(`[1/8] Starting ${servers}\n`), stdout)
    assert.match(stdout, /^All 11 checks passed/m)
  })
}

test("on the user's own MariaDB and Kafka every check passes, and nothing is left there", async () => {
  const server = await useMariaDb()
  const broker = (await useKafka()).bootstrapServers[0] ?? ''

  const { code, stdout, stderr } = await runProgram(
    process.execPath,
    [mainFile, '--mysql', `mysql://mysqluser:mysqlpw@${server.host}:${server.port}`, '--kafka', broker],
    { env: { NO_COLOR: '1' } },
  )

  assert.deepEqual([code, stderr], [0, ''], stdout)
  assert.match(stdout, /^\[8\/8\] /m)
  assert.match(stdout, /ERROR 1451 \(23000\)/)
  assert.match(stdout, /^All 11 checks passed \([\d.]+ s\)\.$/m)
  assert.doesNotMatch(stdout, /mysqlpw/)
  const [, databaseName = '?'] = /creates the database (\w+)/.exec(stdout) ?? []
  const [, prefix = '?'] = /names begin with (\w+)/.exec(stdout) ?? []
  assert.deepEqual(await server.query(`SHOW DATABASES LIKE '${databaseName}'`), [])
  assert.deepEqual(
    (await topicsOf(broker)).filter((topic) => topic.startsWith(prefix)),
    [],
  )
})

for (const moment of ['[1/8]', '[3/8]', 'HTTP/1.1 201', 'Starting it again']) {
  test(`interrupted at "${moment}", the demo stops its processes, removes its folders and exits with 130`, async () => {
    const demo = spawn(process.execPath, [mainFile, '--mariadb', '--kafka'], { stdio: ['ignore', 'pipe', 'inherit'] })
    let stdout = ''
    demo.stdout.on('data', (bytes: Buffer) => (stdout += bytes.toString()))
    const ended = new Promise((resolve) => demo.once('close', resolve))
    await eventually(`the demo prints ${moment}`, () => stdout.includes(moment), { timeoutMs: 120_000 })
    const pid = demo.pid ?? 0
    const children = [...childrenOf(pid)]

    demo.kill('SIGINT')
    demo.kill('SIGINT')

    assert.equal(await ended, 130, stdout)
    assert.match(stdout, /Interrupted/)
    assert.deepEqual(children.filter(isAlive), [])
    assert.deepEqual(
      readdirSync(tmpdir()).filter((name) => name.startsWith('tributary-') && name.includes(`-${pid}-`)),
      [],
    )
  })
}

function childrenOf(pid: number): readonly number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
  return text === '' ? [] : text.split(' ').map(Number)
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

async function topicsOf(broker: string): Promise<readonly string[]> {
  const kafka = createKafka({ bootstrapServers: [broker], clientId: 'test', logger: silentLogger, clock: systemClock })
  await using admin = kafka.admin()
  return await admin.listTopics()
}
